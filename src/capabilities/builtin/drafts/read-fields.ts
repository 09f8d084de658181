/** Reads what a model or a person gives for an entry. A field has one name of ours and those that it has elsewhere. */

import { canonicalJson, didYouMean, type JsonValue } from '../../../plan/index.ts';
import { describe, isRecord } from '../../../protocol/index.ts';
import { isWellFormed, quote } from '../../../plan/text/index.ts';

/** Pathfinder: save_planning_artifact. */
export const ARTIFACT_FIELDS = {
  title: ['title'],
  summary: ['summary', 'summaryMarkdown', 'summary_markdown'],
  assumptions: ['assumptions'],
  parameters: ['parameters'],
  proposedPlan: ['proposedPlan', 'proposedStrategyPlan', 'proposed_strategy_plan'],
} as const;

/** Pathfinder: save_delegation_plan_draft. */
export const DRAFT_FIELDS = {
  goal: ['goal', 'delegationGoal', 'delegation_goal'],
  plan: ['plan', 'delegationPlan', 'delegation_plan'],
  notes: ['notes', 'notesMarkdown', 'notes_markdown'],
} as const;

type FieldTable = { readonly [field: string]: readonly string[] };
type NameIn<Table extends FieldTable> = Table[keyof Table][number];

/** Any of the names of every field; values are checked when they are read. */
export type ArtifactFields = { readonly [name in NameIn<typeof ARTIFACT_FIELDS>]?: unknown };

/**
 * The fields of a draft, each under any of its names: a goal, a plan document, and notes in Markdown. Values are
 * checked when they are read.
 */
export type DraftFields = { readonly [name in NameIn<typeof DRAFT_FIELDS>]?: unknown };

/** The values by our names; absent, undefined and null are one. */
export type FieldValues<Table extends FieldTable> = { readonly [field in keyof Table]?: unknown };

/** A list, since every problem is told at once. */
export type Problems = string[];

const MAX_LABEL = 200;

/** Two names of one field, and a name that no field has, are problems: nothing that was given is passed over. */
export function readFields<Table extends FieldTable>(
  given: unknown,
  table: Table,
  problems: Problems,
): FieldValues<Table> {
  if (!isRecord(given)) {
    problems.push(`expected an object with ${Object.keys(table).join(', ')}, got ${describe(given)}`);
    return {};
  }
  const values: Record<string, unknown> = {};
  const known = Object.values(table).flat();
  for (const key of Object.keys(given).filter((one) => !known.includes(one))) {
    problems.push(`unknown field ${quote(key)}.${didYouMean(key, known)} Known are ${Object.keys(table).join(', ')}`);
  }
  for (const [field, names] of Object.entries(table)) {
    const present = names.filter((name) => given[name] !== undefined && given[name] !== null);
    if (present.length > 1) problems.push(`${present.join(' and ')} are two names of one field; give one`);
    if (present[0] !== undefined) values[field] = given[present[0]];
  }
  return values;
}

/** A text of any length, trimmed; undefined when it is absent or blank. */
export function readText(field: string, value: unknown, problems: Problems): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') problems.push(`${field}: expected text, got ${describe(value)}`);
  else if (!isWellFormed(value)) problems.push(`${field}: has half of a surrogate pair; send well-formed text`);
  else if (value.trim() !== '') return value.trim();
  return undefined;
}

/** A name of something: not blank, at most 200 characters, kept as it was written. */
export function readLabel(field: string, value: unknown, problems: Problems): string {
  const fits =
    typeof value === 'string' && value.trim() !== '' && isWellFormed(value) && Array.from(value).length <= MAX_LABEL;
  if (fits) return value;
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
    problems.push(`${field}: is no JSON value (${error instanceof Error ? error.message : String(error)})`);
    return undefined;
  }
}
