/** A call to a server that speaks OpenAI's protocol: what it is asked, and the reply that its answer makes. */

import { NoPieces, piecesOf, PieceTooLarge } from './answer.ts';
import { askServer, type Call } from './ask-server.ts';
import { watchCall } from './call-watch.ts';
import { chatBody, readChat } from './chat.ts';
import { ModelError, withUsage } from './model-error.ts';
import { wellFormed } from '../plan/text/index.ts';
import type { JsonValue } from '../plan/index.ts';
import { costOf, priceOf, reckonUsage } from './prices.ts';
import { readResponses, responsesBody } from './responses.ts';
import { createSecret } from './secret.ts';
import { brokenOff, serverError, type Place } from './server-failure.ts';
import { faultIn } from './server-words.ts';
import { IDLE_MS, REPLY_BYTES, TOTAL_MS, type OpenAISettings } from './settings.ts';
import { addressOf, secretsOf } from './wire-settings.ts';
import { startWriting, type Writing, type WritingBounds } from './writing.ts';
import { judge, type Written } from './written.ts';
import type { CallOptions, Finish, ModelReply, ModelRequest } from './model-client.ts';

/** The most notes about the oddities of one server: it may find a new one for each reply. */
const MAX_ODD = 20;

/** @returns how calls are made with these settings */
export function openAICalls(settings: OpenAISettings) {
  const { name, api, prices, extraBody, timeout = {}, replyBytes = REPLY_BYTES } = settings;
  const { totalMs = TOTAL_MS, idleMs = IDLE_MS } = timeout;
  const secret = createSecret(...secretsOf(settings));
  const at: Place = { place: `${name} at ${addressOf(settings).shown}`, secret };
  const place = secret.hideIn(at.place);
  const ask = askServer(settings, at);
  const told = new Set<string>();
  /** A reply had thoughts: those of the next ones are asked for in a form that can be given back. */
  let thinks = false;

  async function converse(request: ModelRequest, writing: Writing, call: Call): Promise<void> {
    const isChat = api === 'chat';
    const answer = await ask((personality) => {
      const body = isChat ? chatBody(request, personality) : responsesBody(request, personality, thinks);
      return { ...extraBody, model: name, ...body };
    }, call);
    const pieces = withoutFaults(piecesOf(answer, { replyBytes, alive: call.alive }));
    await (isChat ? readChat(pieces, writing) : readResponses(pieces, writing, at));
    thinks ||= writing.written().reasoning.length > 0;
  }

  /** @throws ModelError of an error that the server tells in the middle of its answer */
  async function* withoutFaults(pieces: AsyncIterable<unknown>): AsyncGenerator {
    for await (const piece of pieces) {
      const fault = faultIn(piece);
      if (fault !== undefined) throw serverError(fault, at);
      yield piece;
    }
  }

  return async (request: ModelRequest, options: CallOptions): Promise<ModelReply> => {
    const { signal, onText, onBeat, onNote = (note: string) => process.emitWarning(note, 'PlanwrightModel') } = options;
    const watch = watchCall({ totalMs, idleMs }, place, signal);
    const pieces = secret.hideInPieces((piece) => onText?.(piece));
    const callers = callersOwn();
    const note = (text: string) => callers.call(() => onNote(secret.hideIn(text)));
    const beat = (): void => {
      watch.beat();
      callers.call(() => onBeat?.());
    };
    const ears = {
      beat,
      text: (delta: string) => callers.call(() => pieces.add(delta)),
      odd(what: string) {
        if (told.has(what) || told.size >= MAX_ODD) return;
        told.add(what);
        note(`${place} ${what}`);
      },
    };
    const soFar = () => wholeOf(request, { ...writing.written(), finish: 'stop' });
    const refuse: WritingBounds['refuse'] = (kind, what) => {
      const { text, usage } = soFar();
      return new ModelError(kind, `${place} ${secret.hideIn(what)}`, { usage, text });
    };
    const writing = startWriting(ears, { most: replyBytes, refuse });
    const call: Call = { signal: watch.signal, alive: beat, note, isPaid: false };
    /** A call that is lost or cut was bought all the same. */
    const lost = (error: ModelError) => (call.isPaid ? withUsage(error, soFar().usage) : error);
    try {
      await converse(request, writing, call);
      callers.call(() => pieces.end());
    } catch (thrown) {
      if (callers.threw(thrown)) throw thrown;
      if (thrown instanceof PieceTooLarge) throw refuse('cut-off', thrown.message);
      if (thrown instanceof NoPieces) throw noAnswer(thrown.message);
      throw lost(watch.reason() ?? (thrown instanceof ModelError ? thrown : brokenOff(thrown, at)));
    } finally {
      watch.stop();
    }
    const written = writing.written();
    const { finish } = written;
    if (finish === undefined) throw lost(watch.reason() ?? new ModelError('cut-stream', `${place} ${UNENDED}`));
    return judge(wholeOf(request, { ...written, finish }), request, name);
  };

  function noAnswer(type: string): ModelError {
    const message = `${at.place} answered with ${type}, where a stream of events was asked for. Check that the base URL ends as the server has it, mostly in /v1`;
    return new ModelError('bad-request', secret.hideIn(message));
  }

  function wholeOf(request: ModelRequest, written: Written & { finish: Finish }): Omit<ModelReply, 'value'> {
    const { text, refusal, finish, toolCalls, tokens, model, reasoning } = written;
    const { cost: charged, ...known } = tokens
      ? { ...tokens, calls: 1 }
      : reckonUsage(request, [text, refusal, ...toolCalls.map((one) => one.arguments)].join(''));
    // The project's own price counts; a server that tells its charge may tell it in another currency.
    const cost = costOf(known, priceOf(prices, name, model)) ?? charged;
    const hide = (said: string) => wellFormed(secret.hideExactIn(said));
    return {
      text: hide(finish === 'refusal' && text === '' ? refusal : text),
      toolCalls: toolCalls.map((one) => ({ id: hide(one.id), name: hide(one.name), arguments: hide(one.arguments) })),
      finish,
      usage: { ...known, ...(cost !== undefined && { cost }) },
      model: hide(model || name),
      ...(reasoning.length > 0 && { reasoning: JSON.parse(hide(JSON.stringify(reasoning))) as JsonValue[] }),
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

const UNENDED = 'ended its answer without saying that it is whole';
