/** A client for a model whose replies are streamed: its queue, time limits, usage, errors, and secrets in texts. */

import pLimit from 'p-limit';
import { given } from '../protocol/index.ts';
import type { JsonValue } from '../plan/index.ts';
import { judgeReply } from './judge.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';
import { IDLE_MS, REPLY_BYTES, TOTAL_MS, type OpenAISettings, costOf, priceOf, estimateUsage } from './settings.ts';
import { openReading, type WrittenReply } from './read-reply.ts';
import { checkRequest } from './request.ts';
import type { Secret } from './secret.ts';
import { failingAt, networkError, serverError, serverWordsOf, type Failing } from './server-failure.ts';
import type { WireCall } from './wire.ts';
import type { CallOptions, ModelClient, ModelReply, ModelRequest } from './model-client.ts';

/** Maximum number of different notes about one server's protocol. Without a limit, each reply could add one. */
const MAX_ODD = 20;
/**
 * Maximum number of calls at the same time. Further calls would only wait at the server, with open connections.
 * @bound calls at once, by default @beyond the next one waits
 */
const CALLS_AT_ONCE = 8;

/** Reports to operators. `noteOnce` reports each sentence once, with the model's name. */
export interface Notes {
  note(text: string): void;
  noteOnce(what: string): void;
}

interface Streaming extends Pick<OpenAISettings, 'name' | 'prices' | 'timeout' | 'replyBytes'> {
  readonly place: string;
  readonly secret: Secret;
  /** The protocol of the pieces. */
  readonly form: OpenAISettings['api'];
  pieces(request: ModelRequest, call: WireCall, signal: AbortSignal, notes: Notes): AsyncIterable<unknown>;
  onReply?(written: WrittenReply): void;
}

export function streamingClient(streaming: Streaming): ModelClient {
  const { name, prices, replyBytes = REPLY_BYTES, place, secret, form, pieces, onReply } = streaming;
  const { totalMs = TOTAL_MS, idleMs = IDLE_MS } = streaming.timeout ?? {};
  const inLine = callQueue();
  const failAt = failingAt(place, secret.hideIn);
  const warned = new Set<string>();

  async function ask(request: ModelRequest, options: CallOptions): Promise<ModelReply> {
    const { signal, onText, onBeat, onNote = (note: string) => process.emitWarning(note, 'PlanwrightModel') } = options;
    /** Ends the call. The call then throws an error made from the reason. */
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
    const texts = secret.hideInPieces((piece) => onText?.(piece));
    const fail: Failing = (kind, what, facts) => {
      const { text, usage } = wholeOf(request, reading.written());
      const isReply = kind === 'malformed-reply' || kind === 'cut-off';
      return failAt(kind, what, { ...facts, ...(call.isPaid && { usage }), ...(isReply && { text }) });
    };
    const call: WireCall = {
      ...{ fail, isPaid: false, isDone: false },
      alive: () => (timers[1]?.refresh(), callers(() => onBeat?.())),
    };
    const sendText = (text: string) => callers(() => texts.add(text));
    const noteOnce = (what: string) => {
      if (warned.has(what) || warned.size >= MAX_ODD) return;
      warned.add(what);
      note(`${place} ${what}`);
    };
    const reading = openReading(replyBytes, fail, sendText, noteOnce);
    try {
      for await (const piece of pieces(request, call, stop.signal, { note, noteOnce })) reading[form](piece);
      stop.signal.throwIfAborted();
      const written = reading.written(call.isDone);
      if (!written.finish) throw fail('cut-stream', 'ended its answer without saying that it is whole');
      if (written.toolCalls.some((one) => one.name.trim() === ''))
        throw fail('malformed-reply', 'sent what is no part of a reply: a call that names no tool');
      onReply?.(written);
      if (reading.written().text === '') sendText(written.text);
      callers(() => texts.end());
      return judgeReply(wholeOf(request, written), request, name);
    } catch (thrown) {
      if (stop.signal.aborted) throw (stop.signal.reason as () => unknown)();
      if (call.failure !== undefined || thrown instanceof ModelError) throw call.failure ?? thrown;
      if (thrown instanceof SyntaxError) throw fail('malformed-reply', `sent what is no JSON: ${thrown.message}`);
      // If a piece of the stream is an error, the package `openai` throws an object that contains that error.
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
    // A price in the config has precedence over the cost that the server reports, which may be in another currency.
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

/** Limits the number of concurrent calls. Waiting needs no time limit, since every earlier call has one. */
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
