import { readOwn } from '../records.ts';
import type { OpenQuestion, StoredAs } from '../state.ts';
import {
  given,
  nodeId,
  refuse,
  type Answer,
  type Question,
  type Refused,
  type Reply,
  type ResultHandle,
  afterAnswer,
} from '../../../protocol/index.ts';
import { clockText, cutCharacters } from '../../../plan/text/index.ts';
import { roleText } from '../../approval/rules.ts';
import { waitFrom, addAuthor, closeRun, endNode, tracesTokens, note } from '../run.ts';
import { succeed, waitForPerson } from '../nodes/progress.ts';
import type { Run } from '../in-memory.ts';
import { beginTask } from '../tasks.ts';

const QUESTIONS_NAMED = 10;

/** Opens a question of a node. Its unique id contains the plan, the node and the repetition. */
export function openQuestion(run: Run, node: number, question: Question, at: string): void {
  const { state, execution } = run;
  if (execution === undefined) return;
  const { approval, options, questions, answered } = state;
  const retry = execution.retries[node] ?? 0;
  const id = `${approval.digest.slice(0, 8)}.${nodeId(node)}${retry === 0 ? '' : `.${retry}`}`;
  const wait = waitFrom(at, question.deadlineMs ?? options.answerDeadlineMs);
  // An edit may restore an earlier plan, whose question has the same id.
  delete answered[id];
  questions[id] = { ...wait, id, node, question, closing: false };
  waitForPerson(execution.progress, node);
  note(run, at, 'asked', `${id}: ${question.text}`);
}

export function askAsPlanner(run: Run, id: string, question: Question, at: string): void {
  const { options, questions } = run.state;
  const wait = waitFrom(at, question.deadlineMs ?? options.answerDeadlineMs);
  questions[id] = { ...wait, id, node: OF_PLANNER, question, closing: false };
  note(run, at, 'asked', `${id}: ${question.text}`);
}

const OF_PLANNER = -1;

export function questionDigest({ approval, planning }: Run['state'], question: OpenQuestion): string {
  return question.node < 0 ? (planning?.notes ?? '') : approval.digest;
}

/** The question, if it can be answered now. An activity later checks whether the value fits the schema. */
export function answerableQuestion({ state }: Run, answer: Answer, at: string): OpenQuestion | Refused {
  const { approval, questions } = state;
  const question = readOwn(questions, answer.question);
  if (approval.phase === 'closed') return refuse('closed', `the run is closed: ${approval.closed?.outcome ?? ''}`);
  if (question === undefined || question.closing) return closedQuestion(state, answer.question);
  const about = questionDigest(state, question);
  if (answer.digest !== undefined && !about.startsWith(answer.digest)) {
    return refuse('stale-digest', `${question.id} is about ${about.slice(0, 8)}, not ${answer.digest.slice(0, 8)}`);
  }
  if (at > question.deadline) return refuse('too-late', `${question.id} waited until ${clockText(question.deadline)}`);
  const { roles } = question.question;
  if (roles !== undefined && (answer.role === undefined || !roles.includes(answer.role))) {
    return refuse(
      'wrong-role',
      `${question.id} asks the role ${roles.join(' or ')}; ${roleText(answer.by, answer.role)}`,
    );
  }
  return question;
}

/** Makes the stored answer the node's result. A repeated answer counts once. */
export function applyAnswer(
  run: Run,
  { answer, verified, token }: Extract<StoredAs, { what: 'answer' }>,
  handle: ResultHandle,
  at: string,
): Reply {
  const { state } = run;
  const before = readOwn(state.answered, answer.question);
  if (before?.ref === handle.ref)
    return { ok: true, reply: `answered so already, by ${before.by} at ${clockText(before.at)}` };
  const { phase, closed } = state.approval;
  if (phase === 'closed') return refuse('closed', `the run is closed: ${closed?.outcome ?? ''}`);
  const question = readOwn(state.questions, answer.question);
  if (question === undefined || question.closing) return closedQuestion(state, answer.question);
  const { value: _, ...facts } = answer;
  // The planner's plan or a loop's next step depends on the answer, so its sender becomes an author.
  if (question.node < 0 || state.loop !== undefined) addAuthor(run, answer.by, token);
  closeQuestion(run, question, handle, answer.by, at);
  const comment = answer.comment === undefined ? '' : `: ${answer.comment}`;
  note(run, at, 'answer', `${question.id} by ${answer.by}${comment}`, {
    ...{ ...facts, ref: handle.ref, verified },
    ...(tracesTokens(state) && given({ token })),
  });
  return { ok: true, reply: 'answered' };
}

export function applyDefault(run: Run, id: string, handle: ResultHandle, at: string): void {
  const question = run.state.questions[id];
  if (question === undefined) return;
  const by = 'its default';
  closeQuestion(run, question, handle, by, at);
  const text = `${id}: nobody answered until ${clockText(question.deadline)}; its default was taken`;
  note(run, at, 'answer', text, { question: id, ref: handle.ref, by });
}

export function beginDefaults(run: Run, room: number): number {
  const { defaults, questions } = run.state;
  let scheduled = 0;
  while (scheduled < room && defaults.length > 0) {
    const open = readOwn(questions, defaults.shift() ?? '');
    if (open === undefined) continue;
    const { id, question, node } = open;
    const as = { what: 'default', question: id } as const;
    const value = question.default ?? null;
    beginTask(run, { kind: 'default', request: { do: 'store', ...(node >= 0 && { node: nodeId(node) }), value, as } });
    scheduled += 1;
  }
  return scheduled;
}

export function closeUnanswered(run: Run, id: string, at: string, reason = 'nobody answered'): void {
  const { questions, answered } = run.state;
  const question = questions[id];
  if (question === undefined) return;
  delete questions[id];
  answered[id] = { by: 'nobody', at, expired: true };
  const message = `${reason} until ${clockText(question.deadline)}: ${question.question.text}`;
  // The planner needs the answer: without it there is no plan.
  if (question.node < 0) {
    closeRun(run, 'expired', at, message);
    return;
  }
  endNode(run, question.node, { status: 'failed', type: 'Timeout.ANSWER', message }, at);
}

export function dropQuestion({ state: { questions, answered } }: Run, question: OpenQuestion, at: string): void {
  delete questions[question.id];
  answered[question.id] = { by: 'nobody', at };
}

export function questionOf({ state }: Run, node: number): OpenQuestion | undefined {
  for (const question of Object.values(state.questions)) if (question.node === node) return question;
  return undefined;
}

function closeQuestion(run: Run, question: OpenQuestion, handle: ResultHandle, by: string, at: string): void {
  const { state, execution } = run;
  delete state.questions[question.id];
  state.answered[question.id] = { by, at, ref: handle.ref, ...(question.node >= 0 && { node: question.node }) };
  if (state.planning?.waitsFor === question.id) {
    state.planning = afterAnswer(state.planning, { question: question.question.text, ref: handle.ref });
  }
  if (execution?.progress.status[question.node] === 'waiting') succeed(execution.progress, question.node, handle);
}

function closedQuestion({ questions, answered }: Run['state'], id: string): Refused {
  const before = readOwn(answered, id);
  if (before === undefined && !Object.hasOwn(questions, id)) {
    const open: string[] = [];
    for (const one in questions) if (open.push(one) === QUESTIONS_NAMED) break;
    return refuse(
      'unknown-question',
      `there is no question ${cutCharacters(id, 100)}; ${open.length === 0 ? 'none is open' : `open are ${open.join(', ')}`}`,
    );
  }
  if (before?.ref === undefined) {
    return before === undefined || before.expired === true
      ? refuse('too-late', `question ${id} is closed; nobody answered it in time`)
      : refuse('not-possible', `question ${id} is asked no more: its node was cancelled, skipped or edited away`);
  }
  return refuse('already-answered', `question ${id} was answered by ${before.by} at ${clockText(before.at)}`);
}
