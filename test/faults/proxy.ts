/** A way to a server on which bytes are held, delayed, cut off or refused, as networks do. */

import { connect, createServer, type Socket } from 'node:net';

export interface Way {
  readonly address: string;
  /** A black hole: connections stay, and nothing comes through until `release`. */
  hold(): void;
  /** What was held goes on its way. */
  release(): void;
  /** From now on every piece waits so long; 0 again lets it through at once. */
  delay(ms: number): void;
  /** The next piece of every connection is cut in its middle, and the connection ends there. */
  cut(): void;
  /** Every connection ends with a reset. */
  reset(): void;
  close(): Promise<void>;
}

export async function openWay(target: string): Promise<Way> {
  const [host = '', port] = target.split(':');
  const state = { held: undefined as (() => void)[] | undefined, delayMs: 0 };
  const sockets = new Set<Socket>();
  const toCut = new Set<Socket>();
  const later = (pass: () => void) => {
    if (state.held !== undefined) state.held.push(pass);
    else if (state.delayMs > 0) setTimeout(pass, state.delayMs);
    else pass();
  };
  const lead = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (piece) =>
      later(() => {
        if (to.destroyed) return;
        if (!toCut.delete(from)) to.write(piece);
        else to.end(piece.subarray(0, piece.length >> 1), () => to.destroy());
      }),
    );
    // A reset ends both sides; the one that hears of it has nothing to say any more.
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    lead(near, far);
    lead(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as { port: number }).port}`,
    hold: () => void (state.held ??= []),
    release() {
      const held = state.held ?? [];
      state.held = undefined;
      for (const pass of held) pass();
    },
    delay: (ms) => void (state.delayMs = ms),
    cut() {
      for (const socket of sockets) toCut.add(socket);
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
