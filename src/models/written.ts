/** The text that a model has written when its stream has ended, and the reply that this makes. */

import { quote } from '../plan/text/index.ts';
import { readJson, type JsonReading, type JsonValue } from '../plan/index.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';
import { readReply } from './pieces.ts';
import { readShape } from './shape.ts';
import type { Finish, ModelFormat, ModelReply, ModelRequest, ToolCall } from './model-client.ts';
import type { ToldTokens } from './usage.ts';

export interface Written {
  readonly text: string;
  /** Why it refuses; '' where it does not. */
  readonly refusal: string;
  readonly toolCalls: readonly ToolCall[];
  /** Undefined where the stream ended without a word about it. */
  readonly finish: Finish | undefined;
  /** Undefined where the server tells none. */
  readonly tokens: ToldTokens | undefined;
  readonly reasoning: readonly JsonValue[];
  /** '' where the server names none. */
  readonly model: string;
}

/** The listeners that hear the pieces of an answer while they come. */
export interface Ears {
  text(delta: string): void;
  beat(): void;
  odd(what: string): void;
}

type Whole = Omit<ModelReply, 'value'>;

/**
 * The reply, with its value where a format was asked for. `name` is the model as it was asked for, for errors.
 * @throws ModelError with the usage, where a format was asked for and it is not what came.
 */
export function judge(given: Whole, { format, maxTokens }: ModelRequest, name: string): ModelReply {
  const reply = readReply(given, name);
  const { finish, text, usage } = reply;
  const paid = (kind: ModelErrorKind, what: string) => new ModelError(kind, `${name} ${what}`, { usage, text });
  // llama.cpp's Responses API says of a reply that is cut off that it is complete.
  const isUsedUp = maxTokens !== undefined && usage.outputTokens >= maxTokens && usage.reckoned !== true;
  const found = format?.isJudgedByReader === true && finish === 'stop' ? readJson(text) : undefined;
  if (found?.ok === true) return { ...reply, ...foundIn(found) };
  if (format === undefined || format.isJudgedByReader === true) {
    return finish === 'stop' && isUsedUp ? { ...reply, finish: 'length' } : reply;
  }
  switch (finish) {
    case 'tool-calls':
      return reply;
    case 'refusal':
      throw paid('refusal', `refused to write ${format.name}: ${quote(text)}`);
    case 'content-filter':
      throw paid('content-filter', `was stopped by a content filter while it wrote ${format.name}`);
    case 'length':
      throw paid('cut-off', cutOff(format, maxTokens));
    case 'stop': {
      const read = valueIn(text, format);
      if (read.ok) return { ...reply, ...read.found };
      throw isUsedUp ? paid('cut-off', cutOff(format, maxTokens)) : paid('format-not-kept', `wrote ${read.problem}`);
    }
  }
}

type Found = Required<Pick<ModelReply, 'value'>> & Pick<ModelReply, 'repairs'>;

function valueIn(
  text: string,
  { name, schema }: ModelFormat,
): { readonly ok: true; readonly found: Found } | { readonly ok: false; readonly problem: string } {
  const read = readJson(text);
  const begins = text.trim() === '' ? '' : ` It begins with ${quote(text.trim())}.`;
  if (!read.ok) return { ok: false, problem: `no ${name}. ${read.reason}${begins}` };
  const shape = readShape(schema);
  const problem = shape.ok ? shape.problemOf(read.value) : shape.reason;
  if (problem !== undefined) return { ok: false, problem: `a ${name} that breaks its schema: ${problem}` };
  return { ok: true, found: foundIn(read) };
}

function foundIn({ value, repairs }: Extract<JsonReading, { ok: true }>): Found {
  return { value, ...(repairs.length > 0 && { repairs }) };
}

function cutOff({ name }: ModelFormat, maxTokens: number | undefined): string {
  const bound = maxTokens === undefined ? 'the bound of its server' : `maxTokens (${maxTokens})`;
  return `was cut off at ${bound} before ${name} was whole`;
}
