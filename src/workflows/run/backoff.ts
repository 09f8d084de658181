/**
 * Defers work that has not begun, and retries it. Each node and each piece of other work has its own record. The run
 * has one record for all that makes its plan or next step, and for everything while its store is away. If that lasts,
 * the run asks a person.
 */

import type { Backoff, Work } from './work-state.ts';
import { numbered } from './records.ts';
import type { Deferral } from '../../protocol/index.ts';
import {
  awaitedBy,
  canFallBack,
  CAUSES,
  endInVain,
  isInVain,
  isOfRun,
  nextBackoff,
  nextTry,
  stopsEverything,
} from './backoff-causes.ts';
import { waitFrom } from './dialogue.ts';
import { isLoss, type WorkEnd } from './work-end.ts';
import { note, pauseOf } from './run.ts';
import type { Execution, Run } from './in-memory.ts';
import { executorAt } from './spending/account.ts';
import { reserveMore, settleWork } from './spending/spend.ts';
import { replaceWork, setDeferred } from './work.ts';
import { nameOf, sum, WORK } from './work-traits.ts';

/** @returns whether the work waits; false if it has reached its limit or is no longer needed */
export function backOff(run: Run, work: Work, deferral: Deferral, at: string): boolean {
  const { deferred: cause, attempts = 0 } = deferral;
  const name = nameOf(work);
  // A missing report must not keep a failed run open.
  if (name === 'report' && cause !== 'run') return false;
  // A server may be away for hours: only the first try is counted and recorded here. The run counts the others.
  const isNew = !isOfRun(name, cause) || backOffRun(run, deferral, at);
  const next = nextBackoff(work.backoff, deferral, at);
  const backoff = isNew ? next : { ...next, attempt: next.attempt - 1 };
  if (isInVain(name, backoff, at)) return false;
  work.attempts = CAUSES[cause].startsOver ? 0 : (work.attempts ?? 0) + attempts;
  work.backoff = backoff;
  setDeferred(run, work, true);
  if (isNew) note(run, at, 'held', `${WORK[name].words} has not begun: ${next.reason}`);
  return true;
}

/** @returns whether the cause is new */
export function backOffRun(run: Run, deferral: Deferral, at: string): boolean {
  const { dialogue } = run;
  const { deferred: cause } = deferral;
  const { backoff: before, approval } = dialogue;
  const same = before?.cause === cause ? before : undefined;
  const isLess = same === undefined && cause !== 'fault' && (before?.cause === 'fault' || before?.cause === 'worker');
  if (isLess || approval.phase === 'closed') return false;
  const next = nextBackoff(same, deferral, at);
  // If everything waits, simultaneous failures count as one try: `countTry` counts these.
  dialogue.backoff = same?.cause === 'fault' ? { ...next, attempt: same.attempt, until: same.until } : next;
  if (same === undefined) note(run, at, 'held', `waits for ${awaitedBy(next)}`);
  askIfDue(run, at);
  return same === undefined;
}

/** Asks a person if the wait has lasted too long. */
function askIfDue({ dialogue }: Run, at: string): void {
  const { backoff, options } = dialogue;
  if (backoff === undefined || backoff.deadline !== undefined || at < (backoff.askAt ?? '')) return;
  dialogue.backoff = { ...backoff, deadline: waitFrom(at, options.answerDeadlineMs).deadline };
}

/** The deferral of a plan or step that keeps killing its workers. */
export function deferralByLoss({ dialogue }: Run, work: Work, ended: WorkEnd): Deferral | undefined {
  const { words, isOwn } = WORK[nameOf(work)];
  const isOpen = !dialogue.cancelled && dialogue.approval.phase !== 'closed';
  if (ended.ok || !isLoss(ended.end) || !isOwn || work.kind === 'message' || !isOpen) return undefined;
  return { deferred: 'worker', reason: `a person, since ${words} lost its workers: ${ended.end.message}` };
}

export function dropDeferred(run: Run, id: number): void {
  const work = run.work[id];
  if (work === undefined) return;
  settleWork(run, id, work, endInVain({ deferred: 'run', reason: work.backoff?.reason ?? '' }));
  replaceWork(run, id);
}

/** The backoff of deferred work: its own, or that of the run. */
function recordOf({ dialogue }: Run, work: Work): Backoff | undefined {
  const { backoff } = work;
  return backoff !== undefined && isOfRun(nameOf(work), backoff.cause) ? dialogue.backoff : backoff;
}

/** Resumes deferred work after its pause. Paid work waits until the run is not paused. */
export function resumeWork(run: Run, at: string): void {
  if (sum(run.counts.deferred) === 0) return;
  const isPaused = pauseOf(run) !== undefined;
  for (const [id, work] of numbered(run.work)) {
    const { kind, isDeferred, backoff } = work;
    const isBought = backoff?.cause === 'run' || kind === 'plan' || kind === 'decide';
    if (isDeferred !== true || at < (recordOf(run, work)?.until ?? '') || (isPaused && isBought)) continue;
    if (backoff?.cause === 'budget' && !reserveMore(run, id, at)) continue;
    setDeferred(run, work, false);
    run.outbox.begin.push(id);
    if (stopsEverything(run.dialogue.backoff)) return;
  }
}

/** Rechecks nodes after their pause. */
export function freeNodes(run: Run, { backoffs }: Execution, at: string): void {
  for (const [node, backoff] of numbered(backoffs)) {
    if (backoff.until === '' || at < backoff.until) continue;
    backoffs[node] = { ...backoff, until: '' };
    run.isFreed = true;
  }
}

export function isNodeDue({ execution }: Run, node: number, at: string): boolean {
  return at >= (execution?.backoffs[node]?.until ?? '');
}

/** Ends the backoff of the run if this work needs what the run waits for, and has succeeded. */
export function noteSuccess(run: Run, work: Work, at: string): void {
  const { endedBy } = CAUSES[run.dialogue.backoff?.cause ?? 'run'];
  const isAgent = work.kind === 'node' && executorAt(run, work.node)?.kind === 'agent';
  if (endedBy !== undefined && !isAgent && WORK[nameOf(work)][endedBy] === true) endBackoff(run, at);
}

/** The run stops waiting: what it waited for is back, or a person asked for another try. */
export function endBackoff(run: Run, at: string, why = 'what it waited for is there again'): void {
  const { backoff } = run.dialogue;
  if (backoff === undefined) return;
  delete run.dialogue.backoff;
  run.isFreed = true;
  note(run, at, 'held', `${why}; it had waited since ${backoff.since}`);
}

/** Whether nothing may begin now, since the last try has just failed or is under way. */
export function isBackingOff({ dialogue: { backoff } }: Run, at: string): boolean {
  return stopsEverything(backoff) && at < (backoff?.until ?? '');
}

/** Counts a try while everything waits; the next pause is longer. */
export function countTry({ dialogue, outbox }: Run, at: string): void {
  const { backoff } = dialogue;
  if (backoff === undefined || !stopsEverything(backoff) || outbox.begin.length === 0) return;
  const next = { ...backoff, attempt: backoff.attempt + 1 };
  dialogue.backoff = { ...next, until: nextTry(next, at) };
}

/**
 * Asks a person if the wait has lasted too long. Without an answer by the deadline the run fails, unless it can do
 * without the work.
 * @returns the ends of such work by id: a planning, which has its fallback, or messages
 */
export function passBackoff(run: Run, at: string): readonly (readonly [number, WorkEnd])[] {
  const { dialogue, work } = run;
  if (dialogue.approval.phase === 'closed') return [];
  askIfDue(run, at);
  const { backoff } = dialogue;
  if (backoff?.deadline === undefined || at < backoff.deadline) return [];
  const waiting = [...numbered(work)].filter(([, one]) => one.isDeferred && recordOf(run, one) === backoff);
  const isPlanning = canFallBack(backoff) && dialogue.planning !== undefined;
  const isNeeded = ({ kind }: Work) => kind !== 'message' && !(kind === 'plan' && isPlanning);
  if (stopsEverything(backoff) || (waiting.length === 0 && !isPlanning) || waiting.some(([, one]) => isNeeded(one))) {
    const message = `it waited since ${backoff.since} for ${awaitedBy(backoff)}, and nobody said what is to become of it`;
    dialogue.failure ??= { type: 'Unavailable', message, details: [] };
    return [];
  }
  const why = isPlanning ? 'the planning goes on to its fallback' : 'nobody waits for it any more';
  if (waiting.length > 0) endBackoff(run, at, why);
  const end = endInVain({ deferred: 'run', reason: awaitedBy(backoff) });
  return waiting.map(([id]) => [id, end]);
}

/** The next retry or question to a person (ISO 8601). Overdue work waits for something else. */
export function nextAttemptAt(run: Run, at: string): string | undefined {
  const { dialogue, work, execution } = run;
  const { until = '', askAt = '', deadline = askAt } = dialogue.backoff ?? {};
  const times = [until, deadline];
  if (sum(run.counts.deferred) > 0)
    for (const one of Object.values(work)) if (one.isDeferred) times.push(recordOf(run, one)?.until ?? '');
  for (const [node, backoff] of numbered(execution?.backoffs))
    if (execution?.progress.status[node] === 'pending') times.push(backoff.until);
  return times.filter((time) => time > at).toSorted()[0];
}
