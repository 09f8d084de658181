/** Applies messages to the run. The state may have changed since a message was judged, so the current state is used. */

import type { Approval, Signed } from '../../approval/state.ts';
import type { Message, Request, StoredAs, PendingTask, RunState } from '../state.ts';
import {
  given,
  missingApprovalText,
  nodeId,
  refuse,
  type AnswerReply,
  type Control,
  type Decision,
  type KeysReply,
  type Reply,
  type ResultHandle,
  type PlanShape,
  type TracedControl,
  type TracedDecision,
  type SameNodes,
} from '../../../protocol/index.ts';
import { decide, record } from '../../approval/approval.ts';
import { missingIn } from '../../approval/coverage.ts';
import { problemsIn, stepAfter } from '../draft.ts';
import { applyReused } from '../apply-node.ts';
import { addAuthor, closeRun, tracesTokens, knowsKeys, note } from '../run.ts';
import type { Run } from '../in-memory.ts';
import type { Compiled, Planned, TaskEnd } from '../task-traits.ts';
import { beginTask } from '../tasks.ts';
import type { AuthenticatedMessage } from './authenticate.ts';
import type { Ruling } from './node-actions.ts';
import { recordRepetition, ruleControl } from './operate.ts';
import { applyAnswer, applyDefault, closeUnanswered } from './questions.ts';
import { openEditedPlan } from './carry-over.ts';

const KEYS_UNREAD =
  'whether messages to this run must be signed could not be read; say it again, or cancel the run with Temporal';

/** Applies a message after its activity, which read keys, stored an answer, or made a plan. */
export function applyRequest(
  run: Run,
  message: Message,
  request: Request,
  ended: TaskEnd,
  at: string,
): Reply | 'judge again' | 'goes on' {
  if (request.do === 'keys') {
    run.state.keysReadAt = at;
    if (ended.ok) applyKeys(run, ended.value as KeysReply);
    return ended.ok || knowsKeys(run) ? 'judge again' : refuse('failed', `${KEYS_UNREAD}: ${ended.end.message}`);
  }
  if (request.do === 'revise') return applyRevision(run, message, request, ended, at);
  run.recheckNodes = true;
  if (!ended.ok) return refuse('failed', `it could not be carried out: ${ended.end.message}`);
  if (request.do === 'store') return applyStored(run, request.as, ended.value as AnswerReply, at);
  const compiled = ended.value as Compiled;
  if (compiled.ok) return applyEdit(run, request.decision, { ...compiled, arrivedAt: message.at }, at);
  const refused = refuse('invalid-plan', `the edited plan is invalid: ${problemsIn(compiled.issues)}`);
  return { ...refused, issues: compiled.issues as never };
}

function applyKeys({ state }: Run, { keys, unsigned }: KeysReply): void {
  if (unsigned !== true) state.project = { ...state.project, keys };
  if (state.projectFacts !== 'project') state.projectFacts = 'keys';
}

/** Applies a stage of a requested revision. The planner continues until it has a plan or fails. */
function applyRevision(
  run: Run,
  message: Message,
  request: Extract<Request, { do: 'revise' }>,
  ended: TaskEnd,
  at: string,
): Reply | 'goes on' {
  const step = stepAfter(run, request.planning, ended, at);
  const isOpen = run.state.approval.phase !== 'closed';
  if (isOpen && step.next === 'stage' && step.planning.stage !== 'fallback') {
    note(run, at, 'planned', `the revision is tried again: ${step.planning.trouble?.message ?? ''}`);
    beginTask(run, { kind: 'message', message: message.id, request: { ...request, planning: step.planning } });
    return 'goes on';
  }
  run.recheckNodes = true;
  const outcome = step.next === 'plan' && ended.ok ? (ended.value as Planned).outcome : undefined;
  return outcome?.is === 'compiled'
    ? applyEdit(run, request.decision, { ...outcome, arrivedAt: message.at }, at)
    : refuse('invalid-plan', `the planner has made no valid plan: ${step.planning.trouble?.message ?? ''}`);
}

export function endDefault(
  run: Run,
  { request: { as } }: Extract<PendingTask, { kind: 'default' }>,
  ended: TaskEnd,
  at: string,
): void {
  if (as.what !== 'default') return;
  if (ended.ok) applyStored(run, as, ended.value as AnswerReply, at);
  else
    closeUnanswered(
      run,
      as.question,
      at,
      `its default could not be stored (${ended.end.message}), and nobody answered`,
    );
}

function applyStored(run: Run, as: StoredAs, stored: AnswerReply, at: string): Reply {
  if (!stored.ok) {
    if (as.what === 'default')
      closeUnanswered(run, as.question, at, `its default does not fit (${stored.reason}), and nobody answered`);
    return refuse('wrong-answer', stored.reason);
  }
  switch (as.what) {
    case 'answer':
      return withNote(applyAnswer(run, as, stored.handle, at), stored.note);
    case 'result': {
      const ruling = ruleControl(run, as.control, as.personKey);
      return ruling.ok ? withNote(applyControl(run, as, ruling, at, stored.handle), stored.note) : ruling;
    }
    case 'default':
      applyDefault(run, as.question, stored.handle, at);
      return { ok: true, reply: 'its default was taken' };
  }
}

function withNote(reply: Reply, more: string | undefined): Reply {
  return reply.ok && more !== undefined ? { ...reply, reply: `${reply.reply}; ${more}` } : reply;
}

/**
 * Opens the compiled plan of an edit, unless the open plan was decided meanwhile. The project's policy stays, since a
 * later worker with fewer rules must not loosen it.
 * @param edited `arrivedAt` is when the edit arrived, which must be before the deadline
 */
export function applyEdit(
  run: Run,
  decision: Signed,
  edited: SameNodes & { readonly planShape: PlanShape; readonly arrivedAt: string },
  at: string,
): Reply {
  const { state } = run;
  const { planShape, arrivedAt } = edited;
  const { approval } = state;
  const decided = decide(approval, decision, arrivedAt);
  const isOpen = planShape.digest === approval.digest;
  // If an edit was sent twice before it was compiled, it counts once.
  if (!decided.ok && isOpen && approval.phase !== 'closed')
    return { ok: true, reply: 'this plan is the open one already' };
  if (!decided.ok) return decided;
  if (isOpen) return refuse('no-change', 'the edited plan is the open plan');
  const audit = auditOf(decision, state);
  state.made = 'plan';
  addAuthor(run, decision.by, decision.token);
  const reply = openEditedPlan(run, edited, { approval: record(approval, decision, at) }, at);
  note(run, at, 'decision', `${textOf(decision)}: ${reply}`, audit);
  note(run, at, 'compiled', `${planShape.inputs.length} nodes, digest ${planShape.digest.slice(0, 8)}`);
  applyReused(run, at);
  return { ok: true, reply };
}

export function applyDecision(run: Run, decision: Signed, decided: Approval, at: string): Reply {
  const { state } = run;
  const { closed } = decided;
  const audit = auditOf(decision, state);
  // The phase stays the same here: `closeRun` closes the run and adds the trace entry.
  state.approval = closed === undefined ? decided : { ...decided, phase: state.approval.phase };
  const isLoop = state.loop !== undefined;
  if (isLoop && decision.kind === 'reject' && decision.comment !== undefined)
    addAuthor(run, decision.by, decision.token);
  const reply = replyTo(run, decision, decided);
  note(run, at, 'decision', `${textOf(decision)}: ${reply}${previewText(decision, decided)}`, audit);
  if (closed !== undefined) closeRun(run, closed.outcome, at);
  run.recheckNodes = true;
  return { ok: true, reply };
}

function replyTo({ state }: Run, { kind }: Signed, approval: Approval): string {
  const { phase, uncovered } = approval;
  const missing = missingIn(approval, uncovered, state.project.keys);
  const roles = missing.flatMap((one) => one.roles?.toSorted().join(' or ') ?? []);
  const byRole = roles.length === 0 || roles.length < missing.length ? '' : `, by ${[...new Set(roles)].join(' and ')}`;
  const isMore = missing.some(({ person, notStarter }) => person === true || notStarter === true);
  const whose = isMore ? ` (${missing.map(missingApprovalText).join('; ')})` : byRole;
  const rest = uncovered.length === 0 ? '' : `; still to be approved: ${uncovered.length} of its nodes${whose}`;
  if (kind === 'reject') {
    const next = state.loop !== undefined ? 'the loop decides another step' : 'the plan waits for an edit';
    return phase === 'closed' ? 'rejected' : `rejected; ${next}`;
  }
  return `${kind === 'withdraw' ? 'taken back' : 'approved'}${rest}`;
}

export function applyControl(
  run: Run,
  { control, verified, personKey, token }: { readonly control: Control } & Omit<AuthenticatedMessage, 'payload'>,
  { reply, change }: Extract<Ruling, { ok: true }>,
  at: string,
  handle?: ResultHandle,
): Reply {
  if (change === undefined) return { ok: true, reply };
  const audit = auditOf({ ...control, verified, ...given({ personKey, token }) }, run.state, handle?.ref);
  const about = control.node === undefined ? '' : ` ${control.node}`;
  const comment = control.comment === undefined ? '' : ` (${control.comment})`;
  note(run, at, 'control', `${control.action}${about} by ${control.by}${comment}: ${reply}`, audit);
  change(at, handle);
  // In a loop, the model decides by the results, so a person who sets one becomes an author.
  if (handle !== undefined && run.state.loop !== undefined) addAuthor(run, control.by, token);
  run.recheckNodes = true;
  if (token !== undefined && control.action === 'retry-node') recordRepetition(run, control, token);
  return { ok: true, reply };
}

export function textOf({ kind, digest, by, comment }: Decision): string {
  return `${kind} ${digest.slice(0, 8)} by ${by}${comment === undefined ? '' : ` (${comment})`}`;
}

/** `; shown: node_1 magnet 43.9 A -> 46 A`: the previews that a person has approved. */
function previewText({ kind }: Signed, { subject }: Approval): string {
  const previews = kind === 'approve' || kind === 'approve-part' ? Object.entries(subject?.plan.previews ?? {}) : [];
  const shown = previews.map(([node, { rows }]) => `${nodeId(Number(node))} ${rows.join(', ')}`);
  return shown.length === 0 ? '' : `; shown: ${shown.join('; ')}`;
}

/** The message as the trace records it, without an edit's plan or a result's value, which are in the store. */
export function auditOf(message: Signed, state: RunState): TracedDecision;
export function auditOf(message: Control & Verified, state: RunState, ref: string | undefined): TracedControl;
export function auditOf(
  message: (Signed | Control) & Verified & { readonly plan?: unknown; readonly value?: unknown },
  state: RunState,
  ref?: string,
): TracedDecision | TracedControl {
  const { digest, revision } = state.approval;
  const { plan: _, value: __, token, ...rest } = message;
  return {
    ...rest,
    ...(tracesTokens(state) && given({ token })),
    digest,
    revision,
    ...(ref !== undefined && { ref }),
  };
}

type Verified = Pick<TracedDecision, 'verified' | 'token'>;
