/** Makes clients of language models of the AI SDK. Types are structural, so that no package is needed. */

import { aborted, given, isRecord } from '../protocol/index.ts';
import { cutCharacters, messageOf, oneLine } from '../plan/text/index.ts';
import { parsedJson } from './judge.ts';
import type { ModelError } from './model-error.ts';
import { promptOf, toReturn } from './request.ts';
import { createSecret } from './secret.ts';
import { isUnsent, networkError, serverError, serverWordsOf, type Failing } from './server-failure.ts';
import { SECRET_NAME, type OpenAISettings } from './settings.ts';
import { streamingClient, type Notes } from './streaming-client.ts';
import type { ModelClient, ModelMessage, ModelRequest } from './model-client.ts';
import type { WireCall } from './wire.ts';

/** A language model of the AI SDK, such as `openai('gpt-5')` or `createOpenAICompatible({ ... })('llama')`. */
export interface LanguageModel {
  /** `v2` or later. */
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly supportsStructuredOutputs?: boolean;
  doStream(options: never): PromiseLike<{ readonly stream: unknown }>;
}

/** Settings that a model object of the AI SDK lacks: prices, time limits and the form of JSON replies. */
export interface LanguageModelOptions extends Pick<OpenAISettings, 'prices' | 'timeout' | 'replyBytes'> {
  /** Default: `json_object` if the model says that it lacks structured outputs, otherwise `json_schema`. */
  readonly format?: OpenAISettings['format'];
}

const MAX_WARNING = 300;
const FINISHES: Readonly<Record<string, string>> = { unknown: 'stop', other: 'stop', interrupted: 'aborted' };

export function isLanguageModel(value: unknown): value is LanguageModel {
  if (!isRecord(value)) return false;
  const { specificationVersion: version, modelId, doStream } = value;
  return /^v[2-9]$/.test(String(version)) && typeof modelId === 'string' && typeof doStream === 'function';
}

/**
 * Creates a client for a language model of the AI SDK. The config takes such an object as `model` too; this function
 * adds prices and limits. Calls have the same journal, budget and timeouts as those of `openAIClient`.
 * @throws TypeError if it is no language model
 * @example
 * const model = languageModelClient(openai('gpt-5'), { prices: { 'gpt-5': { input: 1.25, output: 10 } } });
 */
export function languageModelClient(model: LanguageModel, options: LanguageModelOptions = {}): ModelClient {
  if (!isLanguageModel(model)) throw new TypeError('expected a language model of the AI SDK, version v2 or later');
  const format = options.format ?? (model.supportsStructuredOutputs === false ? 'json_object' : 'json_schema');
  // Hides every secret of the environment in texts, since the model's provider may have taken its key from there.
  const keys = Object.entries(process.env).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
  return streamingClient({
    ...{ ...options, name: model.modelId, place: `${model.modelId} of ${model.provider}`, form: 'chat' },
    secret: createSecret(...keys),
    pieces: (request, call, signal, notes) => piecesOf(model, { request, format, call, signal, notes }),
  });
}

interface Asked {
  readonly request: ModelRequest;
  readonly format: OpenAISettings['format'];
  readonly call: WireCall;
  readonly signal: AbortSignal;
  readonly notes: Notes;
}

/**
 * Converts the parts of a reply to chunks of chat completions. Stops waiting for a model that ignores the abort signal.
 */
async function* piecesOf(model: LanguageModel, { request, format, call, signal, notes }: Asked) {
  const over = aborted(signal);
  over.catch(() => undefined);
  let parts: AsyncIterator<unknown> | undefined;
  try {
    const options = callOptions(model, request, format, signal);
    call.isPaid = true;
    const { stream } = await Promise.race([model.doStream(options as never), over]);
    parts = (stream as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    for (let calls = 0; ;) {
      const { done = false, value } = await Promise.race([parts.next(), over]);
      if (done) return;
      call.alive();
      if (!isRecord(value)) continue;
      if (value['type'] === 'error') throw value['error'];
      for (const warning of Array.isArray(value['warnings']) ? (value['warnings'] as unknown[]) : [])
        notes.noteOnce(`warns: ${cutCharacters(oneLine(JSON.stringify(warning)), MAX_WARNING)}`);
      if (value['type'] === 'tool-call') calls += 1;
      yield pieceOf(value, calls - 1);
    }
  } catch (thrown) {
    if (!signal.aborted) call.failure = failureOf(thrown, parts !== undefined, call);
    throw thrown;
  } finally {
    parts?.return?.().catch(() => undefined);
  }
}

/** Converts a part of a reply. @param nth the index of the next tool call */
function pieceOf(part: Readonly<Record<string, unknown>>, nth: number): object {
  const { type, id, delta, providerMetadata: meta, usage, finishReason } = part;
  const say = (members: object) => ({ choices: [{ delta: members }] });
  if (type === 'text-delta') return say({ content: delta });
  if (/^reasoning-(?:start|delta|end)$/.test(String(type)))
    return say({ reasoning_details: [given({ type: 'reasoning', index: id, text: delta ?? '', meta })] });
  if (type === 'tool-call') {
    const { toolCallId, toolName, input } = part;
    const one = { index: nth, id: toolCallId, function: { name: toolName, arguments: input }, extra_content: meta };
    return say({ tool_calls: [one] });
  }
  if (type === 'response-metadata') return { choices: [], model: part['modelId'] };
  if (type !== 'finish') return { choices: [] };
  const reason = String(isRecord(finishReason) ? finishReason['unified'] : finishReason);
  const counts = isRecord(usage) ? usage : {};
  const total = (count: unknown, member = 'total') => (isRecord(count) ? count[member] : count);
  const cached = counts['cachedInputTokens'] ?? total(counts['inputTokens'], 'cacheRead');
  return {
    choices: [{ delta: {}, finish_reason: FINISHES[reason] ?? reason.replaceAll('-', '_') }],
    usage: {
      ...{ prompt_tokens: total(counts['inputTokens']), completion_tokens: total(counts['outputTokens']) },
      cached_tokens: typeof cached === 'number' ? cached : 0,
    },
  };
}

/** The options of a call. @throws TypeError for a setting that this version of the AI SDK lacks */
function callOptions(model: LanguageModel, request: ModelRequest, support: Asked['format'], abortSignal: AbortSignal) {
  const { format, tools = [], maxTokens, temperature, reasoningEffort, toolChoice = 'auto' } = request;
  if (reasoningEffort !== undefined && /^v[23]$/.test(model.specificationVersion))
    throw new TypeError(
      `it has no place for reasoningEffort; set it where the model is made, or take a newer provider`,
    );
  const json = format && {
    type: 'json',
    ...(support === 'json_schema' && { name: format.name, schema: format.schema }),
  };
  const functions = tools.map(({ name, description, parameters: inputSchema }) => {
    return { type: 'function', name, description, inputSchema };
  });
  return given({
    prompt: promptMessages(promptOf(request, support)),
    ...{ maxOutputTokens: maxTokens, temperature, reasoning: reasoningEffort, abortSignal },
    responseFormat: support === 'none' ? undefined : json,
    ...(tools.length > 0 && { tools: functions, toolChoice: { type: toolChoice } }),
  });
}

function promptMessages(messages: readonly ModelMessage[]): readonly object[] {
  const names = new Map<string, string>();
  return messages.map(({ role, content, toolCalls = [], toolCallId = '', reasoning = [] }) => {
    if (role === 'system') return { role, content };
    const text = { type: 'text', text: content };
    if (role === 'user') return { role, content: [text] };
    if (role === 'tool') {
      const output = { type: 'text', value: content };
      return { role, content: [{ type: 'tool-result', toolCallId, toolName: names.get(toolCallId) ?? '', output }] };
    }
    const { message, calls } = toReturn(reasoning);
    const thoughts = (message['reasoning_details'] ?? []) as readonly { text?: string; meta?: unknown }[];
    for (const one of toolCalls) names.set(one.id, one.name);
    return {
      role,
      content: [
        ...thoughts.map((one) => given({ type: 'reasoning', text: one.text ?? '', providerOptions: one.meta })),
        ...(content === '' ? [] : [text]),
        ...toolCalls.map(({ id, name, arguments: args }, at) => {
          const input = parsedJson(args) ?? args;
          return given({ type: 'tool-call', toolCallId: id, toolName: name, input, providerOptions: calls[at] });
        }),
      ],
    };
  });
}

/**
 * Converts an error from a provider's server (with a status), from the connection, or from before the request was sent.
 */
function failureOf(thrown: unknown, isAnswering: boolean, call: { isPaid: boolean; fail: Failing }): ModelError {
  const { statusCode, responseBody, responseHeaders, isRetryable, name } = isRecord(thrown) ? thrown : {};
  const isRefused = typeof statusCode === 'number' && statusCode >= 400;
  call.isPaid &&= !isRefused && !isUnsent(thrown);
  if (isRefused) {
    const body = typeof responseBody === 'string' && responseBody !== '' ? responseBody : messageOf(thrown);
    const words = { ...serverWordsOf(parsedJson(body) ?? body), status: statusCode };
    return serverError({ ...words, headers: new Headers(responseHeaders as Record<string, string>) }, call.fail);
  }
  if (isAnswering && !(thrown instanceof Error)) return serverError(serverWordsOf(thrown), call.fail);
  if (isAnswering || statusCode !== undefined) return networkError(thrown, true, call.fail);
  if (isRetryable === true || isUnsent(thrown)) return networkError(thrown, false, call.fail);
  const kind = /^AI_Load(?:APIKey|Setting)Error$/.test(String(name)) ? 'auth' : 'bad-request';
  call.isPaid = false;
  return call.fail(kind, `cannot be asked: ${messageOf(thrown)}`);
}
