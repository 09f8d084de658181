/** The live views: what has changed of a page goes to whoever looks at it. Somebody who does not read is let go. */

import { streamSSE } from 'hono/streaming';
import type { Visit } from './door.ts';

/** What a live view sends. */
export interface Change {
  /** Markup by the ids of its elements. */
  readonly parts: Readonly<Record<string, string>>;
  readonly title: string;
  /** The mark of what is shown then. */
  readonly mark: string;
}

export interface LiveSource {
  /** What has changed since a mark; no parts where nothing has. */
  since(mark: string): Promise<Change>;
  /** Resolves when there may be more, or when the signal is aborted. */
  wait(mark: string, signal: AbortSignal): Promise<void>;
  isOver(): boolean;
  close(): void;
}

/**
 * A sign of life for proxies, and for this side: a reader that is gone is noticed when something is sent.
 * @bound a sign of life in a live view
 * @beyond a reader who is gone is noticed
 */
const BEAT_MS = 15_000;
/**
 * Somebody who takes so long to read one message does not read.
 * @bound a reader who takes a message
 * @beyond the connection is closed; the browser comes back
 */
const READ_MS = 30_000;

/** @param token what the forms of this browser bring back, in place of `mark` */
export function liveView(visit: Visit, source: LiveSource, ours: (text: string) => string): Response {
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
        const change = await source.since(mark);
        ({ mark } = change);
        if (Object.keys(change.parts).length > 0) {
          await send(
            stream.writeSSE({ id: mark, data: ours(JSON.stringify({ parts: change.parts, title: change.title })) }),
          );
        }
        if (source.isOver()) {
          await send(stream.writeSSE({ event: 'over', data: '' }));
          return;
        }
        const beat = AbortSignal.timeout(BEAT_MS);
        await source.wait(mark, AbortSignal.any([over.signal, beat]));
        if (beat.aborted) await send(stream.write(': still here\n\n'));
      }
    } finally {
      source.close();
    }
  });
}
