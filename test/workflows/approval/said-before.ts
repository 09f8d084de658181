/** Approvals in the states that a few decisions bring them to. */

import type { Approval, Signed } from '../../../src/workflows/approval/state.ts';
import type { ApprovalRule, Decision } from '../../../src/protocol/index.ts';
import { close, decide, openRevision } from '../../../src/workflows/approval/approval.ts';
import { DRAFTING } from '../../../src/workflows/approval/approval.ts';
import { AT, DIGEST, executor } from '../run/make-run.ts';

/** node_1 reads, node_2 changes, node_3 takes both results and acts once. */
const EFFECTS = ['read', 'idempotent', 'at-most-once'] as const;
const INPUTS = [[], [], [0, 1]];
export const WAIT_MS = 1000;

/** What happened before the decision under test. */
export interface Before {
  readonly said?: readonly Partial<Decision>[];
  readonly max?: { readonly rejections?: number; readonly revisions?: number };
  readonly end?: 'expired' | 'cancelled' | 'done';
  readonly drafting?: true;
}

export function stateAfter({ said = [], max = {}, end, drafting }: Before, rules: readonly ApprovalRule[]): Approval {
  if (drafting) return DRAFTING;
  const bounds = { maxRejections: max.rejections ?? 1, maxRevisions: max.revisions ?? 20 };
  const plan = { inputs: INPUTS, executors: EFFECTS.map((effect) => executor(effect)), executorOf: [0, 1, 2] };
  let approval = openRevision(
    { ...DRAFTING, bounds },
    { digest: DIGEST, subject: { plan, rules, deadlineMs: WAIT_MS }, at: AT },
  );
  for (const one of said) {
    const ruling = decide(approval, decision(one), AT);
    if (ruling.ok) approval = ruling.approval;
  }
  return end === undefined ? approval : close(approval, { outcome: end });
}

export function decision(over: Partial<Decision> = {}): Signed {
  return { kind: 'approve', digest: '3fa9c1d2', by: 'operator', verified: false, ...over };
}
