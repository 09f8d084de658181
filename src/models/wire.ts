/**
 * The `fetch` function for the package `openai`. The package gets all answers as complete events, and the headers of
 * the package are not sent.
 */

import { parsedJson } from './judge.ts';
import type { ModelError } from './model-error.ts';
import {
  isUnsent,
  networkError,
  serverError,
  serverWordsOf,
  type Failing,
  type ServerWords,
} from './server-failure.ts';

/** Maximum bytes of a streamed piece, without the part of the reply in it. */
const ENVELOPE_BYTES = 1024 * 1024;
const MAX_ERROR_CHARACTERS = 1024 * 1024;

export interface WireCall {
  /** Called for everything that arrives, even comments, since some servers send nothing else for minutes. */
  readonly alive: () => void;
  readonly fail: Failing;
  isPaid: boolean;
  /** Whether the server has marked the end of its answer, by `[DONE]` or by a complete JSON value. */
  isDone: boolean;
  /** The error that ended the answer. It is stored here, since the package `openai` would wrap a thrown error. */
  failure?: ModelError | undefined;
  refusal?: ServerWords | undefined;
}

/** @param replyBytes maximum bytes of a reply, which may arrive in one piece with each character escaped */
export function wireOf(headers: Headers, replyBytes: number, call: WireCall): typeof fetch {
  const max = 2 * replyBytes + ENVELOPE_BYTES;
  return async (url, { method, body, signal } = {}) => {
    call.isPaid = true;
    let answer: Response;
    try {
      // Redirects are not followed, since they would send the prompt to another server.
      answer = await fetch(url, { method, body, signal, headers, redirect: 'manual' } as RequestInit);
    } catch (thrown) {
      call.isPaid = !isUnsent(thrown);
      throw (call.failure = networkError(thrown, false, call.fail));
    }
    call.isPaid = answer.ok;
    call.alive();
    const { status } = answer;
    if (status >= 300 && status < 400) {
      const to = answer.headers.get('location');
      const what = `answered ${status}, a redirect to ${to}, which is not followed. Set the base URL to where it answers`;
      throw (call.failure = call.fail('bad-request', what));
    }
    if (answer.ok) return new Response(ReadableStream.from(eventsOf(answer, max, call)), { headers: EVENTS });
    const text = await bodyText(answer).catch(() => '');
    const words = { ...serverWordsOf(parsedJson(text) ?? text), status, headers: answer.headers };
    call.failure = serverError(words, call.fail);
    if (call.failure.kind === 'bad-request') call.refusal = words;
    throw call.failure;
  };
}

const EVENTS = { 'content-type': 'text/event-stream' };
const EVENT_LINE = /^(?:data|event|id|retry)?:/;

/**
 * Converts an answer to events with one `data` each. The answer is a stream, or one JSON value if the server ignores
 * streaming. The bytes decide, not the content type, since proxies label both as `text/plain`.
 * @throws ModelError
 */
async function* eventsOf({ body, headers }: Response, max: number, call: WireCall): AsyncGenerator<Uint8Array> {
  const type = headers.get('content-type') ?? 'nothing';
  const isDeclared = type.includes('text/event-stream');
  const bytes = new TextEncoder();
  const event = (data: readonly string[]) => bytes.encode(`${data.map((line) => `data: ${line}\n`).join('')}\n`);
  let form: 'json' | 'events' | undefined;
  let data: string[] = [];
  let size = 0;
  for await (const line of decodedLines(body ?? [], call.alive, (length) => {
    size += length;
    if (size > max) throw call.fail('cut-off', `sent ${size} bytes in one piece; at most ${max} are read`);
  })) {
    if (form === undefined && line.trim() !== '') {
      form = line.trimStart().startsWith('{') ? 'json' : isDeclared || EVENT_LINE.test(line) ? 'events' : undefined;
      if (form === undefined) break;
    }
    if (form === 'json') data.push(line);
    else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    else if (line.startsWith(':')) size = 0;
    else if (line.trim() === '' && data.length > 0) {
      if (data.join('').startsWith('[DONE]')) break;
      yield event(data);
      [data, size] = [[], 0];
    }
  }
  const rest = data.join('\n').trim();
  if (form === undefined && !(isDeclared && rest === '')) {
    call.isPaid = false;
    const what = `answered with ${type}, where a stream of events was asked for`;
    throw call.fail('bad-request', `${what}. Check that the base URL ends as the server has it, mostly in /v1`);
  }
  call.isDone = form === 'json' || rest.startsWith('[DONE]');
  // Some servers omit the empty line after the last event, so the rest is read as an event.
  if (form === 'events' && rest !== '' && !call.isDone && parsedJson(rest) === undefined)
    throw call.fail('cut-stream', 'broke off its answer within an event');
  if (rest !== '' && !rest.startsWith('[DONE]')) yield event(data);
}

/** Splits a body into lines. @param count receives the bytes of each chunk, and throws if the sum is too large */
async function* decodedLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  alive: () => void,
  count: (length: number) => void,
) {
  const decoder = new TextDecoder();
  let open: string[] = [];
  for await (const chunk of chunks) {
    alive();
    count(chunk.byteLength);
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).replaceAll('\r', ' ').split('\n');
    open.push(first);
    for (const next of rest) {
      yield open.join('');
      open = [next];
    }
  }
  yield open.join('') + decoder.decode();
}

async function bodyText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_ERROR_CHARACTERS) break;
  }
  return text;
}
