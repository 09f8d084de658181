/** The Responses API: the body of a request, and the reply that the events of an answer make together. */

import type { FormatSupport } from '../wire/contract/index.ts';
import { formatOf, promptOf } from './ask-format.ts';
import { serverError, type Place } from './server-failure.ts';
import { isStrict } from './shape.ts';
import { ResponsePieces } from './pieces.ts';
import type OpenAI from 'openai';
import type { z } from 'zod';
import type { Finish, ModelMessage, ModelRequest, ToolCall } from './model-client.ts';
import type { Writing } from './writing.ts';
import type { Written } from './written.ts';

type Body = OpenAI.Responses.ResponseCreateParamsStreaming;
type Ended = z.output<typeof ResponsePieces.ended>['response'];

export interface ResponsesTarget {
  readonly name: string;
  readonly format: FormatSupport;
}

export function responsesBody(request: ModelRequest, { name, format: support }: ResponsesTarget): Body {
  const { tools = [], maxTokens, temperature } = request;
  const format = formatOf(request.format, support);
  return {
    model: name,
    input: promptOf(request, support).flatMap(toWire),
    stream: true,
    // The journal keeps what was said; a copy at the server would stay there for a month.
    store: false,
    ...(format !== undefined && { text: { format } }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name: tool, description, parameters }) => ({
        type: 'function',
        name: tool,
        description,
        parameters: { ...parameters },
        strict: isStrict(parameters),
      })),
    }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function toWire({ role, content, toolCalls = [], toolCallId = '' }: ModelMessage): OpenAI.Responses.ResponseInput {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: toolCallId, output: content }];
  const calls = toolCalls.map(({ id, name, arguments: text }) => ({
    type: 'function_call' as const,
    call_id: id,
    name,
    arguments: text,
  }));
  return content === '' && calls.length > 0 ? calls : [{ role, content }, ...calls];
}

/** The text is what came in pieces; all else is what the last event says. @throws ModelError also where the server has failed */
export async function readResponses(pieces: AsyncIterable<unknown>, writing: Writing, at: Place): Promise<void> {
  let calls = 0;
  for await (const given of pieces) {
    const { type } = writing.piece(ResponsePieces.any, given);
    switch (type) {
      case 'response.output_text.delta':
        writing.text(writing.piece(ResponsePieces.delta, given).delta);
        break;
      case 'response.refusal.delta':
        writing.refusal(writing.piece(ResponsePieces.delta, given).delta);
        break;
      case 'response.output_item.done': {
        if (writing.piece(ResponsePieces.item, given).item.type !== 'function_call') break;
        const { call_id: id, name, arguments: written } = writing.piece(ResponsePieces.call, given).item;
        writing.call(calls++, { id: id ?? '', name, arguments: written });
        break;
      }
      case 'response.completed':
      case 'response.incomplete': {
        const { response } = writing.piece(ResponsePieces.ended, given);
        const { refusal, toolCalls } = writing.written();
        const finish = finishOf(response, refusal, toolCalls);
        writing.note({ model: response.model ?? '', tokens: tokensOf(response), finish });
        break;
      }
      case 'response.failed': {
        const { error } = writing.piece(ResponsePieces.failed, given).response;
        throw serverError({ codes: [error?.code ?? ''], message: error?.message ?? '' }, at);
      }
      case 'error': {
        const { code, message } = writing.piece(ResponsePieces.fault, given);
        throw serverError({ codes: [code ?? ''], message: message ?? '' }, at);
      }
      default:
    }
  }
}

function finishOf({ status, incomplete_details: why }: Ended, refusal: string, calls: readonly ToolCall[]): Finish {
  if (status === 'incomplete') return why?.reason === 'content_filter' ? 'content-filter' : 'length';
  if (refusal !== '') return 'refusal';
  return calls.length > 0 ? 'tool-calls' : 'stop';
}

function tokensOf({ usage }: Ended): Written['tokens'] {
  const { input_tokens: inputTokens, output_tokens: outputTokens, input_tokens_details: details } = usage ?? {};
  if (inputTokens == null || outputTokens == null) return undefined;
  return { inputTokens, cachedInputTokens: details?.cached_tokens ?? 0, outputTokens };
}
