/** The entries of a conversation: artifacts, revisions of drafts, hand-offs to runs, and ends of runs. */

import type { KeptResult, Outcome } from '../../../protocol/index.ts';
import type { JsonValue, PlanIssue } from '../../../plan/index.ts';

/** Every kind of entry: an artifact, a revision of a draft, the hand-off of a draft to a run, the end of a run. */
export const ENTRY_KINDS = ['artifact', 'draft', 'handed-off', 'ended'] as const;

/** The kind of an entry, one of `ENTRY_KINDS`. The other fields of the entry follow from it. */
export type EntryKind = (typeof ENTRY_KINDS)[number];

interface AnyEntry {
  /**
   * The name of the entry: of an artifact `plan_` and 12 hex digits, of a draft its name, of a hand-off and of an end
   * the workflow id.
   */
  readonly id: string;
  readonly conversation: string;
  /** Its place in the conversation, from 1, without gaps. */
  readonly number: number;
  /** ISO 8601, UTC, by the writer's clock. The order is that of the numbers, not of the clocks. */
  readonly createdAt: string;
  readonly by?: string;
}

/** A finding or a proposal from before any run. */
export interface Artifact extends AnyEntry {
  readonly kind: 'artifact';
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
  readonly assumptions: readonly JsonValue[];
  readonly parameters: { readonly [name: string]: JsonValue };
  /** A plan document as the writer gave it. It is compiled when it becomes a draft. */
  readonly proposedPlan?: JsonValue;
}

/** One revision of a plan that is being worked on. */
export interface Draft extends AnyEntry {
  readonly kind: 'draft';
  /** Counts the saves under this id, from 1. */
  readonly revision: number;
  /** Empty if neither the plan nor the caller has one. */
  readonly goal: string;
  /** The digest of the compiled plan; absent if the plan has errors. */
  readonly digest?: string;
  readonly errors: number;
  /** The plan document, as text or as JSON: exactly what a hand-off runs. */
  readonly plan: JsonValue;
  /** Markdown. */
  readonly notes?: string;
  /** The issues of the compiler when the draft was saved: errors, warnings and notes. */
  readonly issues: readonly PlanIssue[];
}

/** A run of a draft was started: the draft's revision, the run's workflow id and its plan's digest. */
export interface HandOffEntry extends AnyEntry {
  readonly kind: 'handed-off';
  readonly draft: string;
  readonly revision: number;
  readonly workflowId: string;
  readonly digest: string;
  readonly instructions?: string;
}

/** The end of a run of the conversation. */
export interface Ended extends AnyEntry {
  readonly kind: 'ended';
  readonly workflowId: string;
  readonly outcome: Outcome;
  readonly goal: string;
  readonly results: readonly KeptResult[];
  /** How many results of the run are not among them. */
  readonly left: number;
}

/** An entry of a conversation with its contents. `kind` says which fields it has. */
export type FullEntry = Artifact | Draft | HandOffEntry | Ended;

const CONTENTS = [
  ...(['summary', 'assumptions', 'parameters', 'proposedPlan'] as const),
  ...(['plan', 'notes', 'issues', 'results', 'left'] as const),
];

type WithoutContents<Kind> = Kind extends unknown ? Omit<Kind, (typeof CONTENTS)[number]> : never;

/** An entry without its contents, as lists give it. `kind` says which fields it has. */
export type Entry = WithoutContents<FullEntry>;

export function withoutContents(entry: FullEntry): Entry {
  return Object.fromEntries(
    Object.entries(entry).filter(([field]) => !CONTENTS.some((name) => name === field)),
  ) as Entry;
}

/** A result of a run of the conversation, by the key under which a plan may name it. */
export type NamedResult = KeptResult & { readonly key: string; readonly workflowId: string };
