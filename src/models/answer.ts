/**
 * The pieces of a server's answer: the events of a stream, or a whole JSON where the server passes over that one was
 * asked for. The bytes tell which, since proxies name either as `text/plain`.
 */

/** The most bytes around the text in a piece. */
const ENVELOPE_BYTES = 1024 * 1024;

/** A piece of an answer that does not end. */
export class PieceTooLarge extends Error {
  override readonly name = 'PieceTooLarge';
}

/** An answer that is neither a stream of events nor JSON: most often a page of some other server. */
export class NoPieces extends Error {
  override readonly name = 'NoPieces';
}

export interface AnswerBounds {
  /** The most bytes of a whole reply. A piece may hold all of it, with a backslash before each character. */
  readonly replyBytes: number;
  /** Called with all that comes, comments too: some servers say nothing else for minutes. */
  readonly alive: () => void;
}

/**
 * @throws PieceTooLarge, NoPieces, SyntaxError of a piece that is no JSON, and what the network throws. The connection is
 * closed where the reader stops.
 */
export async function* piecesOf({ body, headers }: Response, { replyBytes, alive }: AnswerBounds): AsyncGenerator {
  const type = headers.get('content-type') ?? 'nothing';
  const held = { bytes: 0, most: 2 * replyBytes + ENVELOPE_BYTES };
  const isDeclared = type.includes('text/event-stream');
  let form: 'json' | 'events' | undefined;
  let data: string[] = [];
  for await (const line of linesOf(body ?? [], held, alive)) {
    if (form === undefined) {
      if (line.trim() === '') continue;
      form = line.trimStart().startsWith('{') ? 'json' : isDeclared || EVENT_LINE.test(line) ? 'events' : undefined;
      if (form === undefined) throw new NoPieces(type);
    }
    if (form === 'json') data.push(line);
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith(':')) held.bytes = 0;
    if (line !== '' || form === 'json' || data.length === 0) continue;
    const text = data.join('\n');
    if (text.trim() === '[DONE]') return;
    yield JSON.parse(text);
    [data, held.bytes] = [[], 0];
  }
  // Some servers leave out the empty line behind the last event.
  const rest = data.join('\n').trim();
  if (rest !== '' && rest !== '[DONE]') yield JSON.parse(rest);
  else if (form === undefined && !isDeclared) throw new NoPieces(type);
}

const EVENT_LINE = /^(?:data|event|id|retry)?:/;

/** The text of the answer at its first characters, for an error. */
export async function textOf({ body }: Response): Promise<string> {
  const held = { bytes: 0, most: MAX_ERROR_BYTES };
  const lines: string[] = [];
  try {
    for await (const line of linesOf(body ?? [], held, () => undefined)) lines.push(line);
  } catch (error) {
    if (!(error instanceof PieceTooLarge)) throw error;
  }
  return lines.join('\n');
}

/** Bytes of an error answer that are read; the rest is passed over. */
const MAX_ERROR_BYTES = 1024 * 1024;

/** @throws PieceTooLarge where more is held than may be */
async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  held: { bytes: number; readonly most: number },
  alive: () => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let open: string[] = [];
  for await (const chunk of chunks) {
    alive();
    held.bytes += chunk.byteLength;
    if (held.bytes > held.most) {
      throw new PieceTooLarge(`sent ${held.bytes} bytes in one piece; at most ${held.most} are read`);
    }
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n');
    open.push(first);
    for (const next of rest) {
      yield open.join('').replace(/\r$/, '');
      open = [next];
    }
  }
  const last = open.join('') + decoder.decode();
  if (last !== '') yield last;
}
