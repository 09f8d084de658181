/** Reads requests about drafts and artifacts from models, people and programs, under our names or Pathfinder's. */

import { z } from 'zod';
import { canonicalJson, didYouMean, type JsonValue, type PlanIssue } from '../../../plan/index.ts';
import { messageOf, quote, textOfBytes } from '../../../plan/text/index.ts';
import { given, isRecord } from '../../../protocol/index.ts';
import { isWords, readStrictly } from '../../read-arguments.ts';
import { ENTRY_KINDS } from './entry.ts';

/** Pathfinder's names of our fields; each also comes in snake case. */
const FOREIGN_NAMES = {
  conversation: 'conversationId',
  draft: 'delegationPlanArtifactId',
  goal: 'delegationGoal',
  id: 'artifactId',
  instructions: 'additionalInstructions',
  notes: 'notesMarkdown',
  plan: 'delegationPlan',
  proposedPlan: 'proposedStrategyPlan',
  summary: 'summaryMarkdown',
} as const;
const FIELD_OF = new Map<string, string>(
  Object.entries(FOREIGN_NAMES).flatMap(([field, name]) => [
    [name, field],
    [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), field],
  ]),
);

/** The code of a refusal of `createDrafts`; on the command line the `error.reason`. */
export const DRAFT_ERROR_CODES = [
  /** What was given does not fit; nothing was done. @fix Follow the message. */
  'invalid-entry',
  /** There is no plan, and none in the notes. @fix Give a plan document. */
  'draft-plan-required',
  /** The plan of the draft has errors, and no run was started. @fix Mend them, save the draft again. */
  'draft-invalid',
  /**
   * The draft has a later revision than the one named as its base. @fix Look at the latest, carry the change over,
   * save again.
   */
  'stale-draft',
  /** The conversation has no such draft, or no such revision of it. @fix Name one that the message lists. */
  'draft-not-found',
  /** The conversation has no such artifact. @fix Name one that the message lists. */
  'artifact-not-found',
] as const;

/** The code of a refused request about drafts and artifacts. */
export type DraftErrorCode = (typeof DRAFT_ERROR_CODES)[number];

/**
 * A refused request about drafts and artifacts. `message` says what is wrong and what to do next; `issues` are those of
 * the plan, for `draft-invalid`.
 */
export interface DraftRefusal {
  readonly ok: false;
  readonly code: DraftErrorCode;
  readonly message: string;
  readonly issues?: readonly PlanIssue[];
}

/** The answer to a request about drafts: `ok: true` with the fields of `Given`, or the refusal. */
export type DraftAnswer<Given> = ({ readonly ok: true } & Given) | DraftRefusal;

class RefusedRequest extends Error {}

export function draftRefusal(code: DraftErrorCode, message: string, issues?: readonly PlanIssue[]): Error {
  const refusal: DraftRefusal = { ok: false, code, message, ...given({ issues }) };
  return new RefusedRequest(message, { cause: refusal });
}

export function invalidEntry(problems: readonly string[]): Error {
  return draftRefusal('invalid-entry', `Nothing was done: ${problems.join('; ')}.`);
}

export async function answered<Answer extends object>(work: () => Promise<Answer>): Promise<DraftAnswer<Answer>> {
  try {
    return { ok: true, ...(await work()) };
  } catch (error) {
    if (error instanceof RefusedRequest) return error.cause as DraftRefusal;
    throw error;
  }
}

const nameOf = (most: number, expected: string) =>
  z.custom<string>((value) => isWords(value) && value.isWellFormed() && Array.from(value).length <= most, expected);
const label = nameOf(200, 'expected a well-formed text of 1 to 200 characters');
const key = nameOf(Infinity, 'expected a well-formed text that is not blank');
/** Of any length, trimmed; undefined if it is blank. */
const text = z
  .string('expected text')
  .refine((value) => value.isWellFormed(), 'has half of a surrogate pair; send well-formed text')
  .transform((value) => value.trim() || undefined)
  .optional();
/** A private copy. A foreign object may throw anything from a getter. */
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
const list = z.custom<readonly JsonValue[]>(Array.isArray, 'expected a list').default([]);
const object = z.custom<Readonly<Record<string, JsonValue>>>(isRecord, 'expected an object').default({});
const BASE = 'expected the number of a revision, or 0';
const COUNT = 'expected a whole number from 1';

const limits = z.custom<object>().optional();
const saving = { by: label.optional(), idempotencyKey: key.optional() };
/** Checked against the existing revisions later. */
const revision = z.custom<number>().optional();

const ARTIFACT = {
  title: text,
  summary: text,
  assumptions: json.pipe(list),
  parameters: json.pipe(object),
  proposedPlan: json,
};
const DRAFT = { goal: text, plan: document, notes: text };

/** Each request: the conversation, its options and its fields. */
export const DRAFT_REQUESTS = {
  artifact: request(saving, ARTIFACT),
  draft: request(
    { ...saving, limits, draft: label.default('delegation_draft'), base: z.int(BASE).min(0, BASE).optional() },
    DRAFT,
  ),
  ended: request(saving),
  handOff: request({ by: saving.by, limits, draft: label.optional(), revision, goal: text, instructions: text }),
  list: request({
    kind: z.enum(ENTRY_KINDS, `expected ${ENTRY_KINDS.join(', ')}`).optional(),
    limit: z.int(COUNT).min(1, COUNT).default(50),
    full: z.boolean('expected true or false').default(false),
  }),
  entry: request({ id: label.optional(), revision }),
};

/** Fields under our names or those of Pathfinder. Values are checked when they are read. */
type ForeignFields<Field extends string> = { readonly [name in Field]?: unknown } & {
  readonly [foreign: string]: unknown;
};

/** The fields of an artifact: its title, its contents, and a plan that it proposes. */
export type ArtifactFields = ForeignFields<'title' | 'summary' | 'assumptions' | 'parameters' | 'proposedPlan'>;

/** The fields of a draft: a goal, a plan document, and notes in Markdown. */
export type DraftFields = ForeignFields<'goal' | 'plan' | 'notes'>;

function request<Options extends z.ZodRawShape, Fields extends z.ZodRawShape>(options: Options, fields?: Fields) {
  const shape = fields ?? ({} as Fields);
  const expected = `expected an object with ${Object.keys(shape).join(', ')}`;
  return z.strictObject({
    conversation: label,
    options: z.strictObject(options),
    fields: z.strictObject(shape, { error: ({ code }) => (code === 'invalid_type' ? expected : undefined) }),
  });
}

/** @throws the refusal `invalid-entry` with all problems at once */
export function readRequest<Schema extends z.ZodType>(
  schema: Schema,
  conversation: unknown,
  options: object,
  fields: unknown = {},
): z.output<Schema> {
  const problems: string[] = [];
  const named = isRecord(fields) ? byOurNames(fields, (problem) => problems.push(problem)) : fields;
  const read = readStrictly(schema, { conversation, options, fields: named });
  if (read.ok && problems.length === 0) return read.value as z.output<Schema>;
  for (const { code, path, message, got = '', expected = [] } of read.ok ? [] : read.problems) {
    const known = [expected].flat();
    const unknown = `unknown field ${quote(got)}.${didYouMean(got, known)} Known are ${known.join(', ')}`;
    problems.push(code === undefined ? `${path.at(-1)}: ${message}, got ${got}` : unknown);
  }
  throw invalidEntry(problems);
}

/** Null means absent. Two names of one field are a problem. */
function byOurNames(fields: object, problem: (message: string) => void): Record<string, unknown> {
  const read = new Map<string, unknown>();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    const field = FIELD_OF.get(name) ?? name;
    if (read.has(field)) problem(`${name} and another are two names of one field, ${field}; give one`);
    read.set(field, value);
  }
  return Object.fromEntries(read);
}

/** Renames the arguments of a capability before its schema reads them. */
export function ourNames(args: unknown, context: z.core.$RefinementCtx): unknown {
  if (!isRecord(args)) return args;
  return byOurNames(args, (message) => context.addIssue({ code: 'custom', message }));
}
