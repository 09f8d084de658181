/**
 * The arguments of the capabilities for drafts, under our names and those of the source, and the problems of those that
 * do not fit.
 */

import type { DraftAnswer, EntryKind } from './drafts/index.ts';
import type { PlanIssue } from '../../plan/index.ts';
import { CapabilityError } from '../index.ts';

/** Our name of a field, and those that the sources have for it. */
const OTHER_NAMES = {
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
type Field = keyof typeof OTHER_NAMES;
type NameOf<One extends Field> = One | (typeof OTHER_NAMES)[One][number];

/** Arguments by our names; one that was not given is absent. */
export interface Given {
  readonly conversation?: string;
  readonly draft?: string;
  readonly id?: string;
  readonly kind?: EntryKind;
  readonly limit?: number;
  readonly revision?: number;
  readonly base?: number;
  readonly goal?: string;
  readonly plan?: unknown;
  readonly notes?: string;
  readonly instructions?: string;
  readonly by?: string;
  readonly title?: string;
  readonly summary?: string;
  readonly assumptions?: readonly unknown[];
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly proposedPlan?: unknown;
}

/** Issues written out in a failure; the run shows its message to a person or to a model. */
const MAX_TOLD = 10;

/** The fields of a schema, under every name that they have. */
export function named<One extends Field, Schema>(fields: readonly One[], schema: Schema): Record<NameOf<One>, Schema> {
  const names = fields.flatMap((field) => [field, ...OTHER_NAMES[field]]);
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<NameOf<One>, Schema>;
}

/** The arguments by our names. Two names of one field are refused, so that nothing is passed over. */
export function givenTo(args: Readonly<Record<string, unknown>>): Given {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined || value === null) continue;
    const field = FIELD_OF.get(name) ?? name;
    if (field in given) throw misfit(`${field} is given under two names, one of them ${name}; give one`);
    given[field] = value;
  }
  return given;
}

const FIELD_OF = new Map(
  Object.entries(OTHER_NAMES).flatMap(([field, names]) => names.map((name): [string, string] => [name, field])),
);

export function pick<Name extends keyof Given>(given: Given, names: readonly Name[]): Pick<Given, Name> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name as Name))) as Pick<
    Given,
    Name
  >;
}

export function kept<Answer>(answer: DraftAnswer<Answer>): { readonly ok: true } & Answer {
  if (answer.ok) return answer;
  throw answer.issues === undefined ? misfit(answer.message) : withIssues(answer.message, answer.issues);
}

export function misfit(message: string): CapabilityError {
  return new CapabilityError('REPLANNING', message);
}

export function withIssues(message: string, issues: readonly PlanIssue[]): CapabilityError {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const told = errors.slice(0, MAX_TOLD).map(({ code, path, message: what }) => `${code} at ${path}: ${what}`);
  const more = errors.length > told.length ? [`and ${errors.length - told.length} more`] : [];
  return misfit([message, ...told, ...more].join('\n'));
}
