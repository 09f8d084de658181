/** A message gets what it waited for: the keys to check it, its stored answer, its compiled or revised plan. */

import type { Request, Message, Work } from './work-state.ts';
import { refuse, type AnswerReply, type KeysReply, type Reply } from '../../protocol/index.ts';
import { problemsIn, stepAfter } from './draft.ts';
import type { Compiled, WorkEnd, Planned } from './work-end.ts';
import { knowsKeys, note } from './run.ts';
import type { Run } from './in-memory.ts';
import { answer, hear } from './talk/mailbox.ts';
import { applyStored, takeEdit } from './talk/apply.ts';
import { authenticate, type Verify } from './talk/authenticate.ts';
import { giveUp } from './talk/questions.ts';
import { begin } from './work.ts';

const KEYS_UNREAD =
  'whether messages to this run must be signed could not be read; say it again, or cancel the run with Temporal';

export function applyMessage(
  run: Run,
  { message, request }: Extract<Work, { kind: 'message' }>,
  ended: WorkEnd,
  at: string,
  verify: Verify,
): void {
  if (request.do === 'keys') {
    run.dialogue.keysReadAt = at;
    if (ended.ok) takeKeys(run, ended.value as KeysReply);
    else if (!knowsKeys(run)) {
      answer(run, message, refuse('failed', `${KEYS_UNREAD}: ${ended.end.message}`));
      return;
    }
    hear(run, message, verify);
    return;
  }
  if (request.do === 'revise') {
    applyRevision(run, { message, request }, ended, at, verify);
    return;
  }
  const sender = authenticate(run, message, verify);
  const reply: Reply = !ended.ok
    ? refuse('failed', `it could not be carried out: ${ended.end.message}`)
    : request.do === 'store'
      ? applyStored(run, request.as, ended.value as AnswerReply, at)
      : applyEdit(run, request.decision, ended.value as Compiled, message.at, at);
  run.isFreed = true;
  answer(run, message, reply, sender);
}

function takeKeys({ dialogue }: Run, { keys, unsigned }: KeysReply): void {
  if (unsigned !== true) dialogue.project = { ...dialogue.project, keys };
  if (dialogue.known !== 'project') dialogue.known = 'keys';
}

/** The planner goes on until there is a plan, which becomes the open one as an edit does, or until it has none. */
function applyRevision(
  run: Run,
  { message, request }: { readonly message: Message; readonly request: Extract<Request, { do: 'revise' }> },
  ended: WorkEnd,
  at: string,
  verify: Verify,
): void {
  const step = stepAfter(run, request.planning, ended, at);
  const isOpen = run.dialogue.approval.phase !== 'closed';
  if (isOpen && step.next === 'stage' && step.planning.stage !== 'fallback') {
    note(run, at, 'planned', `the revision is tried again: ${step.planning.trouble?.message ?? ''}`);
    begin(run, { kind: 'message', message, request: { ...request, planning: step.planning } });
    return;
  }
  const sender = authenticate(run, message, verify);
  const outcome = step.next === 'plan' && ended.ok ? (ended.value as Planned).outcome : undefined;
  const reply: Reply =
    outcome?.is === 'compiled'
      ? takeEdit(run, request.decision, { ...outcome, heardAt: message.at }, at)
      : refuse('invalid-plan', `the planner has made no valid plan: ${step.planning.trouble?.message ?? ''}`);
  run.isFreed = true;
  answer(run, message, reply, sender);
}

function applyEdit(
  run: Run,
  decision: Parameters<typeof takeEdit>[1],
  compiled: Compiled,
  heardAt: string,
  at: string,
): Reply {
  if (!compiled.ok) {
    const refused = refuse('invalid-plan', `the edited plan is invalid: ${problemsIn(compiled.issues)}`);
    return { ...refused, issues: compiled.issues as never };
  }
  // The project's policy is that of the run's start: a worker that knows less of it must not loosen it.
  return takeEdit(run, decision, { ...compiled, heardAt }, at);
}

export function applyDefault(
  run: Run,
  { request: { as } }: Extract<Work, { kind: 'default' }>,
  ended: WorkEnd,
  at: string,
): void {
  if (as.what !== 'default') return;
  if (ended.ok) applyStored(run, as, ended.value as AnswerReply, at);
  else giveUp(run, as.question, at, `its default could not be stored (${ended.end.message}), and nobody answered`);
}
