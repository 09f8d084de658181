/** Every `type` that an ApplicationFailure of ours can have. docs/errors.md explains each; a test compares. */

/** How an error inside an activity is treated (Osprey: error severities). */
export const ERROR_CLASSES = ['RETRIABLE', 'REPLANNING', 'RECLASSIFICATION', 'CRITICAL', 'FATAL'] as const;

/**
 * The class of an error, which says what may cure it. `RETRIABLE`: time. `REPLANNING`: another plan.
 * `RECLASSIFICATION`: another kind of executor. `CRITICAL`: no other attempt. `FATAL`: a repair of the system below.
 */
export type ErrorClass = (typeof ERROR_CLASSES)[number];

export const FAILURE_TYPES = [
  'InvalidInput',
  'InvalidPlan',
  'PlanFailed',
  'IterationLimit',
  'PolicyFailed',
  'CapabilityChanged',
  'ResultCorrupt',
  'NotApplied',
  'Unavailable',
  'NotApproved',
  'BudgetSpent',
  'Timeout.START_TO_CLOSE',
  'Timeout.SCHEDULE_TO_CLOSE',
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

/** A failure of ours whose type is known where it is thrown. */
export class RunFailureError extends Error {
  override readonly name = 'RunFailureError';
  readonly type: FailureType;
  constructor(type: FailureType, message: string, options?: ErrorOptions) {
    super(message, options);
    this.type = type;
  }
}
