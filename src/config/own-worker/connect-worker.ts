/** The worker's connection to the server. */

import { setTimeout as pause } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { ClientError } from '../../client/index.ts';
import { DEFAULT_NAMESPACE } from '../../protocol/index.ts';
import { messageOf } from '../../plan/text/index.ts';

/** A worker's open connection to a Temporal server, and the namespace of its runs. */
export interface WorkerConnection {
  readonly connection: NativeConnection;
  readonly namespace: string;
}

/** A server that accepts but never answers must not block the worker. */
const CONNECT_MS = 10_000;

/**
 * Connects as the Temporal CLI would: its profile and TEMPORAL_* variables, with `address` and `namespace` on top.
 * @throws ClientError `no-server` within 10 s when nothing answers.
 * @example const { connection, namespace } = await connectWorker({ address: '127.0.0.1:7233' });
 */
export async function connectWorker(target: { address?: string; namespace?: string } = {}): Promise<WorkerConnection> {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = target.address ?? connectionOptions.address;
  const connecting = NativeConnection.connect({ ...connectionOptions, ...(address !== undefined && { address }) });
  const connection = await within(CONNECT_MS, connecting).catch((cause: unknown) => {
    const message = `no Temporal server answers at ${address ?? 'the default address'} (${messageOf(cause)}); start one with "npx planwright dev", or set TEMPORAL_ADDRESS`;
    throw new ClientError('no-server', message, { cause });
  });
  return { connection, namespace: target.namespace ?? namespace ?? DEFAULT_NAMESPACE };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = pause(ms, undefined, over).then(() => Promise.reject(new Error(`nothing within ${ms / 1000} s`)));
  return Promise.race([work, late]).finally(() => over.abort());
}
