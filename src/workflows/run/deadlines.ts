/** Finds the next deadline of a run, and acts if nobody answers in time. */

import type { OpenQuestion } from './state.ts';
import { clockText } from '../../plan/text/index.ts';
import { expire } from '../approval/approval.ts';
import { openings, type Opening, type Settling } from '../views/openings.ts';
import { later, closeRun, isAsking, note } from './run.ts';
import { fail } from './nodes/progress.ts';
import type { Run } from './in-memory.ts';
import { endBudget } from './spending/spend.ts';
import { closeUnanswered } from './talk/questions.ts';

/** Maximum ms by which a deadline is postponed while timely messages wait for an activity. */
const MAX_DELAY_MS = 600_000;

/** The next deadline for people (ISO 8601), without those of backoffs, which may end without a person. */
export function nextDeadline(run: Run): string | undefined {
  let earliest: string | undefined;
  // ISO 8601 times sort as text.
  for (const { kind, deadline } of openings(run))
    if (kind !== 'fault' && (earliest === undefined || deadline < earliest)) earliest = deadline;
  return earliest !== undefined && hasMessageBefore(run, earliest) ? later(earliest, MAX_DELAY_MS) : earliest;
}

export function passDeadlines(run: Run, at: string): void {
  const due = nextDeadline(run);
  if (due === undefined || at < due) return;
  passApproval(run, at);
  passSettlings(run, at);
  passQuestions(run, at);
  passBudget(run, at);
}

export function hasMessageBefore({ state }: Run, until: string): boolean {
  return state.inbox.some(({ waitsFor, at }) => waitsFor !== 'plan' && at <= until);
}

function passApproval(run: Run, at: string): void {
  if (!isAsking(run)) return;
  if (expire(run.state.approval, at).phase === 'closed') closeRun(run, 'expired', at);
}

function passSettlings(run: Run, at: string): void {
  const due = [...openings(run)].filter(({ kind, deadline }) => kind === 'settling' && at >= deadline);
  for (const { of, node, id, deadline } of due as (Opening & Settling)[]) {
    delete of.unsettled[node];
    const failure = of.progress.failures[node];
    const status = of.progress.status[node];
    if (failure === undefined || (status !== 'uncertain' && status !== 'failed')) continue;
    fail(of.progress, node, status, failure);
    note(run, at, 'node', `${id} stays ${status}: nobody settled it until ${clockText(deadline)}`);
  }
}

function passBudget(run: Run, at: string): void {
  const { wait } = run.state.account ?? {};
  if (wait !== undefined && at >= wait.deadline) endBudget(run, at, 'stop');
}

/** Answers overdue questions with their defaults, as soon as another activity may start. */
function passQuestions(run: Run, at: string): void {
  const { questions, defaults } = run.state;
  const due: OpenQuestion[] = [];
  for (const question of Object.values(questions)) if (!question.closing && at >= question.deadline) due.push(question);
  for (const question of due) {
    if (question.question.default === undefined) closeUnanswered(run, question.id, at);
    else {
      question.closing = true;
      defaults.push(question.id);
    }
  }
}
