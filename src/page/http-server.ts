/** An HTTP server with bounds on what those who reach it may hold of it. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { OperationError } from '../operations/index.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0 takes any. */
  readonly port: number;
  /** The flag that names another port. */
  readonly flag: string;
  /** The most connections at once; more are closed. */
  readonly connections: number;
  /** Milliseconds within which a request must have come whole. */
  readonly requestMs: number;
  /** Milliseconds after which a connection that says nothing is closed. Default: none. */
  readonly idleMs?: number;
  /** Whether the process may end while it listens. Default false. */
  readonly unref?: boolean;
}

/** How much later than said a request is closed, at most: Node looks for late ones every 30 s unless it is told otherwise. */
const LATE_MS = 1000;

/** @throws OperationError `PORT_IN_USE`, or `USAGE` where this machine has no such address */
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
    /** Answers all requests from now on. */
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
