/** The twin's one activity takes and returns the same handles as the engine's, and naps between where it is told to. */

export interface TwinRequest {
  readonly revision: string;
  readonly nodeId: string;
  readonly inputs: readonly string[];
  /** Milliseconds. Default: none. */
  readonly nap?: number | undefined;
}

export interface TwinHandle {
  readonly ref: string;
  readonly kind: string;
  readonly count: number;
  readonly bytes: number;
}

export async function twinNode({ revision, nap = 0 }: TwinRequest): Promise<TwinHandle> {
  if (nap > 0) await new Promise((resolve) => setTimeout(resolve, nap));
  return { ref: revision, kind: 'set', count: 0, bytes: 67 };
}
