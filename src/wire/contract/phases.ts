/** The life of a run, as everybody is told it. */

/**
 * drafting -> awaiting-approval <-> running -> closed; any of them may close. While a part waits for approval, the
 * approved part already runs.
 */
export const PHASES = ['drafting', 'awaiting-approval', 'running', 'closed'] as const;
export type Phase = (typeof PHASES)[number];

export const OUTCOMES = ['done', 'partial', 'rejected', 'expired', 'aborted', 'failed', 'cancelled'] as const;
export type Outcome = (typeof OUTCOMES)[number];
