/** Every `type` that an ApplicationFailure of ours can have; the build writes them into docs/errors.md. */

/** How an error inside an activity is treated (Osprey: error severities). */
export const ERROR_CLASSES = [
  /** A failure that time may cure; all attempts are spent. @fix Try again later. */
  'RETRIABLE',
  /**
   * The plan does not fit the facts. @fix Make another plan, or let the run replan: `onFailure: replan`
   * (docs/planning.md#a-plan-that-is-made-anew).
   */
  'REPLANNING',
  /** The task has the wrong kind of executor. @fix As above; capabilities are selected again. */
  'RECLASSIFICATION',
  /** Trying again cannot help. @fix Follow the message. */
  'CRITICAL',
  /** A part of the system below Planwright is broken. @fix Follow the message. */
  'FATAL',
] as const;

/**
 * The class of an error, by what may cure it. `RETRIABLE`: time. `REPLANNING`: another plan. `RECLASSIFICATION`:
 * another kind of executor. `CRITICAL`: no other attempt. `FATAL`: a repair of the system below.
 */
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/**
 * The `type` of the failure of a run or a node. Further types of nodes: `Timeout.HEARTBEAT` or
 * `Timeout.SCHEDULE_TO_START` after a timeout, `Timeout.ANSWER` for a question without an answer, `Cancelled` and
 * `Skipped` by a person, and `Uncertain` for an effect that may have happened.
 */
export const FAILURE_TYPES = [
  /**
   * The input of the run, or a message to it, is invalid: a value, a limit (as of `context`), a rule that nobody can
   * satisfy. @fix Follow the message; see docs/runs.md.
   */
  'InvalidInput',
  /** The plan has issues; all are in the details. @fix Mend them. */
  'InvalidPlan',
  /** The root has no result; every node without one is in the details. @fix Look at the first failed node. */
  'PlanFailed',
  /** A loop reached its limit of rounds. @fix Raise the limit, or narrow the goal. */
  'IterationLimit',
  /**
   * A stage of the policy of a loop is broken; nothing of that round was done. @fix Mend the stage that the message
   * names; docs/policies.md.
   */
  'PolicyFailed',
  /**
   * For 10 minutes every worker that tried resolved a task differently from the approved plan. @fix Run the approved
   * version and send `retry`, or `skip`, or `kill`.
   */
  'CapabilityChanged',
  /** The store returned something else than was stored. @fix Restore the store and start the plan again. */
  'ResultCorrupt',
  /**
   * An at-most-once effect certainly did not happen. @fix Start the plan again; `onFailure: replan` makes another plan.
   */
  'NotApplied',
  /**
   * The store, the disk or the server was away, and nobody decided what to do; for a node: the disk was full at its
   * at-most-once effect. @fix Repair it; then `retry`, or start the plan again.
   */
  'Unavailable',
  /**
   * No signed message allows the effect under the rules of this worker's project, and another approval would not help.
   * The effect has not begun. @fix Add the key to the worker's `identity` and restart the worker, or approve with a key
   * that it has; see docs/identity.md.
   */
  'NotApproved',
  /**
   * A run, or a node of it, wanted to spend more than its budget (docs/runs.md#budgets). @fix Give it a larger one, or
   * `onEnd: ask`.
   */
  'BudgetSpent',
  /**
   * The attempts are spent, and in the last the capability took too long. @fix Raise its `startToCloseMs`, or ask for
   * less.
   */
  'Timeout.START_TO_CLOSE',
  /**
   * The worker of the last attempt at this node, plan or decision died or froze: a person is asked. @fix Look at the logs of the
   * workers (out of memory, an endless loop); then `retry`, or `resume` for a plan or a decision.
   */
  'WorkerLost',
  ...ERROR_CLASSES,
] as const;

/** The `type` of the failure of a run or a node. docs/errors.md says what to do about each. */
export type FailureType = (typeof FAILURE_TYPES)[number];

/**
 * Failures that a retry may cure; `CapabilityChanged` needs a retry on another worker, as while a new version is rolled
 * out.
 */
const RETRYABLE_TYPES: readonly FailureType[] = ['RETRIABLE', 'NotApplied', 'CapabilityChanged', 'Unavailable'];

/** Types that no retry can cure. */
export const NON_RETRYABLE_TYPES: readonly FailureType[] = FAILURE_TYPES.filter(
  (type) => !RETRYABLE_TYPES.includes(type),
);

export function isFailureType(value: unknown): value is FailureType {
  return FAILURE_TYPES.includes(value as FailureType);
}

/** A failure of Planwright with a known type. */
export class RunFailureError extends Error {
  override readonly name = 'RunFailureError';
  readonly type: FailureType;
  /** Facts that the run needs, for the details of the failure. */
  readonly facts: object | undefined;
  constructor(type: FailureType, message: string, { facts, ...options }: ErrorOptions & { facts?: object } = {}) {
    super(message, options);
    this.type = type;
    this.facts = facts;
  }
}
