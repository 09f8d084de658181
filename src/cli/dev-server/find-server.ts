/** Finds a running Temporal server: the one in TEMPORAL_ADDRESS, or one on the default port. */

import { connect } from 'node:net';
import { withConnection } from '../../config/project/index.ts';
import { messageOf } from '../../plan/text/index.ts';
import { OperationError } from '../../operations/operation-error.ts';
import type { ResolvedOptions } from './options.ts';

/** The default port of a Temporal server. A dev server uses it if it is free. */
export const DEFAULT_PORT = 7233;

/**
 * Finds a running server. If the server in TEMPORAL_ADDRESS does not work, this fails, since another server must not
 * replace it silently.
 * @param failed ways that did not work, each with its reason; this function adds its own
 * @throws OperationError `NO_SERVER` if the named server does not answer; ClientError `no-namespace`
 */
export async function findServer(
  { env, namespace, reuse = true }: ResolvedOptions,
  failed: string[],
  port = DEFAULT_PORT,
) {
  const { TEMPORAL_ADDRESS: named } = env;
  if (named) {
    const why = await whyUnreachable(named, namespace);
    if (why === undefined) return { address: named, how: 'TEMPORAL_ADDRESS' };
    throw new OperationError(
      'NO_SERVER',
      `No Temporal server answers at ${named}, which TEMPORAL_ADDRESS names (${why}). ` +
        'Start it, correct the address, or unset TEMPORAL_ADDRESS to have a dev server started.',
    );
  }
  failed.push('TEMPORAL_ADDRESS: not set');
  if (!reuse) return undefined;
  const address = `127.0.0.1:${port}`;
  const why = (await isPortOpen(port)) ? await whyUnreachable(address, namespace) : 'nothing listens there';
  if (why === undefined) return { address, how: 'already running on the default port' };
  failed.push(`a server on ${address}: ${why}`);
  return undefined;
}

async function whyUnreachable(address: string, namespace: string): Promise<string | undefined> {
  try {
    return await withConnection({ address, namespace }, async () => undefined);
  } catch (error) {
    const { code, cause, message } = error as { readonly code?: unknown; readonly cause?: unknown; message: string };
    if (code !== 'no-server') throw error;
    return cause instanceof Error ? messageOf(cause) : message;
  }
}

/** Whether a server listens on this loopback port. Finding that out by gRPC takes seconds. */
export function isPortOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
