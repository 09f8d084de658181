/**
 * The approval of a plan, as a pure reducer: a state and an event give the next state, or a refusal with its reason
 * and no change. Nothing here knows about time or transport.
 */

import {
  addConsent,
  carryOver,
  closureOf,
  forget,
  rolesNeeded,
  uncoveredOf,
  weigh,
  type Consent,
  type Gate,
} from './coverage.ts';
import type { Decision } from './decision.ts';
import { refuse, type Refused } from './refusal.ts';
import { personOf, spokenAs } from './sender.ts';
import { nodeIndex } from './slice.ts';

/**
 * drafting -> awaiting-approval <-> running -> closed; any of them may close. While a part waits for approval, what is
 * approved already runs.
 */
export type Phase = 'drafting' | 'awaiting-approval' | 'running' | 'closed';

export type Outcome = 'done' | 'partial' | 'rejected' | 'expired' | 'aborted' | 'failed' | 'cancelled';

/** A decision with whether its sender was proved: by a signature, or not at all. */
export type Signed = Decision & { readonly verified: boolean };

/** A decision that was taken, with the time at which the run took it (ISO 8601). The plan of an edit is not repeated. */
export interface RecordedDecision extends Omit<Decision, 'plan'> {
  readonly at: string;
  readonly revision: number;
  readonly verified: boolean;
}

export interface Approval {
  readonly phase: Phase;
  /** Counts the plans of this run from 1; 0 while there is none. */
  readonly revision: number;
  /** '' while drafting. */
  readonly digest: string;
  readonly gate: Gate | undefined;
  readonly consents: readonly Consent[];
  /** The nodes of the open revision that still need somebody's approval. */
  readonly uncovered: readonly number[];
  readonly decisions: readonly RecordedDecision[];
  /** What arrived before there was a plan; tried in order of arrival when the plan is there. */
  readonly early: readonly Signed[];
  /** The open revision was rejected and waits for an edit. */
  readonly rejected: boolean;
  /** Since when somebody's approval is waited for (ISO 8601). */
  readonly openSince?: string;
  /** Until when the open revision may be decided (ISO 8601); a decision that the run hears later comes too late. */
  readonly deadline?: string;
  readonly outcome?: Outcome;
  readonly bounds: ApprovalBounds;
}

export interface ApprovalBounds {
  /** The rejection that ends the run; those before leave the gate shut until an edit. */
  readonly maxRejections: number;
  /** Plans that a run may have one after another. */
  readonly maxRevisions: number;
}

/** An edit that may be made changes nothing yet: its plan has to be compiled first (`openRevision`). */
export type Ruling = { readonly ok: true; readonly approval: Approval } | Refused;

/** A flood of early decisions must not grow the run without bound. */
const MAX_EARLY = 100;

export const DRAFTING: Approval = {
  phase: 'drafting',
  revision: 0,
  digest: '',
  gate: undefined,
  consents: [],
  uncovered: [],
  decisions: [],
  early: [],
  rejected: false,
  bounds: { maxRejections: 1, maxRevisions: 20 },
};

/**
 * Opens a revision: the plan is compiled and stands for decision, or runs at once where the rules ask nobody.
 * `sameAs` says, for each node, which node of the revision before it is; what was approved there stays approved.
 */
export function openRevision(
  approval: Approval,
  plan: { digest: string; gate: Gate; at: string; sameAs?: readonly number[] },
): Approval {
  const { digest, gate, at, sameAs = [] } = plan;
  const opened: Approval = {
    ...approval,
    revision: approval.revision + 1,
    digest,
    gate,
    consents: carryOver(approval.consents, sameAs),
    early: [],
    rejected: false,
  };
  return reopen(opened, at);
}

export function decide(approval: Approval, decision: Signed, at: string): Ruling {
  if (approval.phase === 'drafting') return keepEarly(approval, decision);
  const stale = staleness(approval, decision) ?? closedness(approval, decision, at);
  if (stale !== undefined) return stale;
  switch (decision.kind) {
    case 'approve':
      return approve(approval, decision, 'all', at);
    case 'approve-part':
      return approvePart(approval, decision, at);
    case 'reject':
      return { ok: true, approval: reject(record(approval, decision, at)) };
    case 'withdraw':
      return withdraw(approval, decision, at);
    case 'revise':
      return refuse('no-planner', 'this worker has no planner; send the plan you want as kind "edit", or reject');
    case 'edit':
      return approval.revision < approval.bounds.maxRevisions
        ? { ok: true, approval }
        : refuse('too-many-revisions', `a run has at most ${approval.bounds.maxRevisions} plans; start another run`);
  }
}

export function record(approval: Approval, decision: Signed, at: string): Approval {
  const { plan: _, ...said } = decision;
  const recorded: RecordedDecision = { ...said, at, revision: approval.revision };
  return { ...approval, decisions: [...approval.decisions, recorded] };
}

/** What people said about this node does not hold for its repetition. */
export function askAgain(approval: Approval, node: number, at: string): Approval {
  const { gate, consents } = approval;
  return gate === undefined ? approval : reopen({ ...approval, consents: forget(consents, node, gate) }, at);
}

/** Silence is refusal: what nobody approved in time does not run. */
export function expire(approval: Approval, at: string): Approval {
  const { phase, deadline } = approval;
  const due = phase === 'awaiting-approval' && deadline !== undefined && at >= deadline;
  return due ? close(approval, 'expired') : approval;
}

export function close(approval: Approval, outcome: Outcome): Approval {
  return approval.phase === 'closed' ? approval : { ...approval, phase: 'closed', outcome };
}

function staleness({ digest, revision }: Approval, decision: Decision): Refused | undefined {
  if (!digest.startsWith(decision.digest)) {
    const reason = `the decision names digest ${decision.digest.slice(0, 8)}, the open plan is ${digest.slice(0, 8)}`;
    return refuse('stale-digest', reason);
  }
  if (decision.revision !== undefined && decision.revision !== revision) {
    return refuse('stale-revision', `the decision names revision ${decision.revision}, the open one is ${revision}`);
  }
  return undefined;
}

function closedness(approval: Approval, { kind }: Decision, at: string): Refused | undefined {
  const { phase, deadline, outcome, rejected } = approval;
  if (phase !== 'closed' && kind === 'withdraw') return undefined;
  const last = approval.decisions.findLast(({ revision }) => revision === approval.revision);
  if (phase !== 'awaiting-approval') {
    return last !== undefined && (phase === 'running' || outcome === 'rejected')
      ? refuse('already-decided', `${last.by} already said ${last.kind} at ${last.at}`)
      : refuse('closed', `this plan waits for no decision; it is ${outcome ?? phase}`);
  }
  if (deadline !== undefined && at > deadline) {
    return refuse('too-late', `the decision was heard at ${at}, after the deadline of ${deadline}`);
  }
  return rejected && kind !== 'edit'
    ? refuse('already-decided', `${last?.by ?? 'somebody'} already rejected this plan; only an edit opens it again`)
    : undefined;
}

function approvePart(approval: Approval, decision: Signed, at: string): Ruling {
  const gate = approval.gate as Gate;
  const total = gate.plan.executorOf.length;
  const unknown = (decision.nodes ?? []).find((id) => nodeIndex(id) >= total);
  if (unknown !== undefined)
    return refuse('unknown-node', `this plan has no ${unknown}; it has node_1 to node_${total}`);
  return approve(approval, decision, closureOf((decision.nodes ?? []).map(nodeIndex), gate), at);
}

function approve(approval: Approval, decision: Signed, nodes: Consent['nodes'], at: string): Ruling {
  const gate = approval.gate as Gate;
  const { by, role } = decision;
  const consent: Consent = { by, person: personOf(by), at, nodes, ...(role !== undefined && { role }) };
  const waiting = approval.uncovered.filter((node) => nodes === 'all' || nodes.has(node));
  if (waiting.length === 0) return refuse('already-decided', 'these nodes are approved already');
  switch (weigh(consent, waiting, gate, approval.consents)) {
    case 'again': {
      const earlier = approval.consents.find(({ person }) => person === personOf(by));
      const others = 'it waits for somebody else';
      return refuse('already-decided', `${by} already said approve at ${earlier?.at ?? at}; ${others}`);
    }
    case 'wrong-role': {
      const roles = [...rolesNeeded(waiting, gate, approval.consents)].map(String).join(' or ');
      return refuse('wrong-role', `it waits for the role ${roles}; ${spokenAs(by, role)}`);
    }
    case 'counts': {
      const consents = addConsent(approval.consents, consent);
      return { ok: true, approval: reopen({ ...record(approval, decision, at), consents }, at, approval.uncovered) };
    }
  }
}

function reject(approval: Approval): Approval {
  const rejections = approval.decisions.filter(({ kind }) => kind === 'reject').length;
  return rejections >= approval.bounds.maxRejections ? close(approval, 'rejected') : { ...approval, rejected: true };
}

function withdraw(approval: Approval, decision: Signed, at: string): Ruling {
  const consents = approval.consents.filter(({ person }) => person !== personOf(decision.by));
  if (consents.length === approval.consents.length) {
    return refuse('not-possible', `${decision.by} has approved nothing that could be taken back`);
  }
  return { ok: true, approval: reopen({ ...record(approval, decision, at), consents }, at) };
}

/**
 * Reckons anew who is still needed, for all nodes or for those that alone can be. The wait for the rest begins again
 * with every step that was made.
 */
function reopen(approval: Approval, at: string, among?: readonly number[]): Approval {
  const gate = approval.gate as Gate;
  const uncovered = uncoveredOf(gate, approval.consents, among ?? gate.plan.executorOf.map((_, node) => node));
  const { deadline: _, openSince = at, ...rest } = approval;
  if (uncovered.length === 0) return { ...rest, uncovered, phase: 'running' };
  const deadline = new Date(Date.parse(at) + gate.deadlineMs).toISOString();
  return { ...rest, uncovered, phase: 'awaiting-approval', openSince, deadline };
}

function keepEarly(approval: Approval, decision: Signed): Ruling {
  if (!['approve', 'approve-part', 'reject'].includes(decision.kind)) {
    return refuse('early', `there is no plan yet to ${decision.kind}`);
  }
  // A message may arrive twice, as an update and as the signal that its sender left to be safe.
  if (approval.early.some((one) => JSON.stringify(one) === JSON.stringify(decision))) return { ok: true, approval };
  return approval.early.length < MAX_EARLY
    ? { ok: true, approval: { ...approval, early: [...approval.early, decision] } }
    : refuse('early', 'the plan is not compiled yet, and too many decisions already wait for it');
}
