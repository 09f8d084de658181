import { connect, createServer } from 'node:net';

/** Whether something could listen on this port of the loopback interface now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await listen(port)) !== undefined;
}

/** Whether something listens on this port of the loopback interface. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** A port that was free a moment ago. Somebody else can take it before it is used. */
export async function freePort(): Promise<number> {
  const port = await listen(0);
  if (port === undefined) throw new Error('No free port on 127.0.0.1');
  return port;
}

function listen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}
