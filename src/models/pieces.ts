/**
 * The schemas of a model's data: each piece of a stream, and each whole reply. A server, or a client of another make,
 * may send anything; a value that does not fit is an error, and no part of it is used.
 */

import { z } from 'zod';
import { isDeeperThan } from '../protocol/index.ts';
import { MODEL_LIMITS } from '../plan/index.ts';
import { ModelError } from './model-error.ts';
import { CALLED_THOUGHTS, SAID_THOUGHTS } from './thoughts.ts';
import { Told, tokens } from './usage.ts';
import type { ModelReply, ModelUsage } from './model-client.ts';

/** Calls of tools in one reply, and whatever else is a list in it. */
export const MAX_CALLS = 128;
/** The most levels of a reply that is read as a plan. */
const VALUE_LEVELS = 200;

const text = z.string().nullish();

/** The length is looked at first: a schema tells each element that does not fit. */
function few<Item extends z.ZodType>(item: Item) {
  const isFew = (list: unknown) => Array.isArray(list) && list.length <= MAX_CALLS;
  return z.custom<z.input<Item>[]>(isFew, `expected a list of at most ${MAX_CALLS}`).pipe(z.array(item));
}

const said = z.object({
  content: text,
  refusal: text,
  ...SAID_THOUGHTS,
  tool_calls: few(
    z.object({
      index: z
        .int()
        .min(0)
        .max(MAX_CALLS - 1)
        .nullish(),
      id: text,
      function: z.object({ name: text, arguments: text }).nullish(),
      ...CALLED_THOUGHTS,
    }),
  ).nullish(),
});

/** Servers leave out much of what OpenAI's types promise, and write null in its place. */
export const ChatPiece = z.object({
  model: text,
  usage: Told.nullish(),
  x_groq: z.object({ usage: Told.nullish() }).nullish(),
  // A whole answer has the message where a piece has what is new of it.
  choices: few(z.object({ finish_reason: text, delta: said.nullish(), message: said.nullish() })).nullish(),
});

const ended = z.object({
  response: z.object({
    model: text,
    status: text,
    incomplete_details: z.object({ reason: text }).nullish(),
    usage: Told.nullish(),
  }),
});
const thought = z
  .looseObject({ type: z.literal('reasoning') })
  .refine((item) => !isDeeperThan(VALUE_LEVELS, item), `more than ${VALUE_LEVELS} levels`);
const fault = z.object({ code: text, message: text });

/** The events of the Responses API, by `type`; every other event is passed over. */
export const ResponsePieces = {
  any: z.object({ type: z.string() }),
  delta: z.object({ delta: z.string() }),
  item: z.object({ item: z.object({ type: z.string() }) }),
  call: z.object({ item: z.object({ call_id: text, name: z.string(), arguments: z.string() }) }),
  ended,
  failed: z.object({ response: z.object({ error: fault.nullish() }) }),
  fault,
  /** The server that wrote it is its only reader. */
  thought: z.object({ item: thought }),
  /** The answer of a server that does not stream. */
  whole: z.object({ object: z.literal('response'), status: text, output: few(z.looseObject({ type: z.string() })) }),
  message: z.object({ content: few(z.object({ type: z.string(), text, refusal: text })) }),
};

const Used = z.object({
  calls: z.int().min(0),
  inputTokens: tokens,
  cachedInputTokens: tokens,
  outputTokens: tokens,
  cost: z.number().min(0).optional(),
  reckoned: z.literal(true).optional(),
});

const WholeReply = z.object({
  text: z.string(),
  value: z
    .unknown()
    .refine((value) => !isDeeperThan(VALUE_LEVELS, value), `more than ${VALUE_LEVELS} levels`)
    .optional(),
  repairs: z.array(z.string()).optional(),
  toolCalls: few(
    z.object({
      id: z.string(),
      name: z.string(),
      arguments: z.string().refine(isFlat, `more than ${MODEL_LIMITS.valueDepth} levels of lists and objects`),
    }),
  ),
  finish: z.enum(['stop', 'length', 'content-filter', 'refusal', 'tool-calls']),
  usage: Used,
  model: z.string(),
  reasoning: few(thought).optional(),
});

/** A reader of arguments that are no JSON mends them, or refuses them. */
function isFlat(json: string): boolean {
  try {
    return !isDeeperThan(MODEL_LIMITS.valueDepth, JSON.parse(json));
  } catch {
    return true;
  }
}

/**
 * The part of `given` that the schema knows.
 * @throws whatever `refuse` makes of the first problem, such as `$.usage.prompt_tokens: expected number, received string`
 */
export function letIn<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  refuse: (problem: string) => Error,
): z.output<Schema> {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [{ path, message } = { path: [], message: 'it does not fit' }] = read.error.issues;
  throw refuse(`${['$', ...path].join('.')}: ${message}`);
}

/**
 * The usage that was paid for the call which threw this; undefined where it is not known, or the error's `usage` is no
 * usage.
 * @example paidBy(new Error('no')); // undefined
 */
export function paidBy(error: unknown): ModelUsage | undefined {
  return Used.safeParse((error as { usage?: unknown } | null | undefined)?.usage).data as ModelUsage | undefined;
}

/**
 * A whole reply, whoever made it, as far as the schema knows it. `name` is the model, for errors.
 * @throws ModelError `malformed-reply` with what was paid
 * @example const reply = readReply(await client.complete(request), client.name);
 */
export function readReply(given: unknown, name: string): ModelReply {
  return letIn(WholeReply, given, (problem) => {
    const usage = paidBy(given) ?? { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, calls: 1, reckoned: true };
    return new ModelError('malformed-reply', `${name} gave what is no reply: ${problem}`, { usage });
  }) as ModelReply;
}

/** Whether this is a reply, as the journal has one. */
export function isReply(given: unknown): boolean {
  return WholeReply.safeParse(given).success;
}
