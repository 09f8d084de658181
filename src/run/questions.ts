/** The questions of a run: asked by its nodes, answered by people in any order, each once. */

import { refuse, type Refused } from './refusal.ts';
import type { Answer } from './answer.ts';
import { endNode, note, waitFrom, type AskedQuestion, type Heard, type Run } from './run.ts';
import { succeed, waitForPerson, type ResultHandle } from './progress.ts';
import type { Question } from './question.ts';
import { spokenAs } from './sender.ts';
import { nodeId } from './slice.ts';

/** A node asks. Its id names the plan, the node and, of a repeated node, the repetition: no two questions share one. */
export function ask(run: Run, node: number, question: Question, at: string): void {
  const { approval, progress, options, retries } = run;
  if (progress === undefined) return;
  const retry = retries.get(node) ?? 0;
  const id = `${approval.digest.slice(0, 8)}.${nodeId(node)}${retry === 0 ? '' : `.${retry}`}`;
  const wait = waitFrom(at, question.deadlineMs ?? options.answerDeadlineMs);
  // An edit may bring back a plan of before, and with it the id.
  run.answered.delete(id);
  run.questions.set(id, { ...wait, id, node, question, closing: false });
  waitForPerson(progress, node);
  note(run, at, 'asked', `${id}: ${question.text}`);
}

/** Whether this answer may be given; whether its value fits is judged where the schema can be read. */
export function openFor(run: Run, answer: Answer, at: string): AskedQuestion | Refused {
  const asked = run.questions.get(answer.question);
  if (run.approval.phase === 'closed') return refuse('closed', `the run is closed: ${run.approval.outcome ?? ''}`);
  if (asked === undefined || asked.closing) return closedQuestion(run, answer.question);
  if (at > asked.deadline) return refuse('too-late', `${asked.id} waited until ${asked.deadline}`);
  const { roles } = asked.question;
  if (roles !== undefined && (answer.role === undefined || !roles.includes(answer.role))) {
    return refuse('wrong-role', `${asked.id} asks the role ${roles.join(' or ')}; ${spokenAs(answer.by, answer.role)}`);
  }
  return asked;
}

/** The stored answer becomes the node's result. The same answer twice is one answer. */
export function takeAnswer(run: Run, answer: Answer, handle: ResultHandle, verified: boolean, at: string): Heard {
  const before = run.answered.get(answer.question);
  if (before?.ref === handle.ref) return { ok: true, reply: `answered so already, by ${before.by} at ${before.at}` };
  const asked = run.questions.get(answer.question);
  if (asked === undefined || asked.closing) return closedQuestion(run, answer.question);
  const { by, role, comment } = answer;
  closeQuestion(run, asked, handle, by, at);
  const said = { ...answer, value: undefined, ref: handle.ref, verified, ...(role !== undefined && { role }) };
  note(run, at, 'answer', `${asked.id} by ${by}${comment === undefined ? '' : `: ${comment}`}`, said);
  return { ok: true, reply: 'answered' };
}

/** The deadline has passed and the default is stored. */
export function takeDefault(run: Run, asked: AskedQuestion, handle: ResultHandle, at: string): void {
  if (run.questions.get(asked.id) !== asked) return;
  closeQuestion(run, asked, handle, 'its default', at);
  note(run, at, 'answer', `${asked.id}: nobody answered until ${asked.deadline}; its default was taken`, {
    question: asked.id,
    ref: handle.ref,
    by: 'its default',
  });
}

/** Nobody answered, and there is no default. */
export function giveUp(run: Run, asked: AskedQuestion, at: string, reason = 'nobody answered'): void {
  if (run.questions.get(asked.id) !== asked) return;
  run.questions.delete(asked.id);
  run.answered.set(asked.id, { by: 'nobody', at, expired: true });
  const message = `${reason} until ${asked.deadline}: ${asked.question.text}`;
  endNode(run, asked.node, { status: 'failed', type: 'Timeout.ANSWER', message }, at, true);
}

/** The question is no longer asked, since its node is not waited for any more. */
export function dropQuestion(run: Run, asked: AskedQuestion, at: string): void {
  run.questions.delete(asked.id);
  run.answered.set(asked.id, { by: 'nobody', at });
}

export function questionOf(run: Run, node: number): AskedQuestion | undefined {
  return [...run.questions.values()].find((asked) => asked.node === node);
}

function closeQuestion(run: Run, asked: AskedQuestion, handle: ResultHandle, by: string, at: string): void {
  run.questions.delete(asked.id);
  run.answered.set(asked.id, { by, at, ref: handle.ref, node: asked.node });
  if (run.progress?.status[asked.node] === 'waiting') succeed(run.progress, asked.node, handle);
}

function closedQuestion(run: Run, id: string): Refused {
  const before = run.answered.get(id);
  if (before === undefined && !run.questions.has(id)) {
    const open = [...run.questions.keys()].slice(0, 10).join(', ');
    return refuse('unknown-question', `there is no question ${id.slice(0, 100)}; open are ${open || 'none'}`);
  }
  if (before?.ref === undefined) {
    return before === undefined || before.expired === true
      ? refuse('too-late', `question ${id} is closed; nobody answered it in time`)
      : refuse('not-possible', `question ${id} is asked no more: its node was cancelled, skipped or edited away`);
  }
  return refuse('already-answered', `question ${id} was answered by ${before.by} at ${before.at}`);
}
