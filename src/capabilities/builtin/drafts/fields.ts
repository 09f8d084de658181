/** Reads what a model or a person gives for an entry. A field has one name of ours and those that Pathfinder has for it. */

import type { z } from 'zod';
import { canonicalJson, didYouMean, type JsonValue, type PlanIssue } from '../../../plan/index.ts';
import { describe, isRecord } from '../../../protocol/index.ts';
import { messageOf, quote } from '../../../plan/text/index.ts';

const NAMES = {
  conversation: ['conversationId', 'conversation_id'],
  draft: ['delegationPlanArtifactId', 'delegation_plan_artifact_id'],
  goal: ['delegationGoal', 'delegation_goal'],
  id: ['artifactId', 'artifact_id'],
  instructions: ['additionalInstructions', 'additional_instructions'],
  notes: ['notesMarkdown', 'notes_markdown'],
  plan: ['delegationPlan', 'delegation_plan'],
  proposedPlan: ['proposedStrategyPlan', 'proposed_strategy_plan'],
  summary: ['summaryMarkdown', 'summary_markdown'],
} as const;
const FIELD_OF = new Map(
  Object.entries(NAMES).flatMap(([field, names]) => names.map((name): [string, string] => [name, field])),
);

type Named<Field extends string> = Field | (Field extends keyof typeof NAMES ? (typeof NAMES)[Field][number] : never);
const ARTIFACT_FIELDS = ['title', 'summary', 'assumptions', 'parameters', 'proposedPlan'] as const;
const DRAFT_FIELDS = ['goal', 'plan', 'notes'] as const;

/** Any of the names of every field; values are checked when they are read. */
export type ArtifactFields = { readonly [name in Named<(typeof ARTIFACT_FIELDS)[number]>]?: unknown };

/**
 * The fields of a draft, each under any of its names: a goal, a plan document, and notes in Markdown. Values are
 * checked when they are read.
 */
export type DraftFields = { readonly [name in Named<(typeof DRAFT_FIELDS)[number]>]?: unknown };

/** A list, since every problem is told at once. */
export type Problems = string[];
/** Unknown fields that are compared with those there are, each a problem. */
const MOST_UNKNOWN = 100;

/** The `code` of a refusal of `createDrafts`; on the command line the `error.reason`. */
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

/** The stable code of a refused request about drafts and artifacts, one of `DRAFT_ERROR_CODES`. */
export type DraftErrorCode = (typeof DRAFT_ERROR_CODES)[number];

/**
 * A refused request about drafts and artifacts. `message` says what is wrong and what to do next; `issues` are those of
 * the plan, with `draft-invalid`.
 */
export interface DraftRefusal {
  readonly ok: false;
  readonly code: DraftErrorCode;
  readonly message: string;
  readonly issues?: readonly PlanIssue[];
}

/** The answer to a request about drafts: `ok: true` with the fields of `Given`, or the refusal. */
export type DraftAnswer<Given> = ({ readonly ok: true } & Given) | DraftRefusal;

export function refuse(code: DraftErrorCode, message: string, issues?: readonly PlanIssue[]): DraftRefusal {
  return { ok: false, code, message, ...(issues !== undefined && { issues }) };
}

export function invalidEntry(problems: Problems): DraftRefusal {
  return refuse('invalid-entry', `Nothing was done: ${problems.join('; ')}.`);
}

/** The fields by our names; one that is null is absent. Two names of one field are a problem, so that nothing is passed over. */
export function byOurNames(given: object, problem: (message: string) => void): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    const field = FIELD_OF.get(name) ?? name;
    if (Object.hasOwn(read, field)) problem(`${name} and another are two names of one field, ${field}; give one`);
    read[field] = value;
  }
  return read;
}

/** The arguments of a capability by our names, before its schema reads them. */
export function ourNames(args: unknown, context: z.core.$RefinementCtx): unknown {
  if (!isRecord(args)) return args;
  return byOurNames(args, (message) => context.addIssue({ code: 'custom', message }));
}

/** A name that no field has is a problem. */
function readFields<Field extends string>(
  given: unknown,
  fields: readonly Field[],
  problems: Problems,
): { readonly [field in Field]?: unknown } {
  if (!isRecord(given)) {
    problems.push(`expected an object with ${fields.join(', ')}, got ${describe(given)}`);
    return {};
  }
  const read = byOurNames(given, (message) => problems.push(message));
  const unknown = Object.keys(given).filter((one) => !fields.some((field) => field === (FIELD_OF.get(one) ?? one)));
  for (const key of unknown.slice(0, MOST_UNKNOWN)) {
    problems.push(`unknown field ${quote(key)}.${didYouMean(key, fields)} Known are ${fields.join(', ')}`);
  }
  return read as { readonly [field in Field]?: unknown };
}

export function readDraftFields(given: unknown, problems: Problems) {
  const { goal, plan, notes } = readFields(given, DRAFT_FIELDS, problems);
  return { goal: readText('goal', goal, problems), plan, notes: readText('notes', notes, problems) };
}

/** Pathfinder: an artifact without a title is a new conversation. */
export function readArtifactFields(given: unknown, problems: Problems) {
  const fields = readFields(given, ARTIFACT_FIELDS, problems);
  const assumptions = readJson('assumptions', fields.assumptions, problems) ?? [];
  const parameters = readJson('parameters', fields.parameters, problems) ?? {};
  if (!Array.isArray(assumptions)) problems.push('assumptions: expected a list');
  if (!isRecord(parameters)) problems.push('parameters: expected an object');
  const title = readText('title', fields.title, problems) ?? 'New Conversation';
  const summary = readText('summary', fields.summary, problems) ?? '';
  return {
    title,
    summary,
    assumptions,
    parameters,
    proposedPlan: readJson('proposedPlan', fields.proposedPlan, problems),
  };
}

/** A text of any length, trimmed; undefined when it is absent or blank. */
export function readText(field: string, value: unknown, problems: Problems): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') problems.push(`${field}: expected text, got ${describe(value)}`);
  else if (!value.isWellFormed()) problems.push(`${field}: has half of a surrogate pair; send well-formed text`);
  else if (value.trim() !== '') return value.trim();
  return undefined;
}

const MAX_LABEL = 200;

/** A name of something: not blank, at most 200 characters, kept as it was written. */
export function readLabel(field: string, value: unknown, problems: Problems): string {
  const isText = typeof value === 'string' && value.trim() !== '' && value.isWellFormed();
  if (isText && Array.from(value).length <= MAX_LABEL) return value;
  const got = typeof value === 'string' && value.trim() === '' ? 'a blank text' : describe(value);
  problems.push(`${field}: expected a well-formed text of 1 to ${MAX_LABEL} characters, got ${got}`);
  return '';
}

/** A private copy, with the keys of objects in canonical order; undefined where it is no JSON. */
export function readJson(field: string, value: unknown, problems: Problems): JsonValue | undefined {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(canonicalJson(value as JsonValue)) as JsonValue;
  } catch (error) {
    // A foreign object may throw anything from a getter.
    problems.push(`${field}: is no JSON value (${messageOf(error)})`);
    return undefined;
  }
}
