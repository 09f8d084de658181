/** The twin's one activity takes and returns the same handles as the engine's, and does nothing between. */

export interface TwinRequest {
  readonly revision: string;
  readonly nodeId: string;
  readonly inputs: readonly string[];
}

export interface TwinHandle {
  readonly ref: string;
  readonly kind: string;
  readonly count: number;
  readonly bytes: number;
}

export function twinNode(request: TwinRequest): Promise<TwinHandle> {
  return Promise.resolve({ ref: request.revision, kind: 'set', count: 0, bytes: 67 });
}
