import pLimit from 'p-limit';
import { given } from '../protocol/index.ts';
import type { JsonValue } from '../plan/index.ts';
import { judgeReply } from './judge.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';
import { lessonFrom, lessonLines, type RequestBody, type Lesson, type Personality } from './personality.ts';
import { costOf, priceOf, estimateUsage } from './prices.ts';
import { openReading, type WrittenReply } from './read-reply.ts';
import { bodyOf, checkRequest } from './request.ts';
import { createSecret } from './secret.ts';
import { failingAt, networkError, serverError, serverWordsOf, type Failing } from './server-failure.ts';
import {
  checkSettings,
  IDLE_MS,
  MAX_TOTAL_MS,
  REPLY_BYTES,
  SECRET_NAME,
  TOTAL_MS,
  type OpenAISettings,
  type WireValue,
} from './settings.ts';
import { wireOf, type WireCall } from './wire.ts';
import type { CallOptions, ModelClient, ModelReply, ModelRequest } from './model-client.ts';

/** The limit on different notes about the protocol of one server. Otherwise each reply could add one. */
const MAX_ODD = 20;
/**
 * Further calls would only wait at the server, each with an open connection.
 * @bound calls at once, by default
 * @beyond the next one waits
 */
const CALLS_AT_ONCE = 8;
const OPENAI_URL = 'https://api.openai.com/v1';

/**
 * Creates a client for one model of one server with OpenAI's protocol. Replies are streamed. Calls are never retried,
 * and no error and no reply contains the key.
 * @throws TypeError if a setting is invalid
 * @example
 * const model = openAIClient({ baseURL: 'http://127.0.0.1:8080/v1', name: 'local', api: 'chat', format: 'json_schema' });
 * const { text } = await model.complete({ messages: [{ role: 'user', content: 'Say yes.' }] });
 */
export function openAIClient(settings: OpenAISettings): ModelClient {
  checkSettings(settings);
  const { name, api, prices, baseURL = OPENAI_URL, replyBytes = REPLY_BYTES } = settings;
  const inLine = callQueue();
  const { totalMs = TOTAL_MS, idleMs = IDLE_MS } = settings.timeout ?? {};
  const secret = createSecret(...secretsOf(settings));
  const place = secret.hideIn(`${name} at ${baseURL}`);
  const failAt = failingAt(place, secret.hideIn);
  const headers = headersOf(settings);
  const warned = new Set<string>();
  const usual = settings.baseURL === undefined ? 'max_completion_tokens' : 'max_tokens';
  const { format, omit = [], tokensName = usual } = settings;
  let known: Personality = { format, omit, tokensName };
  /** True once a reply contained reasoning. Later requests then ask for reasoning in a form that can be sent back. */
  let thinks = false;

  /** Sends a request again without the members that the server rejects. Each change is made at most once. */
  async function* piecesOf(request: ModelRequest, call: WireCall, signal: AbortSignal, note: (text: string) => void) {
    const client = await clientOf({ ...settings, baseURL }, totalMs, wireOf(headers, replyBytes, call));
    const lessons: Lesson[] = [];
    for (let trial = known; ;) {
      const bodyFor = (personality: Personality): RequestBody => bodyOf(request, settings, personality, thinks);
      try {
        const body = bodyFor(trial) as never;
        // The package `openai` never removes its listener from a signal, so each request gets its own signal.
        const own = { signal: AbortSignal.any([signal]) };
        const sent = api === 'chat' ? client.chat.completions.create(body, own) : client.responses.create(body, own);
        const stream = (await sent) as unknown as AsyncIterable<unknown>;
        keepLessons(lessons, note);
        yield* stream;
        return;
      } catch (thrown) {
        const lesson = call.refusal && lessonFrom(trial, bodyFor, call.refusal);
        if (lesson === undefined) throw thrown;
        call.failure = call.refusal = undefined;
        lessons.push(lesson);
        trial = lesson.teach(trial);
      }
    }
  }

  /** Remembers and reports what the server accepted. Another call may have learned the same in the meantime. */
  function keepLessons(lessons: readonly Lesson[], note: (text: string) => void): void {
    const before = known;
    known = lessons.reduce((personality, { teach }) => teach(personality), known);
    const lines = lessonLines(before, known);
    if (lines.length === 0) return;
    const members = lessons.map(({ member }) => member).join(', ');
    note(
      `${place} does not take ${members}, and is asked otherwise from now on. ` +
        `To begin so, add to the model in the config: ${lines.join(', ')}`,
    );
  }

  async function ask(request: ModelRequest, options: CallOptions): Promise<ModelReply> {
    const { signal, onText, onBeat, onNote = (note: string) => process.emitWarning(note, 'PlanwrightModel') } = options;
    /** Aborted with the first error that ends the call. That error is then thrown. */
    const stop = new AbortController();
    const end = (kind: ModelErrorKind, what: string) => () => stop.abort(() => fail(kind, what));
    const timers = [
      setTimeout(end('timeout', `has not finished within ${totalMs} ms`), totalMs),
      setTimeout(end('timeout', `has said nothing for ${idleMs} ms`), idleMs),
    ];
    const cancel = end('cancelled', 'was not wanted any more: the call was stopped');
    signal?.addEventListener('abort', cancel, { once: true });
    const callers = (callback: () => void): void => {
      try {
        callback();
      } catch (thrown) {
        stop.abort(() => thrown);
        throw thrown;
      }
    };
    const note = (text: string) => callers(() => onNote(secret.hideIn(text)));
    const pieces = secret.hideInPieces((piece) => onText?.(piece));
    /** A call whose reply was lost, incomplete or invalid has still cost money, so the error reports its usage. */
    const fail: Failing = (kind, what, facts) => {
      const { text, usage } = wholeOf(request, reading.written());
      const isReply = kind === 'malformed-reply' || kind === 'cut-off';
      return failAt(kind, what, { ...facts, ...(call.isPaid && { usage }), ...(isReply && { text }) });
    };
    const call: WireCall = {
      ...{ fail, isPaid: false, isDone: false },
      alive: () => (timers[1]?.refresh(), callers(() => onBeat?.())),
    };
    const sendText = (text: string) => callers(() => pieces.add(text));
    const reading = openReading(replyBytes, fail, sendText, (what) => {
      if (warned.has(what) || warned.size >= MAX_ODD) return;
      warned.add(what);
      note(`${place} ${what}`);
    });
    try {
      for await (const piece of piecesOf(request, call, stop.signal, note)) reading[api](piece);
      stop.signal.throwIfAborted();
      const written = reading.written(call.isDone);
      if (!written.finish) throw fail('cut-stream', 'ended its answer without saying that it is whole');
      if (written.toolCalls.some((one) => one.name.trim() === ''))
        throw fail('malformed-reply', 'sent what is no part of a reply: a call that names no tool');
      thinks ||= written.reasoning.length > 0;
      if (reading.written().text === '') sendText(written.text);
      callers(() => pieces.end());
      return judgeReply(wholeOf(request, written), request, name);
    } catch (thrown) {
      if (stop.signal.aborted) throw (stop.signal.reason as () => unknown)();
      if (call.failure !== undefined || thrown instanceof ModelError) throw call.failure ?? thrown;
      if (thrown instanceof SyntaxError) throw fail('malformed-reply', `sent what is no JSON: ${thrown.message}`);
      // If a piece of the stream is an error, the package `openai` throws an object that contains the error.
      const { error } = thrown as { readonly error?: unknown };
      throw error ? serverError(serverWordsOf(error), fail) : networkError(thrown, true, fail);
    } finally {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      stop.abort();
    }
  }

  function wholeOf(request: ModelRequest, written: WrittenReply): Omit<ModelReply, 'value'> {
    const { text, refusal, finish, toolCalls, tokens, model, reasoning } = written;
    const { cost: charged, ...used } = tokens
      ? { ...tokens, calls: 1 }
      : estimateUsage(request, [text, refusal, ...toolCalls.map((one) => one.arguments)].join(''));
    // A price in the config counts before the cost that the server reports, which may be in another currency.
    const cost = costOf(used, priceOf(prices, name, model)) ?? charged;
    const hide = (piece: string) => secret.hideExactIn(piece).toWellFormed();
    return given({
      text: hide(finish === 'refusal' && text === '' ? refusal : text),
      toolCalls: toolCalls.map((one) => ({ id: hide(one.id), name: hide(one.name), arguments: hide(one.arguments) })),
      finish: finish ?? 'stop',
      usage: given({ ...used, cost }),
      model: hide(model || name),
      reasoning: reasoning.length > 0 ? (JSON.parse(hide(JSON.stringify(reasoning))) as JsonValue[]) : undefined,
    });
  }

  return {
    name,
    async complete(request, options = {}) {
      checkRequest(request);
      return inLine(() => ask(request, options), options.signal);
    },
  };
}

/** Limits the calls that run at the same time. Waiting has no time limit, since every earlier call has one. */
export function callQueue(atOnce = CALLS_AT_ONCE) {
  const limit = pLimit(atOnce);
  return <Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> =>
    new Promise((resolve, reject) => {
      const cancel = () => reject(new ModelError('cancelled', 'The call was stopped before its turn came.'));
      if (signal?.aborted) return cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      const startWork = () => {
        signal?.removeEventListener('abort', cancel);
        signal?.throwIfAborted();
        return work();
      };
      limit(startWork).then(resolve, reject);
    });
}

/**
 * Creates the client of the package `openai`. Every option that it would read from the environment is set here.
 * `OPENAI_CUSTOM_HEADERS` has no option and may throw, so the variable is removed while this synchronous code runs.
 */
async function clientOf({ baseURL = '', query = {} }: OpenAISettings, totalMs: number, wire: typeof fetch) {
  const { OpenAI } = await import('openai');
  const custom = process.env['OPENAI_CUSTOM_HEADERS'];
  delete process.env['OPENAI_CUSTOM_HEADERS'];
  try {
    return new OpenAI({
      ...{ baseURL: baseURL.replace(/\/+$/, ''), timeout: Math.min(totalMs + 60_000, MAX_TOTAL_MS) },
      ...{ apiKey: 'sent by the wire', adminAPIKey: null, organization: null, project: null, webhookSecret: null },
      ...{ maxRetries: 0, logLevel: 'off', fetch: wire },
      defaultQuery: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, wireText(value)])),
    });
  } finally {
    if (custom !== undefined) process.env['OPENAI_CUSTOM_HEADERS'] = custom;
  }
}

function wireText(value: WireValue): string {
  return typeof value === 'string' ? value : value.secret;
}

function headersOf({ apiKey, headers = {} }: OpenAISettings): Headers {
  const all = new Headers({ 'content-type': 'application/json', accept: 'text/event-stream, application/json' });
  if (apiKey !== undefined) all.set('authorization', `Bearer ${apiKey}`);
  for (const [name, value] of Object.entries(headers)) all.set(name, wireText(value));
  return all;
}

function secretsOf({ apiKey, headers = {}, query = {} }: OpenAISettings): readonly (string | undefined)[] {
  const named = [...Object.entries(headers), ...Object.entries(query)];
  const secrets = named.filter(([name, value]) => typeof value !== 'string' || SECRET_NAME.test(name));
  // The word after `Bearer` is also removed from texts by itself, because a server may print only this word.
  return [apiKey, ...secrets.flatMap(([, value]) => [wireText(value), wireText(value).split(' ').at(-1)])];
}
