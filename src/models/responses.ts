/** The Responses API: the body of a request, and the reply that the events of an answer make together. */

import { formatOf, promptOf } from './ask-format.ts';
import { serverError, type Place } from './server-failure.ts';
import { isStrict } from './shape.ts';
import { ResponsePieces } from './pieces.ts';
import { isSealed } from './thoughts.ts';
import { tokensOf } from './usage.ts';
import type { z } from 'zod';
import type { JsonValue } from '../plan/index.ts';
import type { Finish, ModelMessage, ModelRequest, ToolCall } from './model-client.ts';
import type { Body, Personality } from './personality.ts';
import type { Writing } from './writing.ts';

type Ended = z.output<typeof ResponsePieces.ended>['response'];

/** The whole request. `thinks`: the model has thoughts to give back, sealed, since the server keeps none. */
export function responsesBody(
  request: ModelRequest,
  { format: support }: Pick<Personality, 'format'>,
  thinks: boolean,
): Body {
  const { tools = [], maxTokens, temperature, reasoningEffort, toolChoice, parallelToolCalls } = request;
  const format = formatOf(request.format, support);
  return {
    input: promptOf(request, support).flatMap(toWire),
    stream: true,
    // The journal keeps what was said; a copy at the server would stay there for a month.
    store: false,
    ...((thinks || reasoningEffort !== undefined) && { include: ['reasoning.encrypted_content'] }),
    ...(format !== undefined && { text: { format } }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        ...{ type: 'function', name, description, parameters },
        // Without the word a server of this form takes every schema as strict.
        strict: isStrict(parameters),
      })),
      ...(toolChoice !== undefined && { tool_choice: toolChoice }),
      ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoning: { effort: reasoningEffort } }),
  };
}

function toWire({ role, content, toolCalls = [], toolCallId = '', reasoning = [] }: ModelMessage): readonly object[] {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: toolCallId, output: content }];
  const calls = toolCalls.map(({ id, name, arguments: text }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: text,
  }));
  const said = content === '' && calls.length > 0 ? [] : [{ role, content }];
  return [...reasoning.filter(isSealed), ...said, ...calls];
}

/** The text is what came in pieces; all else is what the last event says. @throws ModelError also where the server has failed */
export async function readResponses(pieces: AsyncIterable<unknown>, writing: Writing, at: Place): Promise<void> {
  let calls = 0;
  for await (const given of eventsOf(pieces, writing)) {
    const { type } = writing.piece(ResponsePieces.any, given);
    switch (type) {
      case 'response.output_text.delta':
        writing.text(writing.piece(ResponsePieces.delta, given).delta);
        break;
      case 'response.refusal.delta':
        writing.refusal(writing.piece(ResponsePieces.delta, given).delta);
        break;
      case 'response.output_item.done': {
        const { type: kind } = writing.piece(ResponsePieces.item, given).item;
        if (kind === 'reasoning') writing.thought(writing.piece(ResponsePieces.thought, given).item as JsonValue);
        if (kind !== 'function_call') break;
        const { call_id: id, name, arguments: written } = writing.piece(ResponsePieces.call, given).item;
        writing.call(calls++, { id: id ?? '', name, arguments: written });
        break;
      }
      case 'response.completed':
      case 'response.incomplete': {
        const { response } = writing.piece(ResponsePieces.ended, given);
        const { refusal, toolCalls } = writing.written();
        const finish = finishOf(response, refusal, toolCalls);
        writing.note({ model: response.model ?? '', tokens: tokensOf(response.usage), finish });
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

/** A whole answer, where the server does not stream, is told as the events that it would have been. */
async function* eventsOf(pieces: AsyncIterable<unknown>, writing: Writing): AsyncGenerator {
  for await (const piece of pieces) {
    if ((piece as { object?: unknown } | null)?.object !== 'response') {
      yield piece;
      continue;
    }
    const { output, status } = writing.piece(ResponsePieces.whole, piece);
    for (const item of output) {
      if (item.type === 'message') {
        for (const { text, refusal } of writing.piece(ResponsePieces.message, item).content) {
          yield { type: 'response.output_text.delta', delta: text ?? '' };
          yield { type: 'response.refusal.delta', delta: refusal ?? '' };
        }
      }
      yield { type: 'response.output_item.done', item };
    }
    yield { type: `response.${status}`, response: piece };
  }
}
