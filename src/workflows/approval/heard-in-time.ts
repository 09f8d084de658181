/** Whether a decision is of the open plan, and was heard while it could be decided. */

import { refuse, type Decision, type Refused } from '../../protocol/index.ts';
import { clockText } from '../../plan/text/index.ts';
import type { Approval } from './state.ts';

/** The decision is of another plan than the open one. */
export function staleness({ digest, revision }: Approval, decision: Decision): Refused | undefined {
  if (!digest.startsWith(decision.digest)) {
    const reason = `the decision names digest ${decision.digest.slice(0, 8)}, the open plan is ${digest.slice(0, 8)}`;
    return refuse('stale-digest', reason);
  }
  if (decision.revision !== undefined && decision.revision !== revision) {
    return refuse('stale-revision', `the decision names revision ${decision.revision}, the open one is ${revision}`);
  }
  return undefined;
}

/** The open plan takes no such decision, or no longer. */
export function closedness(approval: Approval, { kind }: Decision, at: string): Refused | undefined {
  const { phase, deadline, outcome, rejected } = approval;
  const isLate = phase === 'awaiting-approval' && deadline !== undefined && at > deadline;
  if (phase !== 'closed' && kind === 'withdraw' && !isLate) return undefined;
  const last = approval.decisions.findLast(({ revision }) => revision === approval.revision);
  if (phase !== 'awaiting-approval') {
    return last !== undefined && (phase === 'running' || outcome === 'rejected')
      ? refuse('already-decided', `${last.by} already said ${last.kind} at ${clockText(last.at)}`)
      : refuse('closed', `this plan waits for no decision; it is ${outcome ?? phase}`);
  }
  if (isLate) {
    return refuse(
      'too-late',
      `the decision was heard at ${clockText(at)}, after the deadline of ${clockText(deadline)}`,
    );
  }
  return rejected && kind !== 'edit' && kind !== 'revise'
    ? refuse(
        'already-decided',
        `${last?.by ?? 'somebody'} already rejected this plan; only an edit or a revision opens it again`,
      )
    : undefined;
}
