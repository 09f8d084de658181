/**
 * Servers that speak OpenAI's protocol in their own ways, as their public pages and their users tell of them
 * (docs/sources.md). Each is a table: the members that it takes, those that it refuses with its own words, and the form of
 * its answers. A member that stands in neither is answered 418, so that no test passes by a server that is too kind.
 */

import type { OpenAISettings } from '../../src/models/index.ts';
import { chat, USAGE, whole, type Said } from './answer-forms.ts';
import { responseEvents, type Answer, type Asked } from './model-server.ts';

type Body = Asked['body'];

interface Refusal {
  /** The member that it is about; without `is`, whenever it is sent. */
  readonly member: string;
  readonly is?: (value: never, body: Body) => boolean;
  readonly status?: number;
  readonly says: unknown;
}

export interface ServerKind {
  readonly name: string;
  readonly settings?: Partial<OpenAISettings>;
  /** Answers with this where the address or a header is not as it must be. */
  readonly entry?: (asked: Asked) => Answer | undefined;
  /** Beside those that every server takes. */
  readonly takes: readonly string[];
  readonly refuses: readonly Refusal[];
  /** The answer that makes this text, or calls this tool. */
  readonly answer: (said: Said, body: Body) => Answer;
  /** The settings that the notes name: with them it refuses nothing. */
  readonly lasting?: Partial<OpenAISettings>;
  readonly usage?: object;
}

const EVERY = ['model', 'messages', 'stream', 'tools'];
const COMMON = ['stream_options', 'response_format', 'temperature', 'max_tokens', 'tool_choice', 'parallel_tool_calls'];

/** The answer of a server of this kind to a request: it refuses, or answers, and never improvises. */
export function answerOf(kind: ServerKind, asked: Asked): Answer {
  const entry = kind.entry?.(asked);
  if (entry !== undefined) return entry;
  const { body } = asked;
  const refusal = kind.refuses.find(({ member, is }) => member in body && (is?.(body[member] as never, body) ?? true));
  if (refusal !== undefined) return { status: refusal.status ?? 400, body: refusal.says };
  const unknown = Object.keys(body).filter((member) => ![...EVERY, ...kind.takes].includes(member));
  if (unknown.length > 0)
    return { status: 418, body: { error: { message: `the table says nothing of ${unknown.join()}` } } };
  return kind.answer({ text: '{"n":3}', call: 'tools' in body }, body);
}

const openai = (message: string, param: string | null = null, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code },
});

const THOUGHT = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VhbGVk' };
const hasSchema = (format: { type: string }) => format.type === 'json_schema';
const hasStrict = (format: { json_schema?: { strict?: boolean } }) => format.json_schema?.strict !== undefined;
const isStrictTool = (tools: readonly { function: { strict?: boolean } }[]) =>
  tools.some((tool) => tool.function.strict !== undefined);

const refuse = (member: string, says: unknown, more: Omit<Refusal, 'member' | 'says'> = {}): Refusal => ({
  ...{ member, says },
  ...more,
});
/** A refusal of FastAPI, by the place of the member. */
const extra = (...loc: readonly (string | number)[]) => ({
  detail: [{ type: 'extra_forbidden', loc: ['body', ...loc], msg: 'Extra inputs are not permitted' }],
});
const without = (...members: readonly string[]) => COMMON.filter((one) => !members.includes(one));
const NEWER = [...without('max_tokens'), 'max_completion_tokens'];
const denied = { status: 401, body: openai('Access denied') };
const AZURE = { headers: { 'api-key': { secret: 'azure-0123456789' } } };
const isAzure = ({ headers }: Asked) => headers['api-key'] === 'azure-0123456789';

type Kind = Pick<ServerKind, 'name'> & Partial<ServerKind>;
/** What nothing else is said of takes the common members, refuses none, and answers as OpenAI does. */
const KINDS: readonly Kind[] = [
  {
    name: 'OpenAI, a GPT-5',
    takes: NEWER.filter((one) => one !== 'temperature'),
    refuses: [
      refuse(
        'max_tokens',
        openai(
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          ...(['max_tokens', 'unsupported_parameter'] as const),
        ),
      ),
      refuse(
        'temperature',
        openai(
          "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
          ...(['temperature', 'unsupported_value'] as const),
        ),
      ),
    ],
    answer: chat({ usage: { ...USAGE, completion_tokens_details: { reasoning_tokens: 4 } } }),
    lasting: { tokensName: 'max_completion_tokens', omit: ['temperature'] },
  },
  {
    name: 'OpenAI, an o-series with Responses',
    settings: { api: 'responses' },
    takes: ['input', 'store', 'include', 'text', 'max_output_tokens', 'reasoning', 'tool_choice'],
    refuses: ['temperature', 'parallel_tool_calls'].map((member) => {
      const says = `Unsupported parameter: '${member}' is not supported with this model.`;
      return refuse(member, openai(says, member, 'unsupported_parameter'));
    }),
    answer: ({ text, call }) => {
      const called = { type: 'function_call', call_id: 'a', name: 'find', arguments: '{"x":1}' };
      return { events: responseEvents(call ? [] : [text], {}, [THOUGHT, ...(call ? [called] : [])]) };
    },
    lasting: { omit: ['temperature', 'parallel_tool_calls'] },
    usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5 },
  },
  {
    name: 'OpenAI, an older one',
    refuses: [
      refuse(
        'response_format',
        openai(
          "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
          'response_format',
        ),
        { is: hasSchema },
      ),
    ],
    lasting: { format: 'json_object', omit: ['strict'] },
  },
  {
    name: 'Azure, by deployment',
    settings: { ...AZURE, query: { 'api-version': '2024-06-01' } },
    entry: (asked) => {
      if (!asked.path.endsWith('/chat/completions?api-version=2024-06-01'))
        return { status: 404, body: openai('Resource not found') };
      return isAzure(asked) ? undefined : denied;
    },
    takes: without('stream_options'),
    refuses: [refuse('stream_options', openai('Unrecognized request argument supplied: stream_options'))],
    answer: chat({
      usage: null,
      before: [{ id: '', model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] }],
    }),
    lasting: { omit: ['stream_options'] },
    usage: { reckoned: true },
  },
  {
    name: 'Azure, v1',
    settings: AZURE,
    entry: (asked) => (isAzure(asked) ? undefined : denied),
    takes: NEWER,
    refuses: [refuse('max_tokens', openai('max_tokens is not supported by this model', 'max_tokens'))],
    lasting: { tokensName: 'max_completion_tokens' },
  },
  {
    name: 'Anthropic, its compatible endpoint',
    takes: without('temperature'),
    refuses: [
      refuse('temperature', {
        type: 'error',
        error: { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' },
      }),
    ],
    // It passes over the format.
    answer: ({ text, call }) => chat()({ text: `\`\`\`json\n${text}\n\`\`\``, call }),
    lasting: { omit: ['temperature'] },
  },
  {
    name: 'Gemini, its compatible endpoint',
    settings: { extraBody: { seed: 7 } },
    refuses: [
      refuse('seed', [
        {
          error: {
            ...{ code: 400, status: 'INVALID_ARGUMENT' },
            message: 'Invalid JSON payload received. Unknown name "seed": Cannot find field.',
          },
        },
      ]),
    ],
    answer: chat({
      call: [{ id: 'a', function: { name: 'find', arguments: '{"x":1}' } }],
      ...{ callFinish: 'stop', usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 35 } },
    }),
    lasting: { omit: ['seed'] },
    usage: { inputTokens: 10, outputTokens: 25 },
  },
  {
    name: 'OpenRouter',
    settings: { headers: { 'X-Title': 'Planwright' } },
    takes: without('parallel_tool_calls'),
    refuses: [
      refuse('parallel_tool_calls', {
        error: {
          ...{ message: 'Provider returned error', code: 400 },
          metadata: { raw: '{"error":{"message":"unknown field parallel_tool_calls"}}', provider_name: 'Some' },
        },
      }),
    ],
    answer: chat({
      before: [': OPENROUTER PROCESSING\n\n', ': OPENROUTER PROCESSING\n\n'],
      usage: { ...USAGE, cost: 0.0125, cost_details: { upstream_inference_cost: null } },
    }),
    lasting: { omit: ['parallel_tool_calls'] },
    usage: { inputTokens: 10, outputTokens: 5, cost: 0.0125 },
  },
  {
    name: 'vLLM',
    refuses: [
      refuse(
        'tools',
        {
          ...{ object: 'error', type: 'BadRequestError', param: null, code: 400 },
          message:
            "[{'type': 'extra_forbidden', 'loc': ('body', 'tools', 0, 'function', 'strict'), 'msg': 'Extra inputs are not permitted'}]",
        },
        { is: isStrictTool },
      ),
    ],
    lasting: { omit: ['strict'] },
  },
  {
    name: 'Ollama',
    answer: chat({
      call: [{ index: 0, id: 'a', function: { name: 'find', arguments: '{"x":1}' } }],
      callFinish: 'stop',
    }),
  },
  {
    name: 'LiteLLM',
    takes: without('parallel_tool_calls'),
    refuses: [
      refuse('parallel_tool_calls', {
        error: {
          ...{ type: 'None', param: 'None', code: '400' },
          message:
            "litellm.UnsupportedParamsError: bedrock does not support parameters: ['parallel_tool_calls'], for model=m. To drop these, set `litellm.drop_params=True`",
        },
      }),
    ],
    lasting: { omit: ['parallel_tool_calls'] },
  },
  {
    name: 'Mistral',
    takes: without('stream_options'),
    refuses: [
      refuse(
        'stream_options',
        {
          ...{ object: 'error', type: 'invalid_request_error', param: null, code: null },
          message: extra('stream_options'),
        },
        { status: 422 },
      ),
    ],
    lasting: { omit: ['stream_options'] },
  },
  {
    name: 'Groq',
    refuses: [
      refuse(
        'response_format',
        openai('This model does not support response format `json_schema`. See supported models at the documentation'),
        { is: hasSchema },
      ),
    ],
    answer: chat({ usage: null, last: { x_groq: { id: 'req_1', usage: { ...USAGE, queue_time: 0.1 } } } }),
    lasting: { format: 'json_object', omit: ['strict'] },
  },
  {
    name: 'DeepSeek',
    refuses: [
      refuse('response_format', openai('This response_format type is unavailable now', null, 'invalid_request_error'), {
        is: hasSchema,
      }),
    ],
    answer: chat({
      before: [': keep-alive\n\n'],
      usage: { ...USAGE, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 2 },
    }),
    lasting: { format: 'json_object', omit: ['strict'] },
    usage: { inputTokens: 10, cachedInputTokens: 8, outputTokens: 5 },
  },
  { name: 'llama.cpp', answer: chat({ last: { timings: { predicted_n: 5 } } }) },
  {
    name: 'LM Studio',
    settings: { format: 'json_object' },
    refuses: [
      refuse(
        'response_format',
        { error: "'response_format.type' must be 'json_schema' or 'text'" },
        { is: ({ type }: { type: string }) => type === 'json_object' },
      ),
    ],
    lasting: { format: 'none' },
  },
  {
    name: 'TGI',
    refuses: [
      refuse(
        'temperature',
        { error: 'Input validation error: `temperature` must be strictly positive', error_type: 'validation' },
        { status: 422, is: (value: number) => value === 0 },
      ),
    ],
    answer: chat({
      ...{ finish: 'eos_token', callFinish: 'eos_token', usage: null },
      call: ['{"x"', ':1}'].map((written) => ({ index: 0, id: '', function: { name: 'find', arguments: written } })),
      event: (piece) => `data:${JSON.stringify(piece)}\n\n`,
    }),
    lasting: { omit: ['temperature'] },
    usage: { reckoned: true },
  },
  {
    name: 'a proxy that passes over stream',
    answer: whole({ input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 5 }),
    usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5 },
  },
  {
    name: 'a proxy that names all text/plain',
    answer: chat({
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      ...{ finish: 'COMPLETE', event: (piece: unknown) => `event: message\r\ndata: ${JSON.stringify(piece)}\r\n\r\n` },
    }),
  },
  {
    name: 'a FastAPI one',
    takes: without('parallel_tool_calls', 'tool_choice'),
    refuses: [
      refuse('parallel_tool_calls', extra('parallel_tool_calls'), { status: 422 }),
      refuse('tool_choice', { detail: 'tool_choice is not supported' }),
      refuse('response_format', extra('response_format', 'json_schema', 'strict'), { status: 422, is: hasStrict }),
    ],
    lasting: { omit: ['parallel_tool_calls', 'tool_choice', 'strict'] },
  },
];
export const SERVERS = KINDS.map((kind): ServerKind => ({ takes: COMMON, refuses: [], answer: chat(), ...kind }));
