/** The twin's one activity takes and returns the same handles as the engine's, and naps between where it is told to. */

import { carryOut } from '../contenders/node-work.mjs';

export interface TwinRequest {
  readonly revision: string;
  readonly nodeId: string;
  readonly inputs: readonly string[];
  /** Milliseconds. Default: none. */
  readonly nap?: number | undefined;
  /** The file that it notes its beginning and its end in, if any. */
  readonly ledger?: string | undefined;
}

export interface TwinHandle {
  readonly ref: string;
  readonly kind: string;
  readonly count: number;
  readonly bytes: number;
}

export async function twinNode({ revision, nodeId, nap, ledger }: TwinRequest): Promise<TwinHandle> {
  await carryOut({ node: Number(nodeId.slice('node_'.length)) - 1, ms: nap, ledger });
  return { ref: revision, kind: 'set', count: 0, bytes: 67 };
}
