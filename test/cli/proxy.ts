/** A way to a server that can be cut and mended, as when the server goes and comes back. */

import { connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  readonly address: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function openProxy(target: string): Promise<Proxy> {
  const [host, port] = target.split(':');
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => sockets.delete(one) && other.destroy());
      one.pipe(other);
    }
  });
  const listen = (on: number) => new Promise<void>((resolve) => server.listen(on, '127.0.0.1', resolve));
  await listen(0);
  const own = (server.address() as { port: number }).port;
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    address: `127.0.0.1:${own}`,
    cut,
    mend: () => listen(own),
    close: () => (server.listening ? cut() : Promise.resolve()),
  };
}
