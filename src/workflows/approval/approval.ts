import type { Approval, Closed, Consent, ApprovalSubject, Signed, Wait } from './state.ts';
import {
  given,
  missingApprovalText,
  nodeIndex,
  refuse,
  signatureOf,
  type RecordedDecision,
  type Refused,
  type Decision,
} from '../../protocol/index.ts';
import { clockText } from '../../plan/text/index.ts';
import {
  addConsent,
  moveConsents,
  closureOf,
  withdrawFrom,
  includes,
  missingFor,
  rolesNeeded,
  setOf,
  uncoveredOf,
  effectOfConsent,
} from './coverage.ts';
import { figuresOf, shownHash } from '../../protocol/identity/token/index.ts';
import { ineligibleText, normalizeName, roleText } from './rules.ts';

export const DRAFTING: Approval = {
  phase: 'drafting',
  revision: 0,
  digest: '',
  subject: undefined,
  wait: { leftMs: 0 },
  minUncovered: 0,
  consents: [],
  uncovered: [],
  decisions: [],
  rejections: 0,
  rejected: false,
  bounds: { maxRejections: 1, maxRevisions: 20 },
};

/** The approval after a decision. An edit does not change the approval until its plan is compiled. */
export type DecisionResult = { readonly ok: true; readonly approval: Approval } | Refused;

export function endedBy({ closed, decisions }: Approval): { readonly by?: string; readonly comment?: string } {
  if (closed?.outcome !== 'rejected') return closed?.killed ?? {};
  const { by, comment } = decisions.findLast(({ kind }) => kind === 'reject') ?? {};
  return given({ by, comment });
}

const MAX_DECISIONS = 100;

/**
 * Opens a revision. `sameAs` maps each node to its previous index, so that approvals stay valid. `isAnew`: the run
 * replanned by itself, so changed reads need approval too.
 */
export function openRevision(
  approval: Approval,
  plan: { digest: string; subject: ApprovalSubject; at: string; sameAs?: readonly number[]; isAnew?: true | undefined },
): Approval {
  const { digest, subject, at, isAnew } = plan;
  const sameAs =
    plan.sameAs?.map((old, node) => (old >= 0 && hasSameFigures(approval, old, subject, node) ? old : -1)) ?? [];
  const { ungranted: _, ...before } = approval;
  const opened: Approval = {
    // Plans with the same digest may differ in costs or in states of external data. The hash `shown` covers these.
    ...show(before, subject, approval.revision > 0),
    minUncovered: Number.POSITIVE_INFINITY,
    revision: approval.revision + 1,
    digest,
    consents: moveConsents(approval.consents, sameAs, isAnew !== true),
    rejected: false,
  };
  return restartWait(recompute(opened), at);
}

/** @param isAgain whether people may have a message that shows other costs or states */
function show(approval: Approval, subject: ApprovalSubject, isAgain: boolean): Approval {
  const figures = figuresOf(subject.plan);
  const hasFigures = (figures ?? approval.shown) !== undefined;
  return {
    ...approval,
    subject,
    ...(hasFigures && { shown: shownHash(figures) }),
    ...(hasFigures && isAgain && { namesShown: true as const }),
  };
}

/** Whether a node has the same cost, time limit and attempts in both plans. The digest does not cover these. */
function hasSameFigures({ subject: before }: Approval, old: number, subject: ApprovalSubject, node: number): boolean {
  const [was, is] = [before?.plan, subject.plan].map((plan, at) => {
    const { cost, startToCloseMs, retry } = plan?.executors[plan.executorOf[at === 0 ? old : node] ?? -1] ?? {};
    return JSON.stringify([cost, startToCloseMs, retry?.attempts]);
  });
  return was === is;
}

export function decide(approval: Approval, decision: Signed, at: string): DecisionResult {
  if (approval.phase === 'drafting') return refuse('early', `there is no plan yet to ${decision.kind}`);
  const stale = staleDecision(approval, decision) ?? lateDecision(approval, decision, at, waitOf(approval)?.deadline);
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
    case 'edit':
      return approval.revision < approval.bounds.maxRevisions
        ? { ok: true, approval }
        : refuse('too-many-revisions', `a run has at most ${approval.bounds.maxRevisions} plans; start another run`);
  }
}

export function record(approval: Approval, decision: Signed, at: string): Approval {
  const { plan: _, token: __, ...rest } = decision;
  const recorded: RecordedDecision = { ...rest, at, revision: approval.revision };
  const rejections = approval.rejections + (decision.kind === 'reject' ? 1 : 0);
  return { ...approval, rejections, decisions: [...approval.decisions.slice(1 - MAX_DECISIONS), recorded] };
}

/** Adds an approval by a grant, which counts as a person's approval of all nodes but `except`. */
export function approveByGrant(
  approval: Approval,
  grant: Signed,
  except: readonly number[],
  at: string,
): DecisionResult {
  const nodes: Record<number, true> = { ...setOf(approval.subject?.plan.executorOf.keys() ?? []) };
  for (const node of except) delete nodes[node];
  return approve(approval, grant, except.length === 0 ? 'all' : nodes, at);
}

/** Removes the approvals of grants, named by signature, that a worker did not accept. */
export function dropGrants(approval: Approval, signatures: readonly string[], why: string, at: string): Approval {
  const isDropped = ({ isGrant, token = '' }: Consent) => isGrant === true && signatures.includes(signatureOf(token));
  if (approval.phase === 'closed' || !approval.consents.some(isDropped)) return approval;
  const consents = approval.consents.filter((consent) => !isDropped(consent));
  return restartWait(recompute({ ...approval, consents, ungranted: [why] }), at);
}

/** Withdraws the approvals of nodes that will be repeated, or about which people now see other facts. */
export function askAgain(
  approval: Approval,
  nodes: readonly number[],
  at: string,
  subject = approval.subject,
): Approval {
  if (subject === undefined || approval.phase === 'closed') return approval;
  const shown = show(approval, subject, subject !== approval.subject);
  return restartWait(recompute({ ...shown, consents: withdrawFrom(approval.consents, nodes, subject) }), at);
}

/** Adds stricter rules of the project to the approval. Approvals that satisfy the new rules stay valid. */
export function tighten(approval: Approval, subject: ApprovalSubject, at: string): Approval {
  return restartWait(recompute({ ...approval, subject, minUncovered: Number.POSITIVE_INFINITY }), at);
}

export function expire(approval: Approval, at: string): Approval {
  const wait = waitOf(approval);
  return approval.phase === 'awaiting-approval' && wait !== undefined && at >= wait.deadline
    ? close(approval, { outcome: 'expired' })
    : approval;
}

export function close(approval: Approval, closed: Closed): Approval {
  return approval.phase === 'closed' ? approval : { ...approval, phase: 'closed', closed };
}

function approvePart(approval: Approval, decision: Signed, at: string): DecisionResult {
  const subject = approval.subject as ApprovalSubject;
  const total = subject.plan.executorOf.length;
  const unknown = (decision.nodes ?? []).find((id) => nodeIndex(id) >= total);
  if (unknown !== undefined)
    return refuse('unknown-node', `this plan has no ${unknown}; it has node_1 to node_${total}`);
  return approve(approval, decision, setOf(closureOf((decision.nodes ?? []).map(nodeIndex), subject)), at);
}

function approve(approval: Approval, decision: Signed, nodes: Consent['nodes'], at: string): DecisionResult {
  const subject = approval.subject as ApprovalSubject;
  const { by, role, token, personKey } = decision;
  const isGrant = decision.grant && (true as const);
  const figures = token === undefined ? undefined : figuresOf(subject.plan);
  const signed = given({ role, personKey, token, figures, isGrant });
  const consent: Consent = { by, person: normalizeName(by), at, nodes, ...signed };
  const waiting = approval.uncovered.filter((node) => includes(nodes, node));
  if (waiting.length === 0) return refuse('already-decided', 'these nodes are approved already');
  const effect = effectOfConsent(consent, waiting, subject, approval.consents);
  switch (effect) {
    case 'again': {
      const earlier = approval.consents.find(({ person }) => person === normalizeName(by));
      const others = 'it waits for somebody else';
      return refuse('already-decided', `${by} already said approve at ${clockText(earlier?.at ?? at)}; ${others}`);
    }
    case 'role': {
      const roles = [...rolesNeeded(waiting, subject, approval.consents)].map(String).join(' or ');
      return refuse('wrong-role', `it waits for the role ${roles}; ${roleText(by, role)}`);
    }
    case 'key':
    case 'starter': {
      const missing = missingFor(waiting, subject, approval.consents).map(missingApprovalText).join('; ');
      return refuse('not-counted', `${ineligibleText(effect, by)}; it waits for ${missing}`);
    }
    case 'counts': {
      const consents = addConsent(approval.consents, consent);
      return { ok: true, approval: step(approval, decision, consents, at) };
    }
  }
}

function reject(approval: Approval): Approval {
  return approval.rejections >= approval.bounds.maxRejections
    ? close(approval, { outcome: 'rejected' })
    : { ...approval, rejected: true };
}

function withdraw(approval: Approval, decision: Signed, at: string): DecisionResult {
  const consents = approval.consents.filter(({ person }) => person !== normalizeName(decision.by));
  if (consents.length === approval.consents.length) {
    return refuse('not-possible', `${decision.by} has approved nothing that could be taken back`);
  }
  return { ok: true, approval: continueWait(recompute({ ...record(approval, decision, at), consents }), at) };
}

/**
 * Records an approval. The wait restarts if it is a person's first for this plan, or fewer nodes than ever lack one.
 */
function step(before: Approval, decision: Signed, consents: readonly Consent[], at: string): Approval {
  const after = recompute({ ...record(before, decision, at), consents }, before.uncovered);
  const isFirst = !before.decisions.some(
    ({ kind, by, revision }) =>
      kind.startsWith('approve') && revision === before.revision && normalizeName(by) === normalizeName(decision.by),
  );
  const { uncovered, minUncovered } = after;
  return uncovered.length > 0 && (isFirst || uncovered.length < minUncovered)
    ? restartWait(after, at)
    : continueWait({ ...after, minUncovered: Math.min(minUncovered, uncovered.length) }, at);
}

function recompute(approval: Approval, among?: readonly number[]): Approval {
  const subject = approval.subject as ApprovalSubject;
  const uncovered = uncoveredOf(subject, approval.consents, among ?? subject.plan.executorOf.map((_, node) => node));
  return { ...approval, uncovered };
}

function restartWait(approval: Approval, at: string): Approval {
  const smallest = Math.min(approval.uncovered.length, approval.minUncovered);
  return continueWait({ ...approval, minUncovered: smallest }, at, (approval.subject as ApprovalSubject).deadlineMs);
}

function continueWait(approval: Approval, at: string, leftMs = remainingOf(approval, at)): Approval {
  if (approval.uncovered.length === 0) return { ...approval, wait: { leftMs: Math.max(1, leftMs) }, phase: 'running' };
  const { since } = waitOf(approval) ?? { since: at };
  return {
    ...approval,
    phase: 'awaiting-approval',
    wait: { since, deadline: new Date(Date.parse(at) + leftMs).toISOString() },
  };
}

function remainingOf(approval: Approval, at: string): number {
  const { wait } = approval;
  return 'leftMs' in wait ? wait.leftMs : Date.parse(wait.deadline) - Date.parse(at);
}

export function waitOf({ wait }: Approval): Wait | undefined {
  return 'deadline' in wait ? wait : undefined;
}

export function staleDecision(approval: Approval, decision: Signed): Refused | undefined {
  const { digest, revision } = approval;
  if (!digest.startsWith(decision.digest)) {
    const reason = `the decision names digest ${decision.digest.slice(0, 8)}, the open plan is ${digest.slice(0, 8)}`;
    return refuse('stale-digest', reason);
  }
  if (decision.revision !== undefined && decision.revision !== revision) {
    return refuse('stale-revision', `the decision names revision ${decision.revision}, the open one is ${revision}`);
  }
  if (!decision.kind.startsWith('approve')) return undefined;
  const { shown: now = '', namesShown = false } = approval;
  const isSigned = decision.token !== undefined;
  const named = decision.shown?.toLowerCase() ?? (namesShown || isSigned ? '' : now);
  if (named === now || (!isSigned && named !== '' && now.startsWith(named))) return undefined;
  const was = named === '' ? 'does not say what was shown' : `is about what was shown before (${named.slice(0, 8)})`;
  const next = now === '' ? 'leave out "shown"' : `name "shown": "${isSigned ? now : now.slice(0, 8)}"`;
  return refuse('stale-revision', `the decision ${was}; look at the costs and states of the plan, and ${next}`);
}

/**
 * Rejects a decision for which the open plan does not wait, or no longer waits.
 * @param deadline when the wait for a decision ends (ISO 8601), if there is a wait
 */
export function lateDecision(approval: Approval, { kind }: Decision, at: string, deadline = at): Refused | undefined {
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
