/** How a run is to be run: its options as the run holds them, and the plan it is given. */

import type { ApprovalPolicy } from './rules.ts';

/** `ask`: a node that failed waits for a person to retry, skip or resolve it. */
export type OnFailure = 'fail' | 'partial' | 'ask';

export interface RunOptions {
  /** `required`: every node waits for an approval. `effects`: only nodes with an effect above read do. */
  readonly approval: ApprovalPolicy;
  readonly approvalDeadlineMs: number;
  /** How long a question, an uncertain node and, under `ask`, a failed one wait for a person. */
  readonly answerDeadlineMs: number;
  /** The rejection that ends the run; those before it leave the gate shut until the plan is edited. */
  readonly maxRejections: number;
  /** Plans that the run may have one after another. */
  readonly maxRevisions: number;
  readonly onFailure: OnFailure;
  /** Nodes in flight at once. */
  readonly concurrency: number;
  readonly limits?: { readonly depth?: number; readonly nodes?: number };
  /** External context that the steps of a list may name among their inputs: any JSON, by its context key. */
  readonly context?: Readonly<Record<string, unknown>>;
}

export const DEFAULT_OPTIONS: RunOptions = {
  approval: 'required',
  approvalDeadlineMs: 24 * 3_600_000,
  answerDeadlineMs: 24 * 3_600_000,
  maxRejections: 1,
  maxRevisions: 20,
  onFailure: 'fail',
  concurrency: 100,
};

/** The keys of `options` in a run's input; durations are given as `"24h"` or milliseconds. */
export const OPTION_KEYS = [
  'mode',
  'approval',
  'approvalDeadline',
  'answerDeadline',
  'maxRejections',
  'maxRevisions',
  'onFailure',
  'concurrency',
  'limits',
  'context',
] as const;

/** A plan as the caller gave it: in the input, or by reference into the result store. */
export type PlanSource = { readonly document: unknown } | { readonly ref: string };
