/**
 * A double of a model server, for what a mock of good answers cannot say: it answers with exactly the bytes that it is
 * given, in order, and never improvises. It counts and keeps what it was asked.
 */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { testHttpServer } from './http-server.ts';

export interface Answer {
  /** Default 200. */
  readonly status?: number;
  /** Default an event stream where there are events, else JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Written as the data of one event each; a text as it is. */
  readonly events?: readonly unknown[];
  readonly body?: unknown;
  /**
   * What comes after it: the end, nothing at all until the test cuts the connection, or a cut. `unanswered`: the cut comes
   * before any of it. Default the end.
   */
  readonly after?: 'end' | 'silence' | 'cut' | 'unanswered';
}

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ModelServer {
  readonly baseURL: string;
  readonly asked: readonly Asked[];
  /** Says more to whoever asked last. */
  say(events: readonly unknown[], after: 'end' | 'silence'): void;
  /** Breaks every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** @param answers in order, or the one for every request */
export async function startModelServer(answers: readonly Answer[] | ((asked: Asked) => Answer)): Promise<ModelServer> {
  const asked: Asked[] = [];
  let last: ServerResponse | undefined;
  const { url, cut, close } = await testHttpServer((request, response) => {
    last = response;
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) as Asked['body'] };
      asked.push(one);
      const answer = typeof answers === 'function' ? answers(one) : answers[asked.length - 1];
      say(response, answer ?? { status: 418, body: { error: { message: 'there is no answer for this request' } } });
    });
  });
  return {
    baseURL: `${url}/v1`,
    asked,
    say: (events, after) => void (after === 'end' ? last?.end(bytesOf(events)) : last?.write(bytesOf(events))),
    cut,
    close,
  };
}

function say(response: ServerResponse, { status = 200, headers, events, body, after = 'end' }: Answer): void {
  if (after === 'unanswered') {
    response.destroy();
    return;
  }
  const type = events === undefined ? 'application/json' : 'text/event-stream';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.flushHeaders();
  const bytes = events === undefined ? textOf(body) : bytesOf(events);
  if (after === 'end') response.end(bytes);
  else response.write(bytes, () => void (after === 'cut' && response.destroy()));
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body ?? {});
}

function bytesOf(events: readonly unknown[]): string {
  return events.map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)).join('');
}

const DONE = 'data: [DONE]\n\n';

/** The pieces of an answer of chat completions: the texts, then why it ends, then what it has used. */
export function chatEvents(
  texts: readonly string[],
  finish: string | null = 'stop',
  usage: unknown = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
): readonly unknown[] {
  const piece = (delta: object, finish_reason: string | null = null) => ({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'served' },
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    ...texts.map((content) => piece({ content })),
    ...(finish === null ? [] : [piece({}, finish)]),
    ...(usage === undefined || finish === null ? [] : [{ ...piece({}), choices: [], usage }]),
    ...(finish === null ? [] : [DONE]),
  ];
}

/** One piece of an answer of chat completions. */
export function chatDelta(delta: object, finish_reason: string | null = null): unknown {
  return { id: 'c', model: 'served', choices: [{ index: 0, delta, finish_reason }] };
}

/** The events of an answer of the Responses API. */
export function responseEvents(texts: readonly string[], end: object = {}, items: readonly object[] = []): unknown[] {
  const response = {
    ...{ id: 'r', object: 'response', model: 'served', status: 'completed', output: [] },
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15, input_tokens_details: { cached_tokens: 4 } },
    ...end,
  };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', usage: null } },
    ...texts.map((delta) => ({ type: 'response.output_text.delta', delta, item_id: 'm', output_index: 0 })),
    ...items.map((item) => ({ type: 'response.output_item.done', item, output_index: 1 })),
    { type: `response.${response.status}`, response },
  ];
}
