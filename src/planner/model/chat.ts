/** Chat completions: the body of a request, and what the pieces of an answer make together. */

import type { FormatSupport } from '../../contract/index.ts';
import { formatOf, promptOf } from './ask-format.ts';
import { isStrict } from './shape.ts';
import type OpenAI from 'openai';
import type { Finish, ModelMessage, ModelRequest } from './model-client.ts';
import type { Ears, Written } from './written.ts';

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;
type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;

export interface ChatTarget {
  readonly name: string;
  readonly format: FormatSupport;
  /** OpenAI's newer models take `max_completion_tokens` alone, and most other servers only know `max_tokens`. */
  readonly isOpenAI: boolean;
}

export function chatBody(request: ModelRequest, { name, format: support, isOpenAI }: ChatTarget): Body {
  const { tools = [], maxTokens, temperature } = request;
  const format = formatOf(request.format, support);
  return {
    model: name,
    messages: promptOf(request, support).map(toWire),
    stream: true,
    stream_options: { include_usage: true },
    ...(format !== undefined && { response_format: nested(format) }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name: tool, description, parameters }) => ({
        type: 'function',
        function: { name: tool, description, parameters: { ...parameters }, strict: isStrict(parameters) },
      })),
    }),
    ...(maxTokens !== undefined && (isOpenAI ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens })),
    ...(temperature !== undefined && { temperature }),
  };
}

function nested(format: NonNullable<ReturnType<typeof formatOf>>): NonNullable<Body['response_format']> {
  if (format.type !== 'json_schema') return { type: 'json_object' };
  const { type, ...schema } = format;
  return { type, json_schema: schema };
}

function toWire({ role, content, toolCalls = [], toolCallId = '' }: ModelMessage): Body['messages'][number] {
  if (role === 'tool') return { role, content, tool_call_id: toolCallId };
  if (role !== 'assistant' || toolCalls.length === 0) return { role, content };
  const calls = toolCalls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: text },
  }));
  return { role, content, tool_calls: calls };
}

/** Servers have their own words, and `stop` where there are tool calls. */
const FINISHES: Readonly<Record<string, Finish>> = {
  ...{ stop: 'stop', eos: 'stop', end_turn: 'stop', stop_sequence: 'stop' },
  ...{ length: 'length', max_tokens: 'length', content_filter: 'content-filter' },
  ...{ tool_calls: 'tool-calls', function_call: 'tool-calls' },
};

/** Whatever is missing in a piece is missing: many servers leave out what OpenAI's types promise. */
export async function readChat(pieces: AsyncIterable<Chunk>, ears: Ears): Promise<Written> {
  let [text, refusal, model] = ['', '', ''];
  let finish: Finish | undefined;
  let tokens: Written['tokens'];
  const calls: { id: string; name: string; arguments: string }[] = [];
  for await (const piece of pieces as AsyncIterable<Partial<Chunk>>) {
    ears.beat();
    model ||= piece.model ?? '';
    if (piece.usage) tokens = tokensOf(piece.usage);
    const choice = piece.choices?.[0] as Partial<Chunk['choices'][number]> | undefined;
    const { content, refusal: refused, tool_calls: called } = choice?.delta ?? {};
    if (content) {
      text += content;
      ears.text(content);
    }
    refusal += refused ?? '';
    for (const [place, one] of (called ?? []).entries()) {
      const call = (calls[one.index ?? place] ??= { id: '', name: '', arguments: '' });
      call.id ||= one.id ?? '';
      call.name += one.function?.name ?? '';
      call.arguments += one.function?.arguments ?? '';
    }
    if (choice?.finish_reason) finish = FINISHES[choice.finish_reason];
  }
  // Places that a server has left out are holes.
  const toolCalls = calls.filter(Boolean).map((call, place) => ({ ...call, id: call.id || `call_${place + 1}` }));
  if (refusal !== '' && finish !== undefined) finish = 'refusal';
  else if (finish === 'stop' && toolCalls.length > 0) finish = 'tool-calls';
  return { text, refusal, toolCalls, finish, tokens, model };
}

function tokensOf(usage: Partial<OpenAI.CompletionUsage>): Written['tokens'] {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage;
  if (input === undefined || output === undefined) return undefined;
  return { inputTokens: input, cachedInputTokens: details?.cached_tokens ?? 0, outputTokens: output };
}
