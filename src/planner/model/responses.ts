/** The Responses API: the body of a request, and what the events of an answer make together. */

import type { FormatSupport } from '../../contract/index.ts';
import { formatOf, promptOf } from './ask-format.ts';
import { serverError, type Place } from './server-failure.ts';
import { isStrict } from './shape.ts';
import type OpenAI from 'openai';
import type { Finish, ModelMessage, ModelRequest, ToolCall } from './model-client.ts';
import type { Ears, Written } from './written.ts';

type Body = OpenAI.Responses.ResponseCreateParamsStreaming;
type Event = OpenAI.Responses.ResponseStreamEvent;
type Response = Partial<OpenAI.Responses.Response>;

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

/** The text is what came in pieces; all else is what the last event says. @throws ModelError where the server has failed */
export async function readResponses(pieces: AsyncIterable<Event>, ears: Ears, at: Place): Promise<Written> {
  let [text, refusal] = ['', ''];
  const toolCalls: ToolCall[] = [];
  let last: Response | undefined;
  for await (const event of pieces) {
    ears.beat();
    switch (event.type) {
      case 'response.output_text.delta':
        text += event.delta;
        ears.text(event.delta);
        break;
      case 'response.refusal.delta':
        refusal += event.delta;
        break;
      case 'response.output_item.done': {
        const { item } = event;
        if (item.type !== 'function_call') break;
        const { call_id: id, name, arguments: written } = item;
        toolCalls.push({ id: id || `call_${toolCalls.length + 1}`, name, arguments: written });
        break;
      }
      case 'response.completed':
      case 'response.incomplete':
        last = event.response;
        break;
      case 'response.failed': {
        const { code = '', message = '' } = event.response.error ?? {};
        throw serverError({ codes: [code], message }, at);
      }
      case 'error':
        throw serverError({ codes: [event.code ?? ''], message: event.message }, at);
      default:
    }
  }
  const written = { text, refusal, toolCalls, model: last?.model ?? '', tokens: tokensOf(last) };
  return { ...written, finish: last && finishOf(last, refusal, toolCalls) };
}

function finishOf({ status, incomplete_details: why }: Response, refusal: string, calls: readonly ToolCall[]): Finish {
  if (status === 'incomplete') return why?.reason === 'content_filter' ? 'content-filter' : 'length';
  if (refusal !== '') return 'refusal';
  return calls.length > 0 ? 'tool-calls' : 'stop';
}

function tokensOf(response: Response | undefined): Written['tokens'] {
  const {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    input_tokens_details: details,
  } = (response?.usage as Partial<OpenAI.Responses.ResponseUsage> | undefined) ?? {};
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return { inputTokens, cachedInputTokens: details?.cached_tokens ?? 0, outputTokens };
}
