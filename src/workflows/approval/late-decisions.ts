/** Rejects late decisions: another plan is open, or the open plan no longer waits for a decision. */

import { refuse, type Decision, type Refused } from '../../protocol/index.ts';
import { clockText } from '../../plan/text/index.ts';
import type { Approval } from './state.ts';

/** A rejection if the decision is about another plan than the open one. */
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

/**
 * A rejection if the open plan does not wait for this kind of decision, or no longer does.
 * @param deadline of the wait for a decision, if there is one (ISO 8601)
 */
export function closedness(approval: Approval, { kind }: Decision, at: string, deadline = at): Refused | undefined {
  const { phase, closed, rejected } = approval;
  const isLate = phase === 'awaiting-approval' && at > deadline;
  if (phase !== 'closed' && kind === 'withdraw' && !isLate) return undefined;
  const last = approval.decisions.findLast(({ revision }) => revision === approval.revision);
  if (phase !== 'awaiting-approval') {
    return last !== undefined && (phase === 'running' || closed?.outcome === 'rejected')
      ? refuse('already-decided', `${last.by} already said ${last.kind} at ${clockText(last.at)}`)
      : refuse('closed', `this plan waits for no decision; it is ${closed?.outcome ?? phase}`);
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
