/** Reads requests about drafts and artifacts. Fields may have the names of this project or of Pathfinder. */

import { z } from 'zod';
import { canonicalJson, didYouMean, type JsonValue } from '../../../plan/index.ts';
import { messageOf, quote, textOfBytes } from '../../../plan/text/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import { isWords, readStrictly } from '../../read-arguments.ts';
import { DraftError, ENTRY_KINDS } from './drafts.ts';

/** Pathfinder's names for fields of this project. Each may also be written in snake case. */
const FOREIGN_NAMES = new Map([
  ['conversationId', 'conversation'],
  ['delegationPlanArtifactId', 'draft'],
  ['delegationGoal', 'goal'],
  ['artifactId', 'id'],
  ['additionalInstructions', 'instructions'],
  ['notesMarkdown', 'notes'],
  ['delegationPlan', 'plan'],
  ['proposedStrategyPlan', 'proposedPlan'],
  ['summaryMarkdown', 'summary'],
]);

const upTo = (max: number, expected: string) =>
  z
    .string(expected)
    .refine((value) => isWords(value) && value.isWellFormed() && Array.from(value).length <= max, expected);
const label = upTo(200, 'expected a well-formed text of 1 to 200 characters');
const text = z
  .string('expected text')
  .refine((value) => value.isWellFormed(), 'has half of a surrogate pair; send well-formed text')
  .transform((value) => value.trim() || undefined)
  .optional();
/** Copies a JSON value inside `try`, since a getter of a foreign object may throw anything. */
const json = z
  .unknown()
  .transform((value, context): JsonValue => {
    try {
      return JSON.parse(canonicalJson(value as JsonValue)) as JsonValue;
    } catch (error) {
      context.addIssue({ code: 'custom', message: `is no JSON value (${messageOf(error)})` });
      return z.NEVER;
    }
  })
  .optional();
const document = z
  .unknown()
  .transform((value) => (value instanceof Uint8Array ? (textOfBytes(value) ?? value) : value))
  .refine((value) => !(value instanceof Uint8Array), 'its bytes are not UTF-8; save the file as UTF-8')
  .pipe(json)
  .optional();
const wholeFrom = (min: number, expected: string) => z.int(expected).min(min, expected);
const limits = z.custom<object>().optional();
const by = label.optional();

export const FIELDS = {
  artifact: {
    title: text,
    summary: text,
    assumptions: json.pipe(z.custom<readonly JsonValue[]>(Array.isArray, 'expected a list').default([])),
    parameters: json.pipe(z.custom<Readonly<Record<string, JsonValue>>>(isRecord, 'expected an object').default({})),
    proposedPlan: json,
  },
  draft: { goal: text, plan: document, notes: text },
  handOff: { draft: by, revision: z.custom<number>().optional(), goal: text, instructions: text },
};
const saving = { by, idempotencyKey: upTo(Infinity, 'expected a well-formed text that is not blank').optional() };
const base = wholeFrom(0, 'expected the number of a revision, or 0').optional();

export const DRAFT_REQUESTS = {
  artifact: request(saving, FIELDS.artifact),
  draft: request({ ...saving, limits, base, draft: label.default('delegation_draft') }, FIELDS.draft),
  ended: request(saving),
  handOff: request({ by, limits, ...FIELDS.handOff }),
  list: request({
    kind: z.enum(ENTRY_KINDS, `expected ${ENTRY_KINDS.join(', ')}`).optional(),
    limit: wholeFrom(1, 'expected a whole number from 1').default(50),
    full: z.boolean('expected true or false').default(false),
  }),
  entry: request({ id: by, revision: FIELDS.handOff.revision }),
};

function request<Options extends z.ZodRawShape, Fields extends z.ZodRawShape>(options: Options, fields?: Fields) {
  const shape = fields ?? ({} as Fields);
  const expected = `expected an object with ${Object.keys(shape).join(', ')}`;
  const error = ({ code }: { readonly code: string }) => (code === 'invalid_type' ? expected : undefined);
  return z.strictObject({
    conversation: label,
    options: z.strictObject(options),
    fields: z.preprocess(ourNames, z.strictObject(shape, { error })),
  });
}

export function readRequest<Schema extends z.ZodType>(
  schema: Schema,
  conversation: unknown,
  options: object,
  fields: unknown = {},
): z.output<Schema> {
  const read = readStrictly(schema, { conversation, options, fields });
  if (read.ok) return read.value as z.output<Schema>;
  const problems = read.problems.map(({ code, path, message, got = '', expected = [] }) => {
    const known = [expected].flat();
    if (code === undefined) return `${path.at(-1)}: ${message}, got ${got}`;
    return `unknown field ${quote(got)}.${didYouMean(got, known)} Known are ${known.join(', ')}`;
  });
  throw new DraftError('invalid-entry', `Nothing was done: ${problems.join('; ')}.`);
}

/** Renames foreign fields before a schema reads them. Null counts as absent. Two names for one field are an error. */
export function ourNames(fields: unknown, context: z.core.$RefinementCtx): unknown {
  if (!isRecord(fields)) return fields;
  const read = new Map<string, unknown>();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    const field = FOREIGN_NAMES.get(name.replaceAll(/_[a-z]/g, (part) => part.slice(1).toUpperCase())) ?? name;
    const message = `${name} and another are two names of one field, ${field}; give one`;
    if (read.has(field)) context.addIssue({ code: 'custom', message });
    read.set(field, value);
  }
  return Object.fromEntries(read);
}
