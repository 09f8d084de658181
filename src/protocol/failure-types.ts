/** Every `type` that an ApplicationFailure of Planwright can have. The build writes them to docs/errors.md. */

export const ERROR_CLASSES = [
  /** A later attempt may succeed, but all attempts are used. @fix Try again later. */
  'RETRIABLE',
  /**
   * The plan does not fit the facts. @fix Make another plan, or let the run replan with `onFailure: replan`
   * (docs/planning.md#replanning).
   */
  'REPLANNING',
  /** The task has the wrong kind of executor. @fix Make another plan; the capabilities are then selected again. */
  'RECLASSIFICATION',
  /** Another attempt cannot help. @fix Follow the message. */
  'CRITICAL',
  /** A part of the system below Planwright is broken. @fix Follow the message. */
  'FATAL',
] as const;

/**
 * The class of an error, by what may cure the error. `RETRIABLE`: time. `REPLANNING`: another plan. `RECLASSIFICATION`:
 * another kind of executor. `CRITICAL`: nothing, no further attempt. `FATAL`: a repair of the system below.
 */
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/**
 * The `type` of the failure of a run or a node. Nodes have further types: `Timeout.HEARTBEAT` and
 * `Timeout.SCHEDULE_TO_START`, `Timeout.ANSWER` for a question without an answer, `Cancelled` and `Skipped` after a
 * person's decision, and `Uncertain` for an effect that may have happened.
 */
export const FAILURE_TYPES = [
  /**
   * The input of the run, or a message to the run, is invalid: a value, a limit (for example of `context`), or a rule
   * that nobody can satisfy. @fix Follow the message; see docs/runs.md.
   */
  'InvalidInput',
  /** The plan has issues; the details list all of them. @fix Correct the plan. */
  'InvalidPlan',
  /** The root has no result; the details list every node without one. @fix Look at the first failed node. */
  'PlanFailed',
  /** A loop reached its limit of rounds. @fix Raise the limit, or narrow the goal. */
  'IterationLimit',
  /**
   * A stage of a loop's policy is broken. Nothing of that round was done. @fix Correct the stage that the message
   * names; see docs/policies.md.
   */
  'PolicyFailed',
  /**
   * For 10 minutes, every worker that tried a task found another version of its capability than the approved one. @fix
   * Run the approved version and send `retry`, or send `skip` or `kill`.
   */
  'CapabilityChanged',
  /** The store returned something else than was stored. @fix Restore the store and start the plan again. */
  'ResultCorrupt',
  /** An at-most-once effect certainly did not happen. @fix Start the plan again, or use `onFailure: replan`. */
  'NotApplied',
  /**
   * The store, the disk or the Temporal server was unavailable, and nobody decided what to do. For a node: the disk was
   * full when an at-most-once effect was to begin. @fix Repair the cause; then send `retry`, or start the plan again.
   */
  'Unavailable',
  /**
   * No signed message allows the effect under the rules of this worker's project, and another approval would not help.
   * The effect has not begun. @fix Add the key to the worker's `identity` and restart the worker, or approve with a key
   * that it has; see docs/identity.md.
   */
  'NotApproved',
  /** The run or a node needed more than its budget (docs/runs.md#budgets). @fix Raise it, or set `onEnd: ask`. */
  'BudgetSpent',
  /** In the last attempt the capability took too long. @fix Raise its `startToCloseMs`, or ask for less work. */
  'Timeout.START_TO_CLOSE',
  /**
   * The worker of the last attempt at this node, plan or decision died or froze, so a person is asked. @fix Look at the
   * logs of the workers (out of memory, an endless loop); then send `retry`, or `resume` for a plan or a decision.
   */
  'WorkerLost',
  ...ERROR_CLASSES,
] as const;

/** The `type` of the failure of a run or a node. docs/errors.md says what to do about each type. */
export type FailureType = (typeof FAILURE_TYPES)[number];

/** Failures that a retry may avoid. `CapabilityChanged` needs another worker. */
const RETRYABLE_TYPES: readonly FailureType[] = ['RETRIABLE', 'NotApplied', 'CapabilityChanged', 'Unavailable'];

export const NON_RETRYABLE_TYPES: readonly FailureType[] = FAILURE_TYPES.filter(
  (type) => !RETRYABLE_TYPES.includes(type),
);

export function isFailureType(value: unknown): value is FailureType {
  return FAILURE_TYPES.includes(value as FailureType);
}

export class RunFailureError extends Error {
  override readonly name = 'RunFailureError';
  readonly type: FailureType;
  /** Facts that the run gets in the details of the failure. */
  readonly facts: object | undefined;
  constructor(type: FailureType, message: string, { facts, ...options }: ErrorOptions & { facts?: object } = {}) {
    super(message, options);
    this.type = type;
    this.facts = facts;
  }
}
