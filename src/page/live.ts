/** The live views: whoever looks at a page is told when it is another one. Somebody who does not read is let go. */

import { streamSSE } from 'hono/streaming';
import type { Visit } from './door.ts';

export interface LiveSource {
  /** Names what is shown now. */
  mark(): string | Promise<string>;
  /** Resolves when there may be something else, or when the signal is aborted. */
  wait(mark: string, signal: AbortSignal): Promise<void>;
  isOver(): boolean;
  close(): void;
}

/** A sign of life for proxies, and for this side: a reader that is gone is noticed when something is sent. */
const BEAT_MS = 15_000;
/** Somebody who takes so long to read one message does not read. */
const READ_MS = 30_000;

export function liveView(visit: Visit, source: LiveSource): Response {
  const { socket } = visit.env.incoming;
  return streamSSE(visit, async (stream) => {
    const over = new AbortController();
    stream.onAbort(() => over.abort());
    const send = async (write: Promise<unknown>) => {
      const timer = setTimeout(() => {
        over.abort();
        socket.destroy();
      }, READ_MS);
      await write;
      clearTimeout(timer);
    };
    let mark = visit.req.header('last-event-id') ?? visit.req.query('mark') ?? '';
    try {
      while (!over.signal.aborted) {
        const now = await source.mark();
        if (now !== mark) await send(stream.writeSSE({ id: now, data: now }));
        mark = now;
        if (source.isOver()) return await send(stream.writeSSE({ event: 'over', data: '' }));
        const beat = AbortSignal.timeout(BEAT_MS);
        await source.wait(mark, AbortSignal.any([over.signal, beat]));
        if (beat.aborted) await send(stream.write(': still here\n\n'));
      }
    } finally {
      source.close();
    }
  });
}
