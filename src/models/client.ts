import { lessonFrom, lessonLines, type RequestBody, type Lesson, type Personality } from './personality.ts';
import { bodyOf } from './request.ts';
import { createSecret } from './secret.ts';
import {
  checkSettings,
  MAX_TOTAL_MS,
  REPLY_BYTES,
  SECRET_NAME,
  TOTAL_MS,
  type OpenAISettings,
  type WireValue,
} from './settings.ts';
import { wireOf, type WireCall } from './wire.ts';
import { streamingClient, type Notes } from './streaming-client.ts';
import type { ModelClient, ModelRequest } from './model-client.ts';

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
  const { name, api, baseURL = OPENAI_URL, replyBytes = REPLY_BYTES } = settings;
  const { totalMs = TOTAL_MS } = settings.timeout ?? {};
  const secret = createSecret(...secretsOf(settings));
  const place = secret.hideIn(`${name} at ${baseURL}`);
  const headers = headersOf(settings);
  const usual = settings.baseURL === undefined ? 'max_completion_tokens' : 'max_tokens';
  const { format, omit = [], tokensName = usual } = settings;
  let known: Personality = { format, omit, tokensName };
  /** True after a reply with reasoning. Later requests then ask for reasoning in a form that can be sent back. */
  let thinks = false;

  /** Repeats a request without the members that the server rejects. Each change is made at most once. */
  async function* piecesOf(request: ModelRequest, call: WireCall, signal: AbortSignal, { note }: Notes) {
    const client = await clientOf({ ...settings, baseURL }, totalMs, wireOf(headers, replyBytes, call));
    const lessons: Lesson[] = [];
    for (let trial = known; ;) {
      const bodyFor = (personality: Personality): RequestBody => bodyOf(request, settings, personality, thinks);
      try {
        const body = bodyFor(trial) as never;
        // The package `openai` never removes its listener from a signal, so each request gets a new signal.
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

  /** Remembers which members the server rejects. Reports a rejected member only once. */
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

  return streamingClient({
    ...{ ...settings, place, secret, form: api, pieces: piecesOf },
    onReply: ({ reasoning }) => (thinks ||= reasoning.length > 0),
  });
}

/**
 * Creates the client of the package `openai`, and sets every option that it would read from the environment.
 * `OPENAI_CUSTOM_HEADERS` has no option and may throw, so the variable is removed meanwhile.
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
  // The word after `Bearer` is a secret too, since a server may print it without `Bearer`.
  return [apiKey, ...secrets.flatMap(([, value]) => [wireText(value), wireText(value).split(' ').at(-1)])];
}
