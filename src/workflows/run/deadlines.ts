/** Deadlines, since every wait has one: what a run waits for, until when, and what silence means then. */

import type { AskedQuestion } from './work-state.ts';
import { clockText } from '../../plan/text/index.ts';
import { expire } from '../approval/approval.ts';
import { openings, type Opening, type Settling } from '../views/openings.ts';
import { later } from './dialogue.ts';
import { fail } from './nodes/progress.ts';
import { closeRun, isAsking, note } from './run.ts';
import type { Run } from './in-memory.ts';
import { endBudget } from './spending/end.ts';
import { giveUp } from './talk/questions.ts';

/**
 * A message that was sent in time may still be on its way in: an edit is compiled, an answer is stored. The run hears
 * it before it holds silence against anybody, but waits no longer than this.
 * @bound how long what was said in time is waited for after a deadline
 * @beyond the deadline holds
 */
const LISTEN_MS = 600_000;

/**
 * The nearest moment at which silence has a consequence (ISO 8601); undefined when the run waits for nobody. What the run
 * backs off for has a deadline of its own (`backoff.ts`), since not only people end it.
 */
export function nextDeadline(run: Run): string | undefined {
  let least: string | undefined;
  // Times of one form sort as texts.
  for (const { kind, deadline } of openings(run))
    if (kind !== 'fault' && (least === undefined || deadline < least)) least = deadline;
  return least !== undefined && isListening(run, least) ? later(least, LISTEN_MS) : least;
}

/** Applies what silence means. */
export function passDeadlines(run: Run, at: string): void {
  const due = nextDeadline(run);
  if (due === undefined || at < due) return;
  passApproval(run, at);
  passSettlings(run, at);
  passQuestions(run, at);
  passBudget(run, at);
}

/** Whether something that was heard by this time has not taken effect yet. */
export function isListening({ dialogue }: Run, until: string): boolean {
  return dialogue.inbox.some(({ waitsFor, at }) => waitsFor !== 'plan' && at <= until);
}

/** A plan that nobody approved in time closes the run. */
function passApproval(run: Run, at: string): void {
  if (!isAsking(run)) return;
  if (expire(run.dialogue.approval, at).phase === 'closed') closeRun(run, 'expired', at);
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

/** A budget that nobody gave again has ended. */
function passBudget(run: Run, at: string): void {
  const { asked } = run.dialogue.account ?? {};
  if (asked !== undefined && at >= asked.deadline) endBudget(run, at, 'stop');
}

/** A default has to be stored as an answer is, once there is room for an activity. */
function passQuestions(run: Run, at: string): void {
  const { questions, defaults } = run.dialogue;
  const due: AskedQuestion[] = [];
  for (const asked of Object.values(questions)) if (!asked.closing && at >= asked.deadline) due.push(asked);
  for (const asked of due) {
    if (asked.question.default === undefined) giveUp(run, asked.id, at);
    else {
      asked.closing = true;
      defaults.push(asked.id);
    }
  }
}
