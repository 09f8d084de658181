import type { PlanIssue } from '../plan/index.ts';
import type { FailureType } from './failure-types.ts';
import type { ResultHandle, UncertainEffect } from './nodes.ts';
import type { Outcome } from './status.ts';
import type { NodeView } from './views.ts';

/** The return value of planWorkflow. The fields depend on `outcome`. Handles refer to contents in the store. */
export type RunResult = DoneResult | PartialResult | StoppedResult;

interface OfRevision {
  /** The digest of the plan that was open at the end. */
  readonly digest: string;
  readonly revision: number;
  /** At-most-once effects that may have happened and that nobody has settled; at most 100. */
  readonly uncertain?: readonly UncertainEffect[];
}

/** The result of a run that succeeded. */
export interface DoneResult extends OfRevision {
  readonly outcome: 'done';
  readonly result: ResultHandle;
  /** For a list of steps: every result, by context key. */
  readonly results?: Readonly<Record<string, ResultHandle>>;
  readonly missing?: never;
  readonly by?: never;
  readonly comment?: never;
}

/** The result of a run with `onFailure: partial` whose root has no result. */
export interface PartialResult extends OfRevision {
  readonly outcome: 'partial';
  /** For a list: every result, by context key. For a tree: the results that no finished node used, by node id. */
  readonly results: Readonly<Record<string, ResultHandle>>;
  /** The nodes without a result and the reasons; at most 100. */
  readonly missing: readonly NodeView[];
  readonly result?: never;
  readonly by?: never;
  readonly comment?: never;
}

/** The result of a run that was stopped, with the results that existed then. */
export interface StoppedResult extends OfRevision {
  readonly outcome: Exclude<Outcome, 'done' | 'partial'>;
  /** For a loop that a limit of its policy ended: the loop's result so far. */
  readonly result?: ResultHandle;
  /** The results that exist, as in a partial run; absent if no node has one. */
  readonly results?: Readonly<Record<string, ResultHandle>>;
  readonly missing?: readonly NodeView[];
  /** The person who killed or rejected the run. */
  readonly by?: string;
  readonly comment?: string;
}

export interface RunFailure {
  readonly type: FailureType;
  readonly message: string;
  readonly details: readonly FailureDetail[];
}

export interface FailureDetail {
  readonly issues?: readonly PlanIssue[];
  /** For `InvalidInput`: the problems of the input, each as a sentence. */
  readonly problems?: readonly string[];
  /** For `PlanFailed`: the nodes without a result (at most 100), and their total number. */
  readonly nodes?: readonly NodeView[];
  readonly total?: number;
  /** For `IterationLimit`: the number of rounds, and the reference of the observations. */
  readonly rounds?: number;
  readonly notes?: string;
  /** An explanation of the failure for people, if the project has a model. */
  readonly report?: string;
}

export interface ConversationRun {
  readonly workflowId: string;
  readonly outcome: Outcome;
  readonly goal: string;
  readonly results: readonly KeptResult[];
  /** The number of earlier results that the list omits. */
  readonly left: number;
}

/** A result that later plans of the conversation may use. */
export interface KeptResult {
  /** The context key of the result's step; absent if the plan has no keys. */
  readonly key?: string;
  /** The expected output of its step. */
  readonly type?: string;
  readonly objective: string;
  readonly ref: string;
}

/** Like `AbortSignal.timeout`, but keeps a listener, without which Node 20 may collect the signal. */
export function timeoutSignal(ms: number): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  limit.addEventListener('abort', () => undefined, { once: true });
  return limit;
}

/** Rejects with the signal's reason when it aborts. Race this against code that ignores the signal. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
