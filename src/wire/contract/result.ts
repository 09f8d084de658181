/** What a run ends with. */

import type { PlanIssue } from '../../language/plan/index.ts';
import type { FailureType } from './failure-types.ts';
import type { ResultHandle } from './nodes.ts';
import type { Outcome } from './phases.ts';
import type { NodeView } from './views.ts';

/**
 * What planWorkflow returns when it completes. Contents stay in the result store; handles say where.
 * What it has follows from its `outcome`.
 */
export type RunResult = DoneResult | PartialResult | StoppedResult;

interface OfRevision {
  /** Of the plan that was open at the end. */
  readonly digest: string;
  readonly revision: number;
}

export interface DoneResult extends OfRevision {
  readonly outcome: 'done';
  /** The result of the plan's root. */
  readonly result: ResultHandle;
  /** Of a list of steps: every result by its context key. */
  readonly results?: Readonly<Record<string, ResultHandle>>;
  readonly missing?: never;
  readonly by?: never;
  readonly comment?: never;
}

/** The root has no result. */
export interface PartialResult extends OfRevision {
  readonly outcome: 'partial';
  /** Of a list of steps: every result by its context key. Of a tree: what nothing finished has used, by node id. */
  readonly results: Readonly<Record<string, ResultHandle>>;
  /** The nodes without a result, at most 100, and why. */
  readonly missing: readonly NodeView[];
  readonly result?: never;
  readonly by?: never;
  readonly comment?: never;
}

/** The run was closed before its end. What had been done by then is not lost. */
export interface StoppedResult extends OfRevision {
  readonly outcome: Exclude<Outcome, 'done' | 'partial'>;
  /** Of a loop that a cap of its policy ended: what it had come to. */
  readonly result?: ResultHandle;
  /** As those of a partial run, where anything was done. */
  readonly results?: Readonly<Record<string, ResultHandle>>;
  readonly missing?: readonly NodeView[];
  /** Of a run that a person killed: who, and why. */
  readonly by?: string;
  readonly comment?: string;
}

/** What a run fails with: an `ApplicationFailure` of this type. */
export interface RunFailure {
  readonly type: FailureType;
  readonly message: string;
  /** At most one. */
  readonly details: readonly FailureDetail[];
}

/** What a failure says beside its message, by its type. */
export interface FailureDetail {
  /** Of `InvalidPlan`: what is wrong with the plan. */
  readonly issues?: readonly PlanIssue[];
  /** Of `InvalidInput`: what is wrong with the input, a sentence each. */
  readonly problems?: readonly string[];
  /** Of `PlanFailed`: the nodes without a result, at most 100, and how many there are. */
  readonly nodes?: readonly NodeView[];
  readonly total?: number;
  /** Of `IterationLimit`: the rounds that were decided, and the reference of what was observed in them. */
  readonly rounds?: number;
  readonly notes?: string;
  /** Where there is a model to word it: why the run failed, for people. */
  readonly report?: string;
}
