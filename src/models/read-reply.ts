/**
 * Assembles a reply from the pieces of an answer. Servers omit much of what OpenAI's types promise, or use other forms,
 * which are read too. Anything else is an error.
 */

import { isDeeperThan, isRecord } from '../protocol/index.ts';
import { describeValue, quote } from '../plan/text/index.ts';
import { MODEL_LIMITS, type JsonValue } from '../plan/index.ts';
import { MAX_CALLS, MAX_TOKENS } from './judge.ts';
import { chatThoughts } from './request.ts';
import { serverError, serverWordsOf, type Failing } from './server-failure.ts';
import type { Finish, ModelUsage, ToolCall } from './model-client.ts';

/** In the server's currency. */
const MAX_COST = 10_000;

/** The words that servers send for each reason to stop, in any case. Some send `stop` with tool calls. */
const FINISHES: Readonly<Record<Finish, readonly string[]>> = {
  stop: ['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence', 'complete', 'end', 'finish', 'done'],
  length: ['length', 'max_tokens', 'max_output_tokens', 'model_length', 'token_limit'],
  'tool-calls': ['tool_calls', 'tool_call', 'function_call', 'tool_use'],
  'content-filter': ['content_filter', 'safety', 'recitation', 'blocklist', 'prohibited_content', 'sensitive'],
  refusal: ['refusal'],
};
const GIVEN_UP = ['error', 'abort', 'aborted', 'cancelled', 'insufficient_system_resource', 'network_error'];
const BESIDE = ['thinking', 'reasoning', 'refusal'];

type Tokens = Pick<ModelUsage, 'inputTokens' | 'cachedInputTokens' | 'outputTokens' | 'cost'>;
type Members = Readonly<Record<string, unknown>>;

export interface WrittenReply {
  readonly text: string;
  /** The reason of a refusal, or '' if the model does not refuse. */
  readonly refusal: string;
  readonly toolCalls: readonly ToolCall[];
  /** The reason to stop; undefined if the answer has not ended, and null if the server has failed. */
  readonly finish: Finish | null | undefined;
  readonly tokens: Tokens | undefined;
  readonly reasoning: readonly JsonValue[];
  /** The name of the model, or '' if the server does not report one. */
  readonly model: string;
}

/** A call that may be incomplete. `extra` is reasoning that some servers attach to calls. */
type OpenCall = { -readonly [Member in keyof ToolCall]: string } & { readonly place: number; extra?: unknown };

/**
 * @param max the maximum bytes of everything that is stored
 * @param onOdd receives deviations from the protocol that were accepted
 * @returns a reader that throws a ModelError if a piece is invalid or the reply is too large
 */
export function openReading(max: number, fail: Failing, onText: (text: string) => void, onOdd: typeof onText) {
  const calls: OpenCall[] = [];
  const open = new Map<number | string, OpenCall>();
  const reasoning: JsonValue[] = [];
  const thoughts = chatThoughts();
  let [text, refusal, model, bytes] = ['', '', '', 0];
  let finish: WrittenReply['finish'];
  let tokens: WrittenReply['tokens'];

  const no = (what: string) => fail('malformed-reply', `sent what is no part of a reply: ${what}`);
  const textMember = (value: unknown, what: string): string => {
    if (typeof value !== 'string' && value != null) throw no(`${what} is ${describeValue(value)}; expected a text`);
    return value ?? '';
  };
  const listMember = (value: unknown, what: string): readonly unknown[] => {
    if (value == null) return [];
    if (Array.isArray(value) && value.length <= MAX_CALLS) return value as unknown[];
    throw no(`${what} is ${describeValue(value)}; expected a list of at most ${MAX_CALLS}`);
  };
  const membersOf = (value: unknown, what: string): Members => {
    if (!isRecord(value) && value != null) throw no(`${what} is ${describeValue(value)}; expected an object`);
    return value ?? {};
  };
  const argumentsOf = (value: unknown): string => {
    if (!isRecord(value)) return textMember(value, 'arguments');
    const levels = MODEL_LIMITS.valueDepth;
    if (isDeeperThan(levels, value)) throw no(`arguments have more than ${levels} levels`);
    return JSON.stringify(value);
  };

  const countBytes = (more: string): string => {
    bytes += Buffer.byteLength(more);
    if (bytes > max) throw fail('cut-off', `was cut off at replyBytes (${max}), before its reply was whole`);
    return more;
  };
  const addText = (more: string): void => {
    text += countBytes(more);
    if (more !== '') onText(more);
  };
  const readContent = (content: unknown): void => {
    for (const part of typeof content === 'string' ? [{ text: content }] : listMember(content, 'content')) {
      const members: Members = typeof part === 'string' ? { text: part } : membersOf(part, 'a part of content');
      const { type, text: own, refusal: why } = members;
      if (typeof own === 'string') addText(own);
      else if (!BESIDE.includes(type as string)) throw no(`content has a part of type ${String(type)}`);
      refusal += countBytes(textMember(why, 'refusal'));
    }
  };
  /**
   * Adds a piece to its call. Servers number calls, but some omit the number, and Gemini writes 0 for each. A name then
   * begins a new call if the id differs or the previous call has its arguments.
   * @param key the number of the call, or its index in the list of pieces
   */
  function call(key: number | string, written: unknown, { name: said, arguments: all }: Members): OpenCall {
    const [id, name] = [textMember(written, 'the id of a call'), textMember(said, 'the name of a call')];
    // A piece without an id and a name belongs to the previous call, since gateways may number arguments separately.
    const before = open.get(key) ?? (id === '' && name === '' ? calls.at(-1) : undefined);
    const isOther = before?.id && id ? before.id !== id : before?.arguments && before.name !== name;
    let one = before;
    if (one === undefined || (isOther && name)) {
      const free = Math.max(-1, ...calls.map(({ place }) => place)) + 1;
      one = { place: before === undefined && typeof key === 'number' ? key : free, id: '', name: '', arguments: '' };
      if (one.place >= MAX_CALLS) throw no(`more than ${MAX_CALLS} calls`);
      calls.push(one);
    }
    open.set(key, one);
    one.id ||= countBytes(id);
    if (one.name !== name) one.name += countBytes(name);
    one.arguments += countBytes(argumentsOf(all));
    return one;
  }

  function chat(event: unknown): void {
    const { choices, usage, x_groq: groq, ...piece } = membersOf(event ?? '', 'a piece');
    if (choices == null && (piece['message'] ?? piece['detail']) != null) throw serverError(serverWordsOf(piece), fail);
    model ||= textMember(piece['model'], 'model');
    tokens = tokensOf(usage ?? (isRecord(groq) ? groq['usage'] : undefined)) ?? tokens;
    for (const [at, choice] of listMember(choices, 'choices').entries()) {
      const { index, delta, message, finish_reason: word } = membersOf(choice, 'a choice');
      if (Number(index ?? at) > 0) throw no('more than one answer to one question');
      // If an answer is not streamed, it has a `message` instead of a `delta`.
      const members = membersOf(delta ?? message, 'a message');
      thoughts.said(members);
      readContent(members['content']);
      refusal += countBytes(textMember(members['refusal'], 'refusal'));
      for (const [nth, one] of listMember(members['tool_calls'], 'tool_calls').entries()) {
        const { index: number, id, function: called, extra_content: extra } = membersOf(one, 'a call');
        const isNumber = Number.isInteger(number) && (number as number) >= 0 && (number as number) < MAX_CALLS;
        if (number != null && !isNumber) throw no(`the index of a call is ${describeValue(number)}`);
        const key = number == null ? `at ${nth}` : (number as number);
        const written = call(key, id, membersOf(called, 'a function'));
        if (thoughts.fits(extra)) written.extra = extra;
      }
      if (word) finish = finishOf(textMember(word, 'finish_reason'));
    }
  }

  /** Translates a server's word for the reason to stop. An unknown word counts as `stop`, with a note. */
  function finishOf(word: string): Finish | null {
    const known = word.toLowerCase();
    if (GIVEN_UP.includes(known)) return null;
    const found = (Object.keys(FINISHES) as Finish[]).find((one) => FINISHES[one].includes(known));
    if (found === undefined) onOdd(`ends a reply with ${quote(word)}; that is read as "stop"`);
    return found ?? 'stop';
  }

  /** Reads an event. Calls and reasoning come as items, text in pieces or, if there were none, in the last event. */
  function responses(event: unknown): void {
    const piece = membersOf(event ?? '', 'an event');
    const isWhole = piece['object'] === 'response';
    const type = isWhole ? 'response.completed' : textMember(piece['type'] ?? 0, 'the type of an event');
    if (type === 'error') throw serverError(serverWordsOf(piece), fail);
    if (type === 'response.output_text.delta') addText(textMember(piece['delta'], 'delta'));
    if (type === 'response.refusal.delta') refusal += countBytes(textMember(piece['delta'], 'delta'));
    if (type === 'response.output_item.done') item(piece['item'], false);
    if (!/^response\.(?:completed|incomplete|failed)$/.test(type)) return;
    const end = membersOf(isWhole ? piece : piece['response'], 'a response');
    if (end['status'] === 'failed' || type === 'response.failed') throw serverError(serverWordsOf(end['error']), fail);
    const isNew = text + refusal === '' && calls.length === 0;
    for (const one of isNew ? listMember(end['output'], 'output') : []) item(one, true);
    model = textMember(end['model'], 'model');
    tokens = tokensOf(end['usage']);
    const { reason } = membersOf(end['incomplete_details'], 'incomplete_details');
    finish = end['status'] !== 'incomplete' ? 'stop' : reason === 'content_filter' ? 'content-filter' : 'length';
  }

  function item(value: unknown, isText: boolean): void {
    const all = membersOf(value ?? '', 'an item');
    const type = textMember(all['type'] ?? 0, 'the type of an item');
    if (type === 'function_call') call(calls.length, all['call_id'], all);
    if (type === 'message' && isText) readContent(all['content']);
    if (type !== 'reasoning') return;
    if (reasoning.length >= MAX_CALLS) throw no(`more than ${MAX_CALLS} thoughts`);
    countBytes(JSON.stringify(all));
    reasoning.push(all as JsonValue);
  }

  return {
    chat,
    responses,
    /** The reply so far. @param isDone whether the server has marked the end of its answer */
    written(isDone = false): WrittenReply {
      const inOrder = calls.toSorted((a, b) => a.place - b.place);
      const toolCalls = inOrder.map(({ id, name, arguments: all }, at) => {
        return { id: id || `call_${at + 1}`, name, arguments: all };
      });
      const isSaid = text + refusal !== '' || toolCalls.length > 0;
      const ended = finish ?? (finish === undefined && isDone && (isSaid || thoughts.text() !== '') ? 'stop' : finish);
      const so = { text, refusal, toolCalls, tokens, reasoning, model, finish: ended };
      if (!isSaid && ended === 'stop' && thoughts.text() !== '') {
        onOdd('writes its answer where its thoughts belong; it is read as the answer');
        return { ...so, text: thoughts.text() };
      }
      const isCalled = ended === 'stop' && toolCalls.length > 0;
      return {
        ...{ ...so, finish: refusal !== '' && ended ? 'refusal' : isCalled ? 'tool-calls' : ended },
        reasoning: [...reasoning, ...thoughts.items(inOrder.map(({ extra }) => extra))],
      };
    },
  };
}

/**
 * Reads token counts by the names of OpenAI, Anthropic and DeepSeek; `cost` is OpenRouter's name. Undefined if no
 * number is usable: if all are 0, the server has not counted.
 */
function tokensOf(counts: unknown): Tokens | undefined {
  const usage = isRecord(counts) ? counts : {};
  const count = (...names: readonly string[]): number | undefined => {
    const all = ['prompt_tokens_details', 'input_tokens_details', 'completion_tokens_details', 'output_tokens_details'];
    const within: Members = Object.assign({}, ...all.map((one) => usage[one]), usage);
    const value = names.map((name) => within[name]).find((one) => one != null);
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
  };
  const isChat = usage['prompt_tokens'] != null;
  const [read, wrote] = [count('prompt_tokens', 'input_tokens'), count('completion_tokens', 'output_tokens')];
  if (read === undefined || wrote === undefined || read + wrote === 0 || Math.max(read, wrote) > MAX_TOKENS)
    return undefined;
  const reread = count('cache_read_input_tokens') ?? 0;
  const input = read + (isChat ? 0 : reread + (count('cache_creation_input_tokens') ?? 0));
  // Reasoning tokens belong to the reply. Gemini counts them only in the total, and xAI separately.
  const thought = count('reasoning_tokens') ?? 0;
  const beside = isChat ? Math.max((count('total_tokens') ?? 0) - read - wrote, 0) : 0;
  const { cost } = usage;
  return {
    inputTokens: Math.min(input, MAX_TOKENS),
    cachedInputTokens: Math.min(count('cached_tokens', 'prompt_cache_hit_tokens') ?? reread, input, MAX_TOKENS),
    outputTokens: Math.min(wrote + (thought > wrote ? thought : beside), MAX_TOKENS),
    ...(typeof cost === 'number' && cost >= 0 && cost <= MAX_COST && { cost }),
  };
}
