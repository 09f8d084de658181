/** Takes messages. If an activity was needed first, time has passed, and the message is judged by what holds now. */

import type { Approval, Signed } from '../../approval/state.ts';
import type { StoredAs } from '../work-state.ts';
import {
  given,
  missingWords,
  refuse,
  type AnswerReply,
  type Control,
  type Reply,
  type ResultHandle,
  type RunSlice,
  type SameNodes,
} from '../../../protocol/index.ts';
import { decide, record } from '../../approval/approval.ts';
import { missingIn } from '../../approval/coverage.ts';
import { takeReused } from '../reused.ts';
import { addAuthor, closeRun, note } from '../run.ts';
import type { Run } from '../in-memory.ts';
import type { Spoken } from './authenticate.ts';
import type { Ruling } from './node-actions.ts';
import { keepRepetition, ruleControl } from './operate.ts';
import { giveUp, takeAnswer, takeDefault } from './questions.ts';
import { takePlan } from './carry-over.ts';
import { saidOf, textOf } from './wording.ts';

/** An activity has checked and stored the value, or has refused it. */
export function applyStored(run: Run, as: StoredAs, stored: AnswerReply, at: string): Reply {
  if (!stored.ok) {
    if (as.what === 'default')
      giveUp(run, as.question, at, `its default does not fit (${stored.reason}), and nobody answered`);
    return refuse('wrong-answer', stored.reason);
  }
  switch (as.what) {
    case 'answer':
      return withNote(takeAnswer(run, as, stored.handle, at), stored.note);
    case 'result': {
      const ruling = ruleControl(run, as.control, as.personKey);
      return ruling.ok ? withNote(takeControl(run, as, ruling, at, stored.handle), stored.note) : ruling;
    }
    case 'default':
      takeDefault(run, as.question, stored.handle, at);
      return { ok: true, reply: 'its default was taken' };
  }
}

function withNote(reply: Reply, more: string | undefined): Reply {
  return reply.ok && more !== undefined ? { ...reply, reply: `${reply.reply}; ${more}` } : reply;
}

/**
 * The plan of an edit is compiled: it becomes the open one, unless the other was decided meanwhile.
 * @param edited `heardAt` is when the edit was heard: until then it may be made
 */
export function takeEdit(
  run: Run,
  decision: Signed,
  edited: SameNodes & { readonly slice: RunSlice; readonly heardAt: string },
  at: string,
): Reply {
  const { dialogue } = run;
  const { slice, heardAt } = edited;
  const { approval } = dialogue;
  const decided = decide(approval, decision, heardAt);
  const isOpen = slice.digest === approval.digest;
  // The same edit, said twice before it was compiled, is one edit.
  if (!decided.ok && isOpen && approval.phase !== 'closed')
    return { ok: true, reply: 'this plan is the open one already' };
  if (!decided.ok) return decided;
  if (isOpen) return refuse('no-change', 'the edited plan is the open plan');
  const said = saidOf(decision, dialogue);
  dialogue.made = 'plan';
  addAuthor(run, decision.by, decision.token);
  const reply = takePlan(run, edited, { approval: record(approval, decision, at) }, at);
  note(run, at, 'decision', `${textOf(decision)}: ${reply}`, said);
  note(run, at, 'compiled', `${slice.inputs.length} nodes, digest ${slice.digest.slice(0, 8)}`);
  takeReused(run, at);
  return { ok: true, reply };
}

/** @param decided the approval after this decision */
export function takeDecision(run: Run, decision: Signed, decided: Approval, at: string): Reply {
  const { dialogue } = run;
  const { closed } = decided;
  const said = saidOf(decision, dialogue);
  // The run closes by its own door, which leaves its own trace.
  dialogue.approval = closed === undefined ? decided : { ...decided, phase: dialogue.approval.phase };
  const isLoop = dialogue.loop !== undefined;
  if (isLoop && decision.kind === 'reject' && decision.comment !== undefined)
    addAuthor(run, decision.by, decision.token);
  const reply = replyTo(run, decision, decided);
  note(run, at, 'decision', `${textOf(decision)}: ${reply}`, said);
  if (closed !== undefined) closeRun(run, closed.outcome, at);
  run.isFreed = true;
  return { ok: true, reply };
}

function replyTo({ dialogue }: Run, { kind }: Signed, approval: Approval): string {
  const { phase, uncovered } = approval;
  const missing = missingIn(approval, uncovered, dialogue.project.keys);
  const roles = missing.flatMap((one) => one.roles?.toSorted().join(' or ') ?? []);
  const byRole = roles.length === 0 || roles.length < missing.length ? '' : `, by ${[...new Set(roles)].join(' and ')}`;
  const isMore = missing.some(({ person, notStarter }) => person === true || notStarter === true);
  const whose = isMore ? ` (${missing.map(missingWords).join('; ')})` : byRole;
  const rest = uncovered.length === 0 ? '' : `; still to be approved: ${uncovered.length} of its nodes${whose}`;
  if (kind === 'reject') {
    const next = dialogue.loop !== undefined ? 'the loop decides another step' : 'the plan waits for an edit';
    return phase === 'closed' ? 'rejected' : `rejected; ${next}`;
  }
  return `${kind === 'withdraw' ? 'taken back' : 'approved'}${rest}`;
}

export function takeControl(
  run: Run,
  { control, verified, personKey, token }: { readonly control: Control } & Omit<Spoken, 'payload'>,
  { reply, change }: Extract<Ruling, { ok: true }>,
  at: string,
  handle?: ResultHandle,
): Reply {
  // A message that says again what holds already is no event.
  if (change === undefined) return { ok: true, reply };
  const said = saidOf({ ...control, verified, ...given({ personKey }) }, run.dialogue, handle?.ref);
  const about = control.node === undefined ? '' : ` ${control.node}`;
  const comment = control.comment === undefined ? '' : ` (${control.comment})`;
  note(run, at, 'control', `${control.action}${about} by ${control.by}${comment}: ${reply}`, said);
  change(at, handle);
  // The result that a person gives a step is what a loop decides by.
  if (handle !== undefined && run.dialogue.loop !== undefined) addAuthor(run, control.by, token);
  run.isFreed = true;
  if (token !== undefined && control.action === 'retry-node') keepRepetition(run, control, token);
  return { ok: true, reply };
}
