/**
 * Takes one turn of a run: applies everything that arrived since the last turn, and returns as data what to do next. A
 * turn changes only the run, so tests need no server.
 */

import { isEmpty, numbered } from './records.ts';
import { arrive, countOutside, maxLastMessages, type Incoming, applyEnd } from './arrive.ts';
import { type Pressure, drainEnd, isDraining, stopForNewHistory } from './drain.ts';
import { hasMessageBefore, nextDeadline, passDeadlines } from './deadlines.ts';
import { cancelPending, isFinished } from './nodes/progress.ts';
import { endingOf, isReporting } from './ending.ts';
import { draft } from './draft.ts';
import { isSignalling, nextSignal, signalsToRuns, type RunSignal, lookWhenDue, nextLook } from './agents.ts';
import { countTry, isBackingOff, nextAttemptAt, passBackoff, resumeTasks } from './backoff.ts';
import { closeRun, endLostEffects, cancelsEverything } from './run.ts';
import type { Outbox, Run } from './in-memory.ts';
import { type TaskEnd, sum } from './task-traits.ts';
import { nextRound } from '../loop/rounds.ts';
import { cancelParts } from './parts.ts';
import { unsettledRemoved } from './started-effects.ts';
import { shouldReplan, nextReplan } from './replan.ts';
import { startNodes } from './start-nodes.ts';
import { isBudgetExhausted } from './spending/spend.ts';
import { rolesWaitedFor } from '../views/openings.ts';
import type { Verify } from './talk/authenticate.ts';
import { beginRequests, isUnread, judgeMessages, receive, forgetReplies } from './talk/inbox.ts';
import { startedAgents, cancelTask } from './tasks.ts';

export interface TurnInput {
  readonly at: string;
  readonly verify: Verify;
  readonly arrivals?: readonly Incoming[];
  /** Why the run must continue in a new history. If this is a function, it is called after the arrivals are applied. */
  readonly pressure: Pressure | (() => Pressure);
}

export interface Orders extends Readonly<Outbox> {
  /** For each arrival, the id of its later reply; 0 if it is not a message. */
  readonly messageIds: readonly number[];
  readonly runSignals: readonly RunSignal[];
  readonly roles: readonly string[] | undefined;
  readonly due: string | undefined;
  readonly hasMore: boolean;
  readonly next: 'wait' | 'continue' | 'end';
}

export function takeTurn(run: Run, input: TurnInput): Orders {
  const { at, verify, arrivals = [] } = input;
  const messageIds = arrivals.map((arrival) =>
    arrival.is === undefined ? receive(run, arrival) : arrive(run, arrival, verify),
  );
  judgeMessages(run, verify);
  const pressure = typeof input.pressure === 'string' ? input.pressure : input.pressure();
  passDeadlines(run, at);
  if (run.state.backoff !== undefined)
    for (const [id, ended] of passBackoff(run, at)) applyEnd(run, id, ended, at, verify);
  conclude(run, at);
  const isClosed = run.state.approval.phase === 'closed';
  if (isClosed) cleanUpClosedRun(run, at, verify);
  if (run.parts.size > 0) cancelParts(run);
  const mustDrain = !isClosed && isDraining(run, pressure, at);
  if (mustDrain) stopForNewHistory(run, pressure, at);
  const replies = run.outbox.replies.length;
  let hasWaitingRequests = false;
  let hasEnded = false;
  const wasSpent = isBudgetExhausted(run);
  const hasRuns = hasOtherRuns(run);
  if (!mustDrain && hasRuns) lookWhenDue(run, at);
  if (!mustDrain && !(run.state.backoff !== undefined && isBackingOff(run, at))) {
    if (sum(run.counts.deferred) > 0) resumeTasks(run, at);
    hasWaitingRequests = beginRequests(run, verify);
    if (run.state.approval.phase !== 'closed') {
      draft(run, at);
      if (run.state.loop !== undefined) nextRound(run, at);
      hasEnded = startNodes(run, at);
    }
    if (run.state.backoff !== undefined) countTry(run, at);
  }
  const orders = emptyOutbox(run);
  // The run may have had to answer messages before it could end.
  const { failure, loop, approval } = run.state;
  const isNewlyClosed =
    !isClosed && (failure !== undefined || loop?.result !== undefined || approval.phase === 'closed');
  const hasUnread = run.state.inbox.some(isUnread);
  const isUnfinished =
    hasUnread ||
    orders.replies.length > replies ||
    isNewlyClosed ||
    hasWaitingRequests ||
    hasEnded ||
    isBudgetExhausted(run) !== wasSpent;
  const begins = earliest(
    earliest(waitsForAttempt(run) ? nextAttemptAt(run, at) : undefined, nextReplan(run, at)),
    mustDrain ? drainEnd(run, at) : undefined,
  );
  const ofRuns = hasRuns ? earliest(nextLook(run), nextSignal(run, at)) : undefined;
  const due = earliest(isClosed ? undefined : earliest(nextDeadline(run), begins), ofRuns);
  const runSignals = hasRuns ? signalsToRuns(run, at) : [];
  const wanted = nextOf(run, isClosed, mustDrain, at);
  const { busyTasks = 0 } = run.drain;
  const isBusy = wanted === 'continue' && (hasUnread || countOutside(arrivals) > maxLastMessages(busyTasks));
  if (isBusy) run.drain.busyTasks = busyTasks + 1;
  const next = isBusy ? 'wait' : wanted;
  if (next === 'continue') delete run.drain.backoff;
  if (next === 'continue' || orders.replies.length > 0) forgetReplies(run, at);
  return { ...orders, messageIds, runSignals, roles: newRoles(run), due, hasMore: isUnfinished || isBusy, next };
}

/** Closes the run if it was cancelled or has failed, or if all nodes have ended and timely messages have replies. */
function conclude(run: Run, at: string): void {
  const { state } = run;
  if (state.approval.phase === 'closed') return;
  const { loop } = state;
  if (state.failure === undefined && !state.cancelled && loop?.result !== undefined && !waitsForRemoved(run))
    closeRun(run, loop.outcome ?? 'done', at, loop.outcome && 'a cap of its policy was reached');
  if (state.failure === undefined && !state.cancelled && loop === undefined && haveNodesEnded(run, at)) {
    const ending = endingOf(run);
    if (ending.ok) closeRun(run, ending.outcome, at);
    else state.failure = ending.failure;
  }
  if (state.failure !== undefined && isReporting(run)) return;
  if (state.failure !== undefined) closeRun(run, 'failed', at, state.failure.message);
  else if (state.cancelled) closeRun(run, 'cancelled', at);
}

function waitsForRemoved(run: Run): boolean {
  return run.state.removedEffects !== undefined && unsettledRemoved(run).next().done !== true;
}

function hasOtherRuns({ state: { children, parent, looks } }: Run): boolean {
  return parent !== undefined || looks !== undefined || !isEmpty(children);
}

function waitsForAttempt({ state, counts, execution }: Run): boolean {
  return state.backoff !== undefined || sum(counts.deferred) > 0 || !isEmpty(execution?.backoffs ?? {});
}

function haveNodesEnded(run: Run, at: string): boolean {
  const { state, execution, counts } = run;
  if (execution === undefined || !isFinished(execution.progress) || shouldReplan(run) || waitsForRemoved(run)) {
    delete state.endedAt;
    return false;
  }
  if (sum(counts.all, ['node', 'unused']) > 0) return false;
  state.endedAt ??= at;
  return !hasMessageBefore(run, state.endedAt);
}

/** Runs after the end of a run: starts nothing new, and drops tasks that only served a message. */
function cleanUpClosedRun(run: Run, at: string, verify: Verify): void {
  const { state, execution } = run;
  for (const [id, { isDeferred }] of numbered(run.tasks))
    if (isDeferred === true) applyEnd(run, id, NEVER_STARTED, at, verify);
  endLostEffects(run, at, CLOSED);
  if (execution !== undefined) cancelPending(execution.progress);
  state.questions = {};
  // Running nodes of a closed run may end by themselves, unless Temporal cancelled the run or a person killed it.
  for (const [id, { kind }] of numbered(run.tasks)) {
    if (cancelsEverything(run) || (kind !== 'node' && kind !== 'unused' && kind !== 'look'))
      cancelTask(run, id, 'the end of the run');
  }
}

const CLOSED = 'the run has closed before it began';
const NEVER_STARTED: TaskEnd = {
  ok: false,
  end: { status: 'cancelled', type: 'Cancelled', message: CLOSED },
  failure: { type: 'RETRIABLE', message: CLOSED, details: [] },
};

function nextOf(run: Run, isClosed: boolean, mustDrain: boolean, at: string): Orders['next'] {
  const { state, drain } = run;
  if (isAtWork(run, isClosed) || (hasOtherRuns(run) && isSignalling(run))) return 'wait';
  if (isClosed) return state.inbox.every(({ waitsFor }) => waitsFor === 'plan') ? 'end' : 'wait';
  return mustDrain && at >= (drain.backoff?.until ?? '') ? 'continue' : 'wait';
}

/** Whether a task must end in this history. Deferred tasks and agents' runs continue in the next one. */
function isAtWork({ counts, state }: Run, isClosed: boolean): boolean {
  const open = sum(counts.all) - counts.all.look;
  return open > (isClosed ? 0 : sum(counts.deferred) - counts.deferred.look + startedAgents(state));
}

function newRoles(run: Run): readonly string[] | undefined {
  const { viewChanged, state } = run;
  run.viewChanged = false;
  if (!viewChanged || !state.project.inbox) return undefined;
  const roles = rolesWaitedFor(run);
  if (roles.join('\n') === state.publishedRoles) return undefined;
  state.publishedRoles = roles.join('\n');
  return roles;
}

function emptyOutbox(run: Run): Outbox {
  const taken = { ...run.outbox };
  Object.assign(run.outbox, { begin: [], cancel: [], cancelParts: [], replies: [] });
  return taken;
}

function earliest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}
