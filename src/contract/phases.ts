/** The life of a run, as everybody is told it. */

/**
 * drafting -> awaiting-approval <-> running -> closed; any of them may close. While a part waits for approval, what is
 * approved already runs.
 */
export type Phase = 'drafting' | 'awaiting-approval' | 'running' | 'closed';

export type Outcome = 'done' | 'partial' | 'rejected' | 'expired' | 'aborted' | 'failed' | 'cancelled';
