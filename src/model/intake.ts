/** How much of a server's answer is held before a whole piece of it can be read. */

/** The most bytes around the text in a piece. */
const ENVELOPE_BYTES = 1024 * 1024;

/** A piece of an answer, or an error of the server, that does not end. */
export class PieceTooLarge extends Error {
  override readonly name = 'PieceTooLarge';
}

/** @param replyBytes of a whole reply. A piece may hold all of it, with a backslash before each character. */
export function createIntake(replyBytes: number) {
  const most = 2 * replyBytes + ENVELOPE_BYTES;
  /** Bytes since the last piece. */
  const waiting = new WeakMap<Response, { bytes: number }>();
  return {
    async fetch(...request: Parameters<typeof fetch>): Promise<Response> {
      const answer = await fetch(...request);
      if (answer.body === null) return answer;
      const held = { bytes: 0 };
      const counting = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, out) {
          held.bytes += chunk.byteLength;
          if (held.bytes <= most) out.enqueue(chunk);
          else out.error(new PieceTooLarge(`sent ${held.bytes} bytes in one piece; at most ${most} are read`));
        },
      });
      const { status, statusText, headers } = answer;
      const counted = new Response(answer.body.pipeThrough(counting), { status, statusText, headers });
      waiting.set(counted, held);
      return counted;
    },
    async *piecesOf({ data, response }: { readonly data: AsyncIterable<unknown>; readonly response: Response }) {
      const held = waiting.get(response);
      for await (const piece of data) {
        if (held !== undefined) held.bytes = 0;
        yield piece;
      }
    },
  };
}
