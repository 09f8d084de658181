/** The life of a run, as everybody is told it. */

/**
 * drafting -> awaiting-approval <-> running -> closed; any of them may close. While a part waits for approval, the
 * approved part already runs.
 */
export const PHASES = ['drafting', 'awaiting-approval', 'running', 'closed'] as const;

/**
 * The phase of a run: `drafting` a plan, `awaiting-approval` (a node that has not started needs it, and the rest runs
 * meanwhile), `running`, or `closed`.
 */
export type Phase = (typeof PHASES)[number];

export const OUTCOMES = ['done', 'partial', 'rejected', 'expired', 'aborted', 'failed', 'cancelled'] as const;

/**
 * The outcome of a closed run. `done`: it came to its result. `partial`: it ended without, under `onFailure: partial`.
 * `rejected`: a person said no. `expired`: nobody said anything in time. `aborted`: a person killed it, or its loop
 * reached a limit. `failed`: its workflow failed. `cancelled`: it was cancelled through Temporal.
 */
export type Outcome = (typeof OUTCOMES)[number];
