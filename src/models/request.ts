import { given, type FormatSupport, isDeeperThan, isRecord } from '../protocol/index.ts';
import { messageOf, quote, cutCharacters } from '../plan/text/index.ts';
import { ModelError } from './model-error.ts';
import { checkOf, isStrict } from './judge.ts';
import type { ModelMessage, ModelRequest } from './model-client.ts';
import type { RequestBody, Personality } from './personality.ts';
import type { OpenAISettings } from './settings.ts';
import type { JsonValue } from '../plan/index.ts';

/** The form of a reasoning effort. There is no list of efforts, since servers use different names. */
export const EFFORT = /^[a-z]{1,20}$/;
const NAME = /^[\w-]{1,64}$/;

/** Checks a request before it costs money. @throws ModelError `bad-request` that names the first invalid member */
export function checkRequest({ messages, tools = [], format }: ModelRequest): void {
  const badRequest = (problem: string) => new ModelError('bad-request', `The request cannot be sent: ${problem}.`);
  for (const [at, { role, content, toolCallId, toolCalls = [], reasoning = [] }] of messages.entries()) {
    // Rejects half of a surrogate pair, since each server would read it differently.
    if (typeof content !== 'string' || !content.isWellFormed())
      throw badRequest(`messages[${at}].content is no whole text`);
    if (role === 'tool' && !toolCallId) throw badRequest(`messages[${at}] says not which call it answers (toolCallId)`);
    if (role !== 'assistant' && toolCalls.length + reasoning.length > 0)
      throw badRequest(`messages[${at}] has toolCalls or reasoning, which are an assistant's`);
  }
  const names = [...tools.map(({ name }) => name), ...(format === undefined ? [] : [format.name])];
  const odd = names.find((name) => !NAME.test(name));
  if (odd !== undefined) throw badRequest(`the name ${quote(odd)}: expected letters, digits, "_" and "-", at most 64`);
  if (new Set(tools.map(({ name }) => name)).size < tools.length) throw badRequest('two tools have the same name');
  try {
    if (format !== undefined) checkOf(format.schema);
  } catch (error) {
    throw badRequest(`format.schema cannot be read (${messageOf(error)})`);
  }
}

/** The body of a request. @param thinks whether to ask for encrypted reasoning, which the client sends back later */
export function bodyOf(
  request: ModelRequest,
  { api, name: model, extraBody }: OpenAISettings,
  { format: support, omit, tokensName }: Personality,
  thinks: boolean,
): RequestBody {
  const { format, tools = [], maxTokens, temperature, reasoningEffort, toolChoice, parallelToolCalls } = request;
  const isChat = api === 'chat';
  const drops = (member: Personality['omit'][number]) => omit.includes(member);
  const strict = (schema: object) => (drops('strict') || (isChat && !isStrict(schema)) ? undefined : isStrict(schema));
  const messages = promptOf(request, support).map((one) => (drops('thoughts') ? { ...one, reasoning: [] } : one));
  const functions = tools.map(({ name: tool, description, parameters }) => {
    const one = given({ name: tool, description, parameters, strict: strict(parameters) });
    return isChat ? { type: 'function', function: one } : { type: 'function', ...one };
  });
  const isNamed = format !== undefined && support === 'json_schema';
  const schema =
    isNamed && given({ name: format.name, schema: format.schema, strict: strict(format.schema) || undefined });
  const type = format === undefined || support === 'none' ? undefined : support;
  const body: Record<string, unknown> = given({
    ...{ ...extraBody, model, stream: true, temperature },
    ...(tools.length > 0 && { tools: functions, tool_choice: toolChoice, parallel_tool_calls: parallelToolCalls }),
    ...(isChat
      ? {
          messages: messages.map(chatMessage),
          stream_options: { include_usage: true },
          response_format: type && (schema ? { type, json_schema: schema } : { type }),
          [tokensName]: maxTokens,
          reasoning_effort: reasoningEffort,
        }
      : {
          input: messages.flatMap(inputItems),
          // Without this, the server would store the conversation for a month. The journal has it anyway.
          store: false,
          include: thinks || reasoningEffort !== undefined ? ['reasoning.encrypted_content'] : undefined,
          text: type && { format: { type, ...schema } },
          max_output_tokens: maxTokens,
          reasoning:
            reasoningEffort !== undefined && !drops('reasoning_effort') ? { effort: reasoningEffort } : undefined,
        }),
  });
  for (const member of omit) delete body[member];
  return body;
}

export function promptOf({ messages, format }: ModelRequest, support: FormatSupport): readonly ModelMessage[] {
  if (format === undefined || support === 'json_schema') return messages;
  // In JSON mode, OpenAI's servers reject prompts without the word JSON.
  const asked =
    `Answer with one JSON value and nothing else: no prose, no code fence. It is a ${format.name} and keeps to this JSON Schema:\n` +
    JSON.stringify(format.schema);
  const [first, ...rest] = messages;
  // Some chat templates accept only one system message, which must be the first.
  if (first?.role !== 'system') return [{ role: 'system', content: asked }, ...messages];
  return [{ ...first, content: `${first.content}\n\n${asked}` }, ...rest];
}

function chatMessage({ role, content, toolCalls = [], toolCallId, reasoning = [] }: ModelMessage): object {
  if (role !== 'assistant') return given({ role, content, tool_call_id: toolCallId });
  const thoughts = toReturn(reasoning);
  const calls = toolCalls.map(({ id, name: called, arguments: text }, at) =>
    given({ id, type: 'function', function: { name: called, arguments: text }, extra_content: thoughts.calls[at] }),
  );
  return { role, content, ...thoughts.message, ...(calls.length > 0 && { tool_calls: calls }) };
}

function inputItems({ role, content, toolCalls = [], toolCallId, reasoning = [] }: ModelMessage): readonly unknown[] {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: toolCallId, output: content }];
  const calls = toolCalls.map(({ id, name: called, arguments: text }) => ({
    ...{ type: 'function_call', call_id: id, name: called, arguments: text },
  }));
  return [
    ...reasoning.filter(isSealedThought),
    ...(content === '' && calls.length > 0 ? [] : [{ role, content }]),
    ...calls,
  ];
}

/** Maximum characters of reasoning in plain text. Longer text is cut. */
const MAX_PLAIN = 64_000;
/** Maximum characters of structured reasoning. A longer value is ignored, since a part of it would be invalid. */
const MAX_FORMED = 128_000;
const LEVELS = 32;
const PLAIN = ['reasoning_content', 'reasoning'];
const TEXTS = ['text', 'summary', 'data'];

type Formed = Readonly<Record<string, unknown>>;

export function chatThoughts() {
  const texts: Record<string, string> = {};
  const details = new Map<string, Record<string, unknown>>();
  let characters = 0;
  /** Whether a value can be sent back as reasoning. Its total length is limited by `items`. */
  const fits = (value: unknown): value is Formed =>
    isRecord(value) && !isDeeperThan(LEVELS, value) && (characters += JSON.stringify(value).length) <= MAX_FORMED;
  return {
    fits,
    said(said: Formed): void {
      for (const member of PLAIN) {
        const text = said[member];
        if (typeof text === 'string' && text) texts[member] = cutCharacters((texts[member] ?? '') + text, MAX_PLAIN);
      }
      const pieces: readonly unknown[] = Array.isArray(said['reasoning_details']) ? said['reasoning_details'] : [];
      for (const [at, piece] of pieces.entries()) {
        if (!fits(piece)) continue;
        const key = JSON.stringify([piece['type'], piece['index'] ?? at]);
        const whole = details.get(key) ?? {};
        details.set(key, whole);
        for (const [name, value] of Object.entries(piece)) {
          const before = whole[name];
          const goesOn = TEXTS.includes(name) && typeof before === 'string' && typeof value === 'string';
          if (value != null) whole[name] = goesOn ? before + value : value;
        }
      }
    },
    text: () => texts['reasoning_content'] ?? texts['reasoning'] ?? '',
    /** The reasoning of a reply. @param extras the extra content of the calls, in order */
    items(extras: readonly unknown[]): readonly JsonValue[] {
      const isWhole = characters <= MAX_FORMED;
      const message = details.size === 0 ? texts : isWhole ? { reasoning_details: [...details.values()] } : {};
      const own = [...extras.entries()].filter(([, extra]) => isWhole && extra !== undefined);
      const item = { type: 'reasoning', message, calls: Object.fromEntries(own) };
      return Object.keys(message).length + own.length === 0 ? [] : [item as JsonValue];
    },
  };
}

export function toReturn(reasoning: readonly JsonValue[]): { readonly message: Formed; readonly calls: Formed } {
  const item = reasoning.find((one) => isRecord(one) && isRecord(one['message']) && isRecord(one['calls']));
  const { message = {}, calls = {} } = (item ?? {}) as { message?: Formed; calls?: Formed };
  const members = Object.entries(message).filter(([name]) => [...PLAIN, 'reasoning_details'].includes(name));
  return { message: Object.fromEntries(members), calls };
}

/** Whether an item of reasoning is encrypted. Other items only refer to data that the server would have to store. */
function isSealedThought(item: JsonValue): boolean {
  return isRecord(item) && typeof item['encrypted_content'] === 'string';
}
