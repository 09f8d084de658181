/** An HTTP server that limits connections and the time of a request. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { OperationError } from '../operations/index.ts';

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** The flag that the error about a used port names. */
  readonly flag: string;
  readonly connections: number;
  readonly requestMs: number;
  readonly idleMs?: number;
  readonly unref?: boolean;
}

/** How often Node checks for late requests, in ms. Its default is 30 s. */
const LATE_MS = 1000;

/** Starts the server. @throws OperationError `PORT_IN_USE`, or `USAGE` if this machine has no such address */
export async function startHttp(options: HttpOptions) {
  const { host, port, flag, connections, requestMs, idleMs, unref = false } = options;
  const server = createServer({
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: LATE_MS,
  });
  server.maxConnections = connections;
  if (idleMs !== undefined) server.setTimeout(idleMs);
  if (unref) server.unref();
  server.listen(port, host);
  await once(server, 'listening').catch(({ code, message }: NodeJS.ErrnoException) => {
    const next = `free it, or name another with ${flag} (0 takes any)`;
    if (code === 'EADDRINUSE') throw new OperationError('PORT_IN_USE', `port ${port} of ${host} is taken; ${next}`);
    throw new OperationError('USAGE', `port ${port} of ${host}: this machine cannot listen there (${message})`);
  });
  return {
    port: (server.address() as AddressInfo).port,
    answer(fetch: Parameters<typeof getRequestListener>[0]): void {
      const listener = getRequestListener(fetch);
      server.on('request', (incoming, outgoing) => void listener(incoming, outgoing));
    },
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
