/** Servers of this machine, each at a port of its own. */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server that whoever opens it closes. */
export async function openHttpServer(listener?: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = () => server.closeAllConnections();
  const close = async () => {
    cut();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return { port, url: `http://127.0.0.1:${port}`, cut, close };
}

/** A server for the test in which it is opened. */
export async function testHttpServer(listener?: RequestListener) {
  const server = await openHttpServer(listener);
  onTestFinished(server.close);
  return server;
}

/** A port at which nothing listens. */
export async function freePort(): Promise<number> {
  const { port, close } = await openHttpServer();
  await close();
  return port;
}
