/** Chat completions: the body of a request, and the reply that the pieces of an answer make together. */

import type { FormatSupport } from '../wire/contract/index.ts';
import { formatOf, promptOf } from './ask-format.ts';
import { isStrict } from './shape.ts';
import { ChatPiece } from './pieces.ts';
import type OpenAI from 'openai';
import type { z } from 'zod';
import type { Finish, ModelMessage, ModelRequest } from './model-client.ts';
import type { Writing } from './writing.ts';
import type { Written } from './written.ts';

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;

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
const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ...(['stop', 'eos', 'end_turn', 'stop_sequence'] as const).map((word) => [word, 'stop'] as const),
  ...(['length', 'max_tokens'] as const).map((word) => [word, 'length'] as const),
  ...(['tool_calls', 'function_call'] as const).map((word) => [word, 'tool-calls'] as const),
  ['content_filter', 'content-filter'] as const,
]);

/** @throws ModelError as `writing` does */
export async function readChat(pieces: AsyncIterable<unknown>, writing: Writing): Promise<void> {
  let named = '';
  for await (const given of pieces) {
    const { model, usage, choices } = writing.piece(ChatPiece, given);
    named ||= model ?? '';
    if (usage) writing.note({ tokens: tokensOf(usage) });
    const [choice] = choices ?? [];
    const { content, refusal, tool_calls: called } = choice?.delta ?? {};
    writing.text(content ?? '');
    writing.refusal(refusal ?? '');
    for (const [place, { index, id, function: part }] of (called ?? []).entries()) {
      writing.call(index ?? place, { id: id ?? '', name: part?.name ?? '', arguments: part?.arguments ?? '' });
    }
    if (choice?.finish_reason) writing.note({ finish: FINISHES.get(choice.finish_reason) });
  }
  writing.note({ model: named });
  const { finish, refusal, toolCalls } = writing.written();
  if (refusal !== '' && finish !== undefined) writing.note({ finish: 'refusal' });
  else if (finish === 'stop' && toolCalls.length > 0) writing.note({ finish: 'tool-calls' });
}

function tokensOf(usage: NonNullable<z.output<typeof ChatPiece>['usage']>): Written['tokens'] {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage;
  if (input == null || output == null) return undefined;
  return { inputTokens: input, cachedInputTokens: details?.cached_tokens ?? 0, outputTokens: output };
}
