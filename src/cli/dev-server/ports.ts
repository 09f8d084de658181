/** Ports of this machine that are free, or taken. */

import { connect, createServer } from 'node:net';
import { DevServerError } from './dev-server.ts';

/** Below the ports that Linux, macOS and Windows give to outgoing connections. */
const LOWEST = 10_000;
const HIGHEST = 30_000;
const ATTEMPTS = 100;

/**
 * The port that was asked for (0 takes any), else the preferred one, else any.
 * @throws DevServerError `port-in-use` when the one that was asked for is taken.
 */
export async function choosePort(asked: number | undefined, preferred: number): Promise<number> {
  if (asked === 0) return freePort();
  if (await isPortFree(asked ?? preferred)) return asked ?? preferred;
  if (asked === undefined) return freePort();
  throw new DevServerError(
    'port-in-use',
    `Port ${asked} of 127.0.0.1 is taken. Free it, or name another; 0 takes any.`,
  );
}

/**
 * A port that was free a moment ago. Not one that the system picks: any outgoing connection could take that before a
 * server listens on it, even the connection that asks whether the server listens yet.
 * @throws DevServerError `start-failed` when the machine lets nothing listen.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isPortFree(port)) return port;
  }
  const message = `Of ${ATTEMPTS} ports of 127.0.0.1 from ${LOWEST} to ${HIGHEST - 1} none could be listened on.`;
  throw new DevServerError('start-failed', message);
}

/** Whether something could listen on this port of the loopback interface now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
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
