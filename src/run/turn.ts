/**
 * One turn of a run: everything that has happened since the last one takes its effect, and what is to be done comes back
 * as data. Pure but for the run that it changes; the workflow does what it says, and a test can do so without a server.
 */

import { holdEnd, isHeldBack, type Pressure } from './budget.ts';
import { isListening, nextDeadline, passDeadlines } from './deadlines.ts';
import { cancelPending, isFinished } from './nodes/index.ts';
import { endingOf } from './ending.ts';
import { draft } from './draft.ts';
import { isCutOff } from './kill.ts';
import { goRound } from './loop/index.ts';
import { isReporting } from './report.ts';
import { startNodes } from './start-nodes.ts';
import { closeRun, type Outbox, type Run } from './run.ts';
import { listen, takeErrands, type Verify } from './talk/index.ts';
import { stop } from './work.ts';

export interface Surroundings {
  /** Now, ISO 8601. */
  readonly at: string;
  readonly verify: Verify;
  readonly pressure: Pressure;
  /** Events of this history. */
  readonly events: number;
}

/** What the workflow has to do after a turn. */
export interface Orders extends Readonly<Outbox> {
  /** When to take the next turn, if nothing happens before (ISO 8601). */
  readonly due: string | undefined;
  /** What waits was not all looked at: take the next turn soon. */
  readonly more: boolean;
  /** Wait for something to happen, go on in a new history, or end. */
  readonly next: 'wait' | 'continue' | 'end';
}

export function takeTurn(run: Run, surroundings: Surroundings): Orders {
  const { at, verify, pressure, events } = surroundings;
  listen(run, verify);
  passDeadlines(run, at);
  conclude(run, at);
  const isOver = run.dialogue.approval.phase === 'closed';
  if (isOver) wrapUp(run);
  const isHeld = !isOver && isHeldBack(run, pressure, events, at);
  const told = run.outbox.replies.length;
  let isInLine = false;
  if (!isHeld) {
    isInLine = takeErrands(run, verify, at);
    if (run.dialogue.approval.phase !== 'closed') {
      draft(run);
      goRound(run, at);
      startNodes(run, at);
    }
  }
  const orders = takeOutbox(run);
  // The end may have waited for what stood in line and was answered just now.
  const { failure, loop, approval } = run.dialogue;
  const isNewlyOver = !isOver && (failure !== undefined || loop?.result !== undefined || approval.phase === 'closed');
  const more = run.dialogue.mailbox.length > 0 || orders.replies.length > told || isNewlyOver || isInLine;
  const next = nextOf(run, isOver, pressure, at);
  const due = isOver ? undefined : earliest(nextDeadline(run), isHeld ? holdEnd(run, at) : undefined);
  return { ...orders, due, more, next };
}

/** The run closes when it was cancelled, has failed, or every node has ended and whoever spoke in time was heard. */
function conclude(run: Run, at: string): void {
  const { dialogue } = run;
  if (dialogue.approval.phase === 'closed') return;
  const { loop } = dialogue;
  if (dialogue.failure === undefined && !dialogue.cancelled && loop?.result !== undefined)
    closeRun(run, loop.outcome ?? 'done', at, loop.outcome && 'a cap of its policy was reached');
  if (dialogue.failure === undefined && !dialogue.cancelled && loop === undefined && hasRunOut(run, at)) {
    const ending = endingOf(run);
    if (ending.ok) closeRun(run, ending.outcome, at);
    else dialogue.failure = ending.failure;
  }
  if (dialogue.failure !== undefined && isReporting(run)) return;
  if (dialogue.failure !== undefined) closeRun(run, 'failed', at, dialogue.failure.message);
  else if (dialogue.cancelled) closeRun(run, 'cancelled', at);
}

function hasRunOut(run: Run, at: string): boolean {
  const { dialogue, execution, work } = run;
  if (execution === undefined || !isFinished(execution.progress)) {
    delete dialogue.endedAt;
    return false;
  }
  for (const { kind } of work.values()) if (kind === 'node' || kind === 'unused') return false;
  dialogue.endedAt ??= at;
  return !isListening(run, dialogue.endedAt);
}

/** Nothing new begins, and what is under way for the sake of a message is of no use any more. */
function wrapUp(run: Run): void {
  const { dialogue, execution } = run;
  if (execution !== undefined) {
    cancelPending(execution.progress);
    execution.settling.clear();
  }
  dialogue.questions.clear();
  // Nodes under way end by themselves, unless the run was cancelled by Temporal or killed.
  for (const [id, { kind }] of run.work) {
    if (isCutOff(run) || (kind !== 'node' && kind !== 'unused')) stop(run, id, 'the end of the run');
  }
}

function nextOf({ dialogue, work, hold }: Run, isOver: boolean, pressure: Pressure, at: string): Orders['next'] {
  if (work.size > 0) return 'wait';
  if (isOver) return dialogue.mailbox.length === 0 && dialogue.queue.length === 0 ? 'end' : 'wait';
  const isRefused = hold.notBefore !== undefined && at < hold.notBefore;
  return pressure === 'none' || isRefused ? 'wait' : 'continue';
}

function takeOutbox(run: Run): Outbox {
  const { begin: begun, stop: stopped, replies } = run.outbox;
  Object.assign(run.outbox, { begin: [], stop: [], replies: [] });
  return { begin: begun, stop: stopped, replies };
}

function earliest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}
