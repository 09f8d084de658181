/**
 * The approval of a plan, as a pure reducer: a state and an event give the next state, or a refusal with its reason
 * and no change. Nothing here knows about time or transport.
 */

import type { ApprovalPolicy } from './plan-input.ts';
import type { Decision } from './decision.ts';

/** drafting -> awaiting-approval -> running -> closed; any of them may close. */
export type Phase = 'drafting' | 'awaiting-approval' | 'running' | 'closed';

export type Outcome = 'done' | 'partial' | 'rejected' | 'expired' | 'aborted' | 'failed' | 'cancelled';

/** A decision that was taken, with the time at which the run took it (ISO 8601). */
export interface RecordedDecision extends Decision {
  readonly at: string;
  readonly revision: number;
  /** Who said so was not proved; no public key is configured. */
  readonly verified: false;
}

export interface Approval {
  readonly phase: Phase;
  /** Counts the plans of this run from 1; 0 while there is none. */
  readonly revision: number;
  /** '' while drafting. */
  readonly digest: string;
  readonly decisions: readonly RecordedDecision[];
  /** What arrived before there was a plan; tried in order of arrival when the plan is there. */
  readonly early: readonly Decision[];
  /** Until when the open revision may be decided (ISO 8601); a decision that the run hears later comes too late. */
  readonly deadline?: string;
  readonly outcome?: Outcome;
}

/** Why a decision is not taken. */
export const REFUSALS = [
  'malformed',
  'early',
  'stale-digest',
  'stale-revision',
  'already-decided',
  'too-late',
  'closed',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Whether a refused decision came for another plan or after another decision: to look again may help, to repeat may not. */
export function isStale(refusal: Refusal): boolean {
  return refusal.startsWith('stale') || refusal === 'already-decided';
}

export type Ruling =
  | { readonly ok: true; readonly approval: Approval }
  | { readonly ok: false; readonly refusal: Refusal; readonly reason: string };

/** A flood of early decisions must not grow the run without bound. */
const MAX_EARLY = 100;

export const DRAFTING: Approval = { phase: 'drafting', revision: 0, digest: '', decisions: [], early: [] };

/** Opens a revision: the plan is compiled and stands for decision, or runs at once where the policy asks nobody. */
export function openRevision(
  approval: Approval,
  plan: { digest: string; gated: boolean; deadline?: string },
): Approval {
  return {
    ...approval,
    phase: plan.gated ? 'awaiting-approval' : 'running',
    revision: approval.revision + 1,
    digest: plan.digest,
    ...(plan.deadline !== undefined && { deadline: plan.deadline }),
    early: [],
  };
}

/** Whether a plan has to wait for a decision under this policy. `aboveRead` counts its nodes with such an effect. */
export function isGated(policy: ApprovalPolicy, aboveRead: number): boolean {
  return policy === 'required' || aboveRead > 0;
}

export function decide(approval: Approval, decision: Decision, at: string): Ruling {
  if (approval.phase === 'drafting') return keepEarly(approval, decision);
  if (!approval.digest.startsWith(decision.digest)) {
    return refuse(
      'stale-digest',
      `the decision names digest ${decision.digest.slice(0, 8)}, the open plan is ${approval.digest.slice(0, 8)}`,
    );
  }
  if (decision.revision !== undefined && decision.revision !== approval.revision) {
    return refuse(
      'stale-revision',
      `the decision names revision ${decision.revision}, the open one is ${approval.revision}`,
    );
  }
  const earlier = approval.decisions.at(-1);
  if (earlier !== undefined) {
    return refuse('already-decided', `${earlier.by} already said ${earlier.kind} at ${earlier.at}`);
  }
  if (approval.phase !== 'awaiting-approval') {
    return refuse('closed', `this plan waits for no decision; it is ${approval.outcome ?? approval.phase}`);
  }
  if (approval.deadline !== undefined && at > approval.deadline) {
    return refuse('too-late', `the decision was heard at ${at}, after the deadline of ${approval.deadline}`);
  }
  const recorded: RecordedDecision = { ...decision, at, revision: approval.revision, verified: false };
  const decisions = [...approval.decisions, recorded];
  return decision.kind === 'approve'
    ? { ok: true, approval: { ...approval, phase: 'running', decisions } }
    : { ok: true, approval: close({ ...approval, decisions }, 'rejected') };
}

export function close(approval: Approval, outcome: Outcome): Approval {
  return approval.phase === 'closed' ? approval : { ...approval, phase: 'closed', outcome };
}

function keepEarly(approval: Approval, decision: Decision): Ruling {
  return approval.early.length < MAX_EARLY
    ? { ok: true, approval: { ...approval, early: [...approval.early, decision] } }
    : refuse('early', 'the plan is not compiled yet, and too many decisions already wait for it');
}

function refuse(refusal: Refusal, reason: string): Ruling {
  return { ok: false, refusal, reason };
}
