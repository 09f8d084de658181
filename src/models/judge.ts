import { z } from 'zod';
import { isDeeperThan } from '../protocol/index.ts';
import { quote } from '../plan/text/index.ts';
import { MODEL_LIMITS, readJson } from '../plan/index.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';
import type { JsonSchema, ModelReply, ModelRequest, ModelUsage } from './model-client.ts';

/** Maximum number of tool calls in one reply. The limit also holds for every other list in a reply. */
export const MAX_CALLS = 128;
const VALUE_LEVELS = 200;
/** Maximum number of tokens of one call. Sums over a run then stay exact. */
export const MAX_TOKENS = 1_000_000_000;
const MAX_PROBLEMS = 5;

const tokens = z.int().min(0).max(MAX_TOKENS);
export const USED = z.object({
  ...{ calls: z.int().min(0), inputTokens: tokens, cachedInputTokens: tokens, outputTokens: tokens },
  ...{ cost: z.number().min(0).optional(), reckoned: z.literal(true).optional() },
});

const LEVELS = MODEL_LIMITS.valueDepth;
const TOO_DEEP = `more than ${VALUE_LEVELS} levels`;
const isReadable = (value: unknown) => !isDeeperThan(VALUE_LEVELS, value);
/** Limits the levels of a call's arguments. Text that is not JSON passes, since the reader of arguments rejects it. */
const isShallow = (json: string) => !isDeeperThan(LEVELS, parsedJson(json));
const ARGUMENTS = z.string().refine(isShallow, `more than ${LEVELS} levels`);
export const MODEL_REPLY = z.object({
  text: z.string(),
  value: z.unknown().refine(isReadable, TOO_DEEP).optional(),
  repairs: z.array(z.string()).optional(),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: ARGUMENTS })).max(MAX_CALLS),
  finish: z.enum(['stop', 'length', 'content-filter', 'refusal', 'tool-calls']),
  usage: USED,
  model: z.string(),
  reasoning: z
    .array(z.looseObject({ type: z.literal('reasoning') }).refine(isReadable, TOO_DEEP))
    .max(MAX_CALLS)
    .optional(),
});

export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function problemIn({ issues }: z.ZodError, max = MAX_PROBLEMS): string {
  const listed = issues.slice(0, max).map(({ path, message }) => `${['$', ...path].join('.')}: ${message}`);
  const more = max > 1 && issues.length > listed.length ? [`and ${issues.length - listed.length} more`] : [];
  return [...listed, ...more].join('; ');
}

export function paidBy(error: unknown): ModelUsage | undefined {
  return USED.safeParse((error as { usage?: unknown } | null | undefined)?.usage).data as ModelUsage | undefined;
}

/** Parses a reply of the model `name`. @throws ModelError `malformed-reply` with the usage */
export function readReply(value: unknown, name: string): ModelReply {
  const { data, error } = MODEL_REPLY.safeParse(value);
  if (error === undefined) return data as ModelReply;
  const unknown = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, calls: 1, reckoned: true } as const;
  const message = `${name} gave what is no reply: ${problemIn(error, 1)}`;
  throw new ModelError('malformed-reply', message, { usage: paidBy(value) ?? unknown });
}

const CHECKS = new WeakMap<JsonSchema, (value: unknown) => string | undefined>();

/** Compiles a schema to a function that lists the problems of a value. @throws Error if the schema is invalid */
export function checkOf(schema: JsonSchema): (value: unknown) => string | undefined {
  const known = CHECKS.get(schema);
  if (known !== undefined) return known;
  // Each schema has its own registry, since zod's shared registry would never release the names.
  const type = z.fromJSONSchema(schema, { registry: z.registry() });
  const check = (value: unknown) => {
    if (!isReadable(value)) return `$: ${TOO_DEEP}`;
    const { error } = type.safeParse(value);
    return error && problemIn(error);
  };
  CHECKS.set(schema, check);
  return check;
}

/** Whether OpenAI's servers accept a schema as `strict`: closed objects, all members required, known keywords. */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, required, ...rest } = schema as Record<string, unknown>;
  const names = Object.keys(properties ?? {});
  const isClosed =
    rest['additionalProperties'] === false && names.every((one) => (required as string[])?.includes(one));
  if ((type === 'object' || properties !== undefined) && !isClosed) return false;
  if (NOT_STRICT.some((keyword) => keyword in rest)) return false;
  const definitions = [properties, rest['$defs'], rest['definitions']].flatMap((one) => Object.values(one ?? {}));
  return [...definitions, rest['items'], rest['anyOf']].every(isStrict);
}

/** Keywords that `strict` forbids: https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas". */
const NOT_STRICT = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['patternProperties', 'propertyNames', 'unevaluatedProperties', 'minProperties', 'maxProperties'],
  // OpenAI's guide does not list these, but the API rejects them with "'maxLength' is not permitted".
  ...['minLength', 'maxLength', 'contains', 'uniqueItems', 'prefixItems', 'unevaluatedItems', 'default'],
];

/**
 * Adds the parsed value to a reply; `name` is the model.
 * @throws ModelError with the usage, if the reply does not have the requested format
 */
export function judgeReply(
  received: Omit<ModelReply, 'value'>,
  { format, maxTokens }: ModelRequest,
  name: string,
): ModelReply {
  const reply = readReply(received, name);
  const { finish, text, usage } = reply;
  const paid = (kind: ModelErrorKind, what: string) => new ModelError(kind, `${name} ${what}`, { usage, text });
  // The Responses API of llama.cpp reports cut replies as complete. The number of tokens shows the cut.
  const isUsedUp = maxTokens !== undefined && usage.outputTokens >= maxTokens && usage.reckoned !== true;
  const read = format !== undefined && finish === 'stop' ? readJson(text) : undefined;
  const found = read?.ok === true && { value: read.value, ...(read.repairs.length > 0 && { repairs: read.repairs }) };
  if (format === undefined || format.isJudgedByReader === true) {
    if (found === false && finish === 'stop' && isUsedUp) return { ...reply, finish: 'length' };
    return { ...reply, ...found };
  }
  const bound = maxTokens === undefined ? 'the bound of its server' : `maxTokens (${maxTokens})`;
  const cutOff = () => paid('cut-off', `was cut off at ${bound} before ${format.name} was whole`);
  if (finish === 'tool-calls') return reply;
  if (finish === 'refusal') throw paid('refusal', `refused to write ${format.name}: ${quote(text)}`);
  if (finish === 'content-filter')
    throw paid('content-filter', `was stopped by a content filter while it wrote ${format.name}`);
  if (finish === 'length') throw cutOff();
  const begins = text.trim() === '' ? '' : ` It begins with ${quote(text.trim())}.`;
  if (read?.ok !== true)
    throw isUsedUp ? cutOff() : paid('format-not-kept', `wrote no ${format.name}. ${read?.reason}${begins}`);
  const problem = checkOf(format.schema)(read.value);
  if (problem === undefined) return { ...reply, ...found };
  throw isUsedUp ? cutOff() : paid('format-not-kept', `wrote a ${format.name} that breaks its schema: ${problem}`);
}
