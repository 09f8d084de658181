import { streamSSE } from 'hono/streaming';
import { timeoutSignal, type LiveEvent } from '../protocol/index.ts';
import type { PageVisit } from './access.ts';

export interface LiveSource {
  /** Identifies what is shown now. */
  mark(): string | Promise<string>;
  wait(mark: string, signal: AbortSignal): Promise<void>;
  isOver(): boolean;
  close(): void;
}

/** Interval in ms of messages that keep proxies from closing the connection and detect lost readers. */
const BEAT_MS = 15_000;
/** A reader counts as lost if it accepts no message for this many ms. */
const READ_MS = 30_000;

export function liveView(visit: PageVisit, source: LiveSource): Response {
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
    const sendEvent = (event: LiveEvent) => send(stream.writeSSE(event));
    let mark = visit.req.header('last-event-id') ?? visit.req.query('mark') ?? '';
    try {
      while (!over.signal.aborted) {
        const now = await source.mark();
        if (now !== mark) await sendEvent({ id: now, data: now });
        mark = now;
        if (source.isOver()) return await sendEvent({ event: 'over', data: '' });
        const beat = timeoutSignal(BEAT_MS);
        await source.wait(mark, AbortSignal.any([over.signal, beat]));
        if (beat.aborted) await send(stream.write(': still here\n\n'));
      }
    } finally {
      source.close();
    }
  });
}
