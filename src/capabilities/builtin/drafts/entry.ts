/**
 * The entries of a conversation, in order.
 *
 * - artifact: a finding or a proposal, before any run.
 * - draft: one revision of a plan that is being worked on, with the issues of the compiler.
 * - handed-off: the note that a run of a draft was started.
 * - ended: the results that a run of the conversation has left at its end.
 */

import type { KeptResult, Outcome } from '../../../protocol/index.ts';
import type { JsonValue, PlanIssue } from '../../../plan/index.ts';

/** Every kind of entry: an artifact, a revision of a draft, the hand-off of a draft to a run, the end of a run. */
export const ENTRY_KINDS = ['artifact', 'draft', 'handed-off', 'ended'] as const;

/** The kind of an entry, one of `ENTRY_KINDS`. The other fields of the entry follow from it. */
export type EntryKind = (typeof ENTRY_KINDS)[number];

interface EntryHead {
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

/** A finding or a proposal from before any run, without its contents. */
export interface ArtifactEntry extends EntryHead {
  readonly kind: 'artifact';
  readonly title: string;
}

/** One revision of a plan that is being worked on, without the plan. */
export interface DraftEntry extends EntryHead {
  readonly kind: 'draft';
  /** Counts the saves under this id, from 1. */
  readonly revision: number;
  /** Empty when neither the plan nor the caller has one. */
  readonly goal: string;
  /** The digest of the compiled plan; absent when the plan has errors. */
  readonly digest?: string;
  readonly errors: number;
}

/** The note that a run of a draft was started: the draft's revision, the run's workflow id and its plan's digest. */
export interface HandOffEntry extends EntryHead {
  readonly kind: 'handed-off';
  readonly draft: string;
  readonly revision: number;
  readonly workflowId: string;
  readonly digest: string;
  readonly instructions?: string;
}

/** The end of a run of the conversation, without its results. */
export interface EndedEntry extends EntryHead {
  readonly kind: 'ended';
  readonly workflowId: string;
  readonly outcome: Outcome;
  readonly goal: string;
}

/** An entry of a conversation without its contents, as lists give it. `kind` tells its fields. */
export type Entry = ArtifactEntry | DraftEntry | HandOffEntry | EndedEntry;

/** An artifact with its contents. */
export interface Artifact extends ArtifactEntry {
  /** Markdown. */
  readonly summary: string;
  readonly assumptions: readonly JsonValue[];
  readonly parameters: { readonly [name: string]: JsonValue };
  /** A plan document as it was given; it is compiled when it becomes a draft. */
  readonly proposedPlan?: JsonValue;
}

/** A revision of a draft with its contents. */
export interface Draft extends DraftEntry {
  /** The plan document, as text or as JSON: exactly what a hand-off runs. */
  readonly plan: JsonValue;
  /** Markdown. */
  readonly notes?: string;
  /** The issues of the compiler when the draft was saved: errors, warnings and notes. */
  readonly issues: readonly PlanIssue[];
}

/** The end of a run with its results. */
export interface Ended extends EndedEntry {
  readonly results: readonly KeptResult[];
  /** Results of the run that are not among them. */
  readonly left: number;
}

/** A result of a run of the conversation, by the key under which a plan may name it. */
export type NamedResult = KeptResult & { readonly key: string; readonly workflowId: string };

/** An entry of a conversation with its contents. `kind` tells its fields. */
export type FullEntry = Artifact | Draft | HandOffEntry | Ended;
