/** The worker's connection to the server. */

import { NativeConnection } from '@temporalio/worker';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DEFAULT_NAMESPACE } from '../run/index.ts';

export interface WorkerConnection {
  readonly connection: NativeConnection;
  readonly namespace: string;
}

/** Connects as the Temporal CLI would: its profile and TEMPORAL_* variables, with `address` and `namespace` on top. */
export async function connectWorker(target: { address?: string; namespace?: string } = {}): Promise<WorkerConnection> {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const connection = await NativeConnection.connect({
    ...connectionOptions,
    ...(target.address !== undefined && { address: target.address }),
  });
  return { connection, namespace: target.namespace ?? namespace ?? DEFAULT_NAMESPACE };
}
