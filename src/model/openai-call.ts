/** One call to a server that speaks OpenAI's protocol. Apart from its client, which is made before this is loaded. */

import { OpenAI } from 'openai';
import { watchCall } from './call-watch.ts';
import { chatBody, readChat } from './chat.ts';
import { createIntake, PieceTooLarge } from './intake.ts';
import { ModelError } from './model-error.ts';
import { costOf, priceOf, reckonUsage } from './prices.ts';
import { readResponses, responsesBody } from './responses.ts';
import { createSecret } from './secret.ts';
import { toModelError, type Place } from './server-failure.ts';
import { IDLE_MS, REPLY_BYTES, TOTAL_MS, type OpenAISettings } from './settings.ts';
import { startWriting, type Writing, type WritingBounds } from './writing.ts';
import { judge, type Written } from './written.ts';
import type { CallOptions, Finish, ModelReply, ModelRequest, ModelUsage } from './model-client.ts';

const OPENAI_URL = 'https://api.openai.com/v1';

/** The key for a server without one; it is never sent. */
const NO_KEY = 'none';

/** @returns how calls are made with these settings */
export function openAICalls(settings: OpenAISettings) {
  const { name, baseURL = OPENAI_URL, apiKey, api, prices, timeout = {}, replyBytes = REPLY_BYTES } = settings;
  const { totalMs = TOTAL_MS, idleMs = IDLE_MS } = timeout;
  const secret = createSecret(apiKey);
  const at: Place = { place: `${name} at ${baseURL}`, secret };
  const target = { ...settings, isOpenAI: new URL(baseURL).host === new URL(OPENAI_URL).host };
  const intake = createIntake(replyBytes);
  const server = new OpenAI({
    baseURL,
    fetch: intake.fetch,
    apiKey: apiKey ?? NO_KEY,
    // Said here, since the package would take them from the environment. It adds OPENAI_CUSTOM_HEADERS to all requests.
    ...{ adminAPIKey: null, organization: null, project: null, webhookSecret: null },
    defaultHeaders: { Authorization: apiKey === undefined ? null : `Bearer ${apiKey}` },
    // Retries are the business of the caller: they would multiply with these.
    maxRetries: 0,
    // Longer than the watch: it says better what took too long.
    timeout: Math.min(2 * totalMs, totalMs + 60_000),
    // It logs the texts of answers.
    logLevel: 'off',
    // A redirect would carry the prompt to wherever it says.
    fetchOptions: { redirect: 'manual' },
  });

  async function converse(request: ModelRequest, writing: Writing, signal: AbortSignal): Promise<void> {
    const options = { signal };
    if (api === 'chat') {
      const call = server.chat.completions.create(chatBody(request, target), options);
      return readChat(intake.piecesOf(streamOf(await call.withResponse(), at)), writing);
    }
    const call = server.responses.create(responsesBody(request, target), options);
    return readResponses(intake.piecesOf(streamOf(await call.withResponse(), at)), writing, at);
  }

  return async (request: ModelRequest, { signal, onText, onBeat }: CallOptions): Promise<ModelReply> => {
    const place = secret.hideIn(at.place);
    const watch = watchCall({ totalMs, idleMs }, place, signal);
    const pieces = secret.hideInPieces((piece) => onText?.(piece));
    const callers = callersOwn();
    const ears = {
      beat() {
        watch.beat();
        callers.call(() => onBeat?.());
      },
      text: (delta: string) => callers.call(() => pieces.add(delta)),
    };
    const refuse: WritingBounds['refuse'] = (kind, what) => {
      const { text, usage } = wholeOf(request, { ...writing.written(), finish: 'stop' });
      return new ModelError(kind, `${place} ${secret.hideIn(what)}`, { usage, text });
    };
    const writing = startWriting(ears, { most: replyBytes, refuse });
    try {
      await converse(request, writing, watch.signal);
      callers.call(() => pieces.end());
    } catch (thrown) {
      if (callers.threw(thrown)) throw thrown;
      if (thrown instanceof PieceTooLarge) throw refuse('cut-off', thrown.message);
      throw watch.reason() ?? toModelError(thrown, at);
    } finally {
      watch.stop();
    }
    const written = writing.written();
    const { finish } = written;
    if (finish === undefined) throw watch.reason() ?? new ModelError('cut-stream', ended(place));
    return judge(wholeOf(request, { ...written, finish }), request, name);
  };

  function wholeOf(request: ModelRequest, written: Written & { finish: Finish }): Omit<ModelReply, 'value'> {
    const { text, refusal, finish, toolCalls, tokens, model } = written;
    const known: ModelUsage = tokens
      ? { ...tokens, calls: 1 }
      : reckonUsage(request, [text, refusal, ...toolCalls.map((call) => call.arguments)].join(''));
    const cost = costOf(known, priceOf(prices, name, model));
    const hide = secret.hideExactIn;
    return {
      text: hide(finish === 'refusal' && text === '' ? refusal : text),
      toolCalls: toolCalls.map((call) => ({
        id: hide(call.id),
        name: hide(call.name),
        arguments: hide(call.arguments),
      })),
      finish,
      usage: { ...known, ...(cost !== undefined && { cost }) },
      model: hide(model || name),
    };
  }
}

/** Tells what a callback of the caller has thrown from what the server did. */
function callersOwn() {
  const thrown: unknown[] = [];
  return {
    call(callback: () => void): void {
      try {
        callback();
      } catch (error) {
        thrown.push(error);
        throw error;
      }
    },
    threw: (error: unknown) => thrown.includes(error),
  };
}

/** A web page is an answer too, as any address gives one. */
function streamOf<Answer extends { response: Response }>(answer: Answer, { place, secret }: Place): Answer {
  const { response } = answer;
  const type = response.headers.get('content-type') ?? 'nothing';
  if (type.includes('text/event-stream')) return answer;
  void response.body?.cancel().catch(() => undefined);
  const message = `${place} answered with ${type}, where a stream of events was asked for. Check that the base URL ends as the server has it, mostly in /v1`;
  throw new ModelError('bad-request', secret.hideIn(message));
}

function ended(place: string): string {
  return `${place} ended its answer without saying that it is whole`;
}
