/** The people who are still needed, and how long the run waits for them. */

import { uncoveredOf, type Gate } from './coverage.ts';
import type { Approval } from './state.ts';

/** Reckons anew who is still needed, for all nodes or for those that alone can be. */
export function reckon(approval: Approval, among?: readonly number[]): Approval {
  const gate = approval.gate as Gate;
  const uncovered = uncoveredOf(gate, approval.consents, among ?? gate.plan.executorOf.map((_, node) => node));
  return { ...approval, uncovered };
}

/** Begins the wait anew: a person is needed for nodes that nobody was asked about before, and gets the whole time. */
export function waitAnew(approval: Approval, at: string): Approval {
  const { deadline: _, leftMs: __, ...rest } = approval;
  const fewest = Math.min(approval.uncovered.length, approval.fewest ?? Number.POSITIVE_INFINITY);
  return goOnWaiting({ ...rest, fewest }, at);
}

/** Waits for as long as is left, if anybody is needed. */
export function goOnWaiting(approval: Approval, at: string): Approval {
  const { deadline, openSince = at, leftMs = (approval.gate as Gate).deadlineMs, ...rest } = approval;
  const now = Date.parse(at);
  if (rest.uncovered.length === 0) {
    const left = deadline === undefined ? leftMs : Math.max(1, Date.parse(deadline) - now);
    return { ...rest, leftMs: left, phase: 'running' };
  }
  return {
    ...rest,
    phase: 'awaiting-approval',
    openSince,
    deadline: deadline ?? new Date(now + leftMs).toISOString(),
  };
}
