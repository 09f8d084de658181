/** The result of a run, or its failure, and the results that it leaves in its conversation for the plans that are made there after it. */

import type { PlanIssue } from '../plan/index.ts';
import type { FailureType } from './failure-types.ts';
import type { ResultHandle, UncertainEffect } from './nodes.ts';
import type { Outcome } from './status.ts';
import type { NodeView } from './views.ts';

/**
 * The return value of planWorkflow. Contents stay in the result store, and handles refer to them. Its fields depend on
 * `outcome`.
 */
export type RunResult = DoneResult | PartialResult | StoppedResult;

interface OfRevision {
  /** The digest of the plan that was open at the end. */
  readonly digest: string;
  readonly revision: number;
  /**
   * At-most-once effects that may have happened and that nobody has settled, also those whose nodes an edit removed. At
   * most 100.
   */
  readonly uncertain?: readonly UncertainEffect[];
}

/** The result of a run that came to one. Its content is in the result store. */
export interface DoneResult extends OfRevision {
  readonly outcome: 'done';
  /** The result of the plan's root. */
  readonly result: ResultHandle;
  /** For a list of steps: every result by its context key. */
  readonly results?: Readonly<Record<string, ResultHandle>>;
  readonly missing?: never;
  readonly by?: never;
  readonly comment?: never;
}

/** The result of a run with `onFailure: partial` whose root has none. */
export interface PartialResult extends OfRevision {
  readonly outcome: 'partial';
  /**
   * For a list of steps: every result by its context key. For a tree, by node id: the results that no finished node has
   * used.
   */
  readonly results: Readonly<Record<string, ResultHandle>>;
  /** The nodes without a result, at most 100, and why. */
  readonly missing: readonly NodeView[];
  readonly result?: never;
  readonly by?: never;
  readonly comment?: never;
}

/** The run was closed before its end. The work that was done by then is not lost. */
export interface StoppedResult extends OfRevision {
  readonly outcome: Exclude<Outcome, 'done' | 'partial'>;
  /** For a loop that a cap of its policy ended: its result by then. */
  readonly result?: ResultHandle;
  /** As in a partial run, if anything was done. */
  readonly results?: Readonly<Record<string, ResultHandle>>;
  readonly missing?: readonly NodeView[];
  /** For a run that a person killed or rejected: who, and why. */
  readonly by?: string;
  readonly comment?: string;
}

/** The failure of a run: an `ApplicationFailure` of this type. */
export interface RunFailure {
  readonly type: FailureType;
  readonly message: string;
  /** At most one. */
  readonly details: readonly FailureDetail[];
}

/** The details of a failure besides its message, by its type. */
export interface FailureDetail {
  /** For `InvalidPlan`: the issues of the plan. */
  readonly issues?: readonly PlanIssue[];
  /** For `InvalidInput`: the problems of the input, a sentence each. */
  readonly problems?: readonly string[];
  /** For `PlanFailed`: the nodes without a result, at most 100, and how many there are. */
  readonly nodes?: readonly NodeView[];
  readonly total?: number;
  /** For `IterationLimit`: the rounds that were decided, and the reference of the observations in them. */
  readonly rounds?: number;
  readonly notes?: string;
  /** An explanation of the failure for people; present if there is a model. */
  readonly report?: string;
}

/** The end of a run in its conversation: the outcome, and the results that later plans may name. */
export interface ConversationRun {
  readonly workflowId: string;
  readonly outcome: Outcome;
  readonly goal: string;
  readonly results: readonly KeptResult[];
  /** Results that are not among them, the earlier ones. */
  readonly left: number;
}

/** A result that later plans may name (Osprey: context reuse). */
export interface KeptResult {
  /** The context key of its step; absent for the result of a whole that has no keys. */
  readonly key?: string;
  /** The expected output of its step. */
  readonly type?: string;
  /** The purpose that it was made for. */
  readonly objective: string;
  /** Into the result store. */
  readonly ref: string;
}

/**
 * As `AbortSignal.timeout`, also where only `AbortSignal.any` holds it: Node 20 may collect a timeout that has no
 * listener, and then the other signal never aborts.
 */
export function timeoutSignal(ms: number): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  limit.addEventListener('abort', () => undefined, { once: true });
  return limit;
}

/** Rejects with the reason of a signal once it is aborted, to race against work that ignores it. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
