/** Chat completions: the body of a request, and the reply that the pieces of an answer make together. */

import { quote } from '../plan/text/index.ts';
import { formatOf, promptOf } from './ask-format.ts';
import { isStrict } from './shape.ts';
import { ChatPiece } from './pieces.ts';
import { chatThoughts, givenBack } from './thoughts.ts';
import { tokensOf } from './usage.ts';
import type { z } from 'zod';
import type { Finish, ModelMessage, ModelRequest } from './model-client.ts';
import type { Body, Personality } from './personality.ts';
import type { Writing } from './writing.ts';

/** The whole request, with the bound on its tokens as `max_tokens`. */
export function chatBody(request: ModelRequest, { format: support }: Pick<Personality, 'format'>): Body {
  const { tools = [], maxTokens, temperature, reasoningEffort, toolChoice, parallelToolCalls } = request;
  const format = formatOf(request.format, support);
  return {
    messages: promptOf(request, support).map(toWire),
    stream: true,
    stream_options: { include_usage: true },
    ...(format !== undefined && { response_format: nested(format) }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters, ...(isStrict(parameters) && { strict: true }) },
      })),
      ...(toolChoice !== undefined && { tool_choice: toolChoice }),
      ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
  };
}

function nested({ type, ...schema }: NonNullable<ReturnType<typeof formatOf>>): object {
  return type === 'json_schema' ? { type, json_schema: schema } : { type };
}

function toWire({ role, content, toolCalls = [], toolCallId = '', reasoning = [] }: ModelMessage): object {
  if (role === 'tool') return { role, content, tool_call_id: toolCallId };
  if (role !== 'assistant') return { role, content };
  const thoughts = givenBack({ reasoning });
  if (toolCalls.length === 0) return { role, content, ...thoughts.message };
  const calls = toolCalls.map(({ id, name, arguments: text }, at) => {
    const extra = thoughts.calls[at];
    const call = { id, type: 'function', function: { name, arguments: text } };
    return extra === undefined ? call : { ...call, extra_content: extra };
  });
  return { role, content, ...thoughts.message, tool_calls: calls };
}

/** Servers have their own words, in letters of either case, and `stop` where there are tool calls. */
const FINISHES: Readonly<Record<Finish, readonly string[]>> = {
  stop: ['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence', 'complete', 'end', 'finish', 'done'],
  length: ['length', 'max_tokens', 'max_output_tokens', 'model_length', 'token_limit'],
  'tool-calls': ['tool_calls', 'tool_call', 'function_call', 'tool_use'],
  'content-filter': ['content_filter', 'safety', 'recitation', 'blocklist', 'prohibited_content', 'sensitive'],
  refusal: ['refusal'],
};
/** Words of a server that has given up: a reply that ends so is not whole. */
const GIVEN_UP = ['error', 'abort', 'aborted', 'cancelled', 'insufficient_system_resource', 'network_error'];

/** A word that is not known is read as an end, and told. */
function finishOf(word: string, writing: Writing): Finish | undefined {
  const known = word.toLowerCase();
  const finish = (Object.keys(FINISHES) as Finish[]).find((one) => FINISHES[one].includes(known));
  if (finish !== undefined || GIVEN_UP.includes(known)) return finish;
  writing.odd(`ends a reply with ${quote(word)}; that is read as "stop"`);
  return 'stop';
}

/** @throws ModelError as `writing` does */
export async function readChat(pieces: AsyncIterable<unknown>, writing: Writing): Promise<void> {
  let named = '';
  const placeOf = places();
  const thoughts = chatThoughts();
  for await (const given of pieces) {
    const { model, usage, x_groq: groq, choices } = writing.piece(ChatPiece, given);
    named ||= model ?? '';
    const told = usage ?? groq?.usage;
    const tokens = tokensOf(told);
    if (tokens !== undefined) writing.note({ tokens });
    const [choice] = choices ?? [];
    const said = choice?.delta ?? choice?.message ?? {};
    const { content, refusal, tool_calls: called } = said;
    thoughts.said(said);
    writing.text(content ?? '');
    writing.refusal(refusal ?? '');
    for (const [at, part] of (called ?? []).entries()) {
      const { name, arguments: written } = part.function ?? {};
      const place = placeOf(part, at);
      writing.call(place, { id: part.id ?? '', name: name ?? '', arguments: written ?? '' });
      thoughts.called(place, part.extra_content);
    }
    // A whole answer has ended, whether or not it says so.
    const word = choice?.finish_reason ?? (choice?.message ? 'stop' : undefined);
    if (word) writing.note({ finish: finishOf(word, writing) });
  }
  writing.note({ model: named });
  for (const item of thoughts.items()) writing.thought(item);
  const { finish, refusal, toolCalls } = writing.written();
  if (refusal !== '' && finish !== undefined) writing.note({ finish: 'refusal' });
  else if (finish === 'stop' && toolCalls.length > 0) writing.note({ finish: 'tool-calls' });
}

type CallPiece = NonNullable<
  NonNullable<NonNullable<z.output<typeof ChatPiece>['choices']>[number]['delta']>['tool_calls']
>[number];

/**
 * The place of the call that a piece belongs to. Servers number calls; some leave the number out, and some write 0 for
 * each (Gemini). There a name begins a call where the id is another one, or where the call before has its arguments.
 * @returns a function of a piece and its place in the list of pieces
 */
function places(): (piece: CallPiece, at: number) => number {
  const open = new Map<
    string,
    { readonly place: number; readonly id: string; readonly name: string; isWritten: boolean }
  >();
  let free = 0;
  return ({ index, id, function: part }, at) => {
    const key = index == null ? `at ${at}` : `${index}`;
    const before = open.get(key);
    const name = part?.name ?? '';
    const isOther = before?.id && id ? before.id !== id : before?.isWritten === true && before.name !== name;
    if (before !== undefined && !(isOther && name !== '')) {
      before.isWritten ||= Boolean(part?.arguments);
      return before.place;
    }
    const place = before === undefined && index != null ? index : free;
    open.set(key, { place, id: id ?? '', name, isWritten: Boolean(part?.arguments) });
    free = Math.max(free, place + 1);
    return place;
  };
}
