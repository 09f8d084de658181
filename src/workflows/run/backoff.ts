/**
 * Defers work that has not begun, and retries it. Each node and each piece of other work has its own record. The run
 * has one record for all that makes its plan or next step, and for everything while its store is away. If that lasts,
 * the run asks a person.
 */

import type { Backoff, PendingTask } from './state.ts';
import { doublingPause, numbered } from './records.ts';
import { type Deferral, given, type DeferralCause } from '../../protocol/index.ts';
import { executorAt, waitFrom, later, note, pauseOf } from './run.ts';
import { isLoss, type TaskEnd, nameOf, sum, TASK_TRAITS, type TaskName } from './task-traits.ts';
import type { Execution, Run } from './in-memory.ts';
import { reserveMore, settleWork } from './spending/spend.ts';
import { replaceTask, setDeferred } from './tasks.ts';
import { cutBytes, visible } from '../../plan/text/index.ts';

/** @returns whether the work waits; false if it has reached its limit or is no longer needed */
export function backOff(run: Run, task: PendingTask, deferral: Deferral, at: string): boolean {
  const { deferred: cause, attempts = 0 } = deferral;
  const name = nameOf(task);
  // A missing report must not keep a failed run open.
  if (name === 'report' && cause !== 'run') return false;
  // A server may be away for hours: only the first try is counted and recorded here. The run counts the others.
  const isNew = !isOfRun(name, cause) || backOffRun(run, deferral, at);
  const next = nextBackoff(task.backoff, deferral, at);
  const backoff = isNew ? next : { ...next, attempt: next.attempt - 1 };
  if (isInVain(name, backoff, at)) return false;
  task.attempts = CAUSES[cause].startsOver ? 0 : (task.attempts ?? 0) + attempts;
  task.backoff = backoff;
  setDeferred(run, task, true);
  if (isNew) note(run, at, 'held', `${TASK_TRAITS[name].words} has not begun: ${next.reason}`);
  return true;
}

/** @returns whether the cause is new */
export function backOffRun(run: Run, deferral: Deferral, at: string): boolean {
  const { state } = run;
  const { deferred: cause } = deferral;
  const { backoff: before, approval } = state;
  const same = before?.cause === cause ? before : undefined;
  const isLess = same === undefined && cause !== 'fault' && (before?.cause === 'fault' || before?.cause === 'worker');
  if (isLess || approval.phase === 'closed') return false;
  const next = nextBackoff(same, deferral, at);
  // If everything waits, simultaneous failures count as one try: `countTry` counts these.
  state.backoff = same?.cause === 'fault' ? { ...next, attempt: same.attempt, until: same.until } : next;
  if (same === undefined) note(run, at, 'held', `waits for ${awaitedBy(next)}`);
  askIfDue(run, at);
  return same === undefined;
}

/** Asks a person if the wait has lasted too long. */
function askIfDue({ state }: Run, at: string): void {
  const { backoff, options } = state;
  if (backoff === undefined || backoff.deadline !== undefined || at < (backoff.askAt ?? '')) return;
  state.backoff = { ...backoff, deadline: waitFrom(at, options.answerDeadlineMs).deadline };
}

/** The deferral of a plan or step that keeps killing its workers. */
export function deferralByLoss({ state }: Run, task: PendingTask, ended: TaskEnd): Deferral | undefined {
  const { words, isOwn } = TASK_TRAITS[nameOf(task)];
  const isOpen = !state.cancelled && state.approval.phase !== 'closed';
  if (ended.ok || !isLoss(ended.end) || !isOwn || task.kind === 'message' || !isOpen) return undefined;
  return { deferred: 'worker', reason: `a person, since ${words} lost its workers: ${ended.end.message}` };
}

export function dropDeferred(run: Run, id: number): void {
  const task = run.tasks[id];
  if (task === undefined) return;
  settleWork(run, id, task, endInVain({ deferred: 'run', reason: task.backoff?.reason ?? '' }));
  replaceTask(run, id);
}

/** The backoff of deferred work: its own, or that of the run. */
function recordOf({ state }: Run, task: PendingTask): Backoff | undefined {
  const { backoff } = task;
  return backoff !== undefined && isOfRun(nameOf(task), backoff.cause) ? state.backoff : backoff;
}

/** Resumes deferred work after its pause. Paid work waits until the run is not paused. */
export function resumeWork(run: Run, at: string): void {
  const isPaused = pauseOf(run) !== undefined;
  for (const [id, task] of numbered(run.tasks)) {
    const { kind, isDeferred, backoff } = task;
    const isBought = backoff?.cause === 'run' || kind === 'plan' || kind === 'decide';
    if (isDeferred !== true || at < (recordOf(run, task)?.until ?? '') || (isPaused && isBought)) continue;
    if (backoff?.cause === 'budget' && !reserveMore(run, id, at)) continue;
    setDeferred(run, task, false);
    run.outbox.begin.push(id);
    if (stopsEverything(run.state.backoff)) return;
  }
}

/** Rechecks nodes after their pause. */
export function freeNodes(run: Run, { backoffs }: Execution, at: string): void {
  for (const [node, backoff] of numbered(backoffs)) {
    if (backoff.until === '' || at < backoff.until) continue;
    backoffs[node] = { ...backoff, until: '' };
    run.recheckNodes = true;
  }
}

/** Ends the backoff of the run if this work needs what the run waits for, and has succeeded. */
export function noteSuccess(run: Run, task: PendingTask, at: string): void {
  const { endedBy } = CAUSES[run.state.backoff?.cause ?? 'run'];
  const isAgent = task.kind === 'node' && executorAt(run, task.node)?.kind === 'agent';
  if (endedBy !== undefined && !isAgent && TASK_TRAITS[nameOf(task)][endedBy] === true) endBackoff(run, at);
}

/** The run stops waiting: what it waited for is back, or a person asked for another try. */
export function endBackoff(run: Run, at: string, why = 'what it waited for is there again'): void {
  const { backoff } = run.state;
  if (backoff === undefined) return;
  delete run.state.backoff;
  run.recheckNodes = true;
  note(run, at, 'held', `${why}; it had waited since ${backoff.since}`);
  if (backoff.cause === 'worker') return;
  // A draft that lost its workers before the store was away still waits for a person.
  const waits = [...numbered(run.tasks)].find(([, task]) => task.isDeferred && task.backoff?.cause === 'worker');
  if (waits?.[1].backoff !== undefined) run.state.backoff = waits[1].backoff;
  askIfDue(run, at);
}

/** Whether nothing may begin now, since the last try has just failed or is under way. */
export function isBackingOff({ state: { backoff } }: Run, at: string): boolean {
  return stopsEverything(backoff) && at < (backoff?.until ?? '');
}

/** Counts a try while everything waits; the next pause is longer. */
export function countTry({ state, outbox }: Run, at: string): void {
  const { backoff } = state;
  if (backoff === undefined || !stopsEverything(backoff) || outbox.begin.length === 0) return;
  const next = { ...backoff, attempt: backoff.attempt + 1 };
  state.backoff = { ...next, until: nextTry(next, at) };
}

/**
 * Asks a person if the wait has lasted too long. Without an answer by the deadline the run fails, unless it can do
 * without the work.
 * @returns the ends of such work by id: a planning, which has its fallback, or messages
 */
export function passBackoff(run: Run, at: string): readonly (readonly [number, TaskEnd])[] {
  const { state, tasks } = run;
  if (state.approval.phase === 'closed') return [];
  askIfDue(run, at);
  const { backoff } = state;
  if (backoff?.deadline === undefined || at < backoff.deadline || state.paused) return [];
  const waiting = [...numbered(tasks)].filter(([, task]) => task.isDeferred && recordOf(run, task) === backoff);
  const isPlanning = canFallBack(backoff) && state.planning !== undefined;
  const isNeeded = ({ kind }: PendingTask) => kind !== 'message' && !(kind === 'plan' && isPlanning);
  if (stopsEverything(backoff) || (waiting.length === 0 && !isPlanning) || waiting.some(([, task]) => isNeeded(task))) {
    const message = `it waited since ${backoff.since} for ${awaitedBy(backoff)}, and nobody said what is to become of it`;
    state.failure ??= { type: 'Unavailable', message, details: [] };
    return [];
  }
  const why = isPlanning ? 'the planning goes on to its fallback' : 'nobody waits for it any more';
  if (waiting.length > 0) endBackoff(run, at, why);
  const end = endInVain({ deferred: 'run', reason: awaitedBy(backoff) });
  return waiting.map(([id]) => [id, end]);
}

/** The next retry or question to a person (ISO 8601). Overdue work waits for something else. */
export function nextAttemptAt(run: Run, at: string): string | undefined {
  const { state, tasks, execution } = run;
  const { until = '', askAt = '', deadline = askAt } = state.backoff ?? {};
  const times = [until, deadline];
  if (sum(run.counts.deferred) > 0)
    for (const task of Object.values(tasks)) if (task.isDeferred) times.push(recordOf(run, task)?.until ?? '');
  for (const [node, backoff] of numbered(execution?.backoffs))
    if (execution?.progress.status[node] === 'pending') times.push(backoff.until);
  return times.filter((time) => time > at).toSorted()[0];
}

/**
 * The pause of deferred work; it doubles up to `most`. The first pauses are short: a worker has ten pollers, so a node
 * may reach the same worker ten times before it reaches another one.
 */
const PAUSE_MS = { first: 250, most: 15_000 };
/** A busy model server gets fewer and fewer requests: the pause doubles up to `most`. */
const MODEL_PAUSE_MS = { first: 2000, most: 60_000 };
/** The pause between two questions to the probe of an effect. */
const PROBE_PAUSE_MS = { first: 1000, most: 30_000 };
/**
 * For the store, the disk, the server, the approved version, or a model without a `patience` of its own.
 * @bound how long a run waits for a missing store, server or model
 * @beyond a person is asked: wait, skip, use the fallback if there is one, or stop
 */
const ASK_AFTER_MS = 10 * 60_000;
/** The pause between two tries after a person was asked. */
const ASKED_PAUSE_MS = 5 * 60_000;
/**
 * At a minute each, this is more than an hour.
 * @bound how often the same work is deferred
 * @beyond it fails with `RETRIABLE`
 */
const MAX_ATTEMPTS = 100;
const MAX_REASON_BYTES = 500;
/** Waits until a person asks for another try. */
const NEVER = '9999-12-31T00:00:00.000Z';

interface CauseRule {
  /**
   * Milliseconds before the next try; they double after each `tries` tries. Without it the work begins as soon as the
   * run may begin something.
   */
  readonly pause?: { readonly first: number; readonly most: number; readonly tries: number };
  /**
   * The run as a whole waits, and asks a person after `askAfterMs`. A success of work with this trait ends the wait.
   */
  readonly endedBy?: 'isOwn' | 'asksModel' | 'needsStore';
  /** If only this work waits, it fails after this time. */
  readonly askAfterMs?: number;
  /** The next try has all attempts again, and a planning may use its fallback instead. */
  readonly startsOver?: true;
  /** The failure of work at the limit. */
  readonly failure: 'RETRIABLE' | 'CapabilityChanged' | 'Unavailable';
}

const askAfterMs = ASK_AFTER_MS;
export const CAUSES: Readonly<Record<DeferralCause, CauseRule>> = {
  run: { failure: 'RETRIABLE' },
  budget: { failure: 'RETRIABLE' },
  version: { endedBy: 'isOwn', askAfterMs, pause: { ...PAUSE_MS, tries: 2 }, failure: 'CapabilityChanged' },
  fault: { endedBy: 'needsStore', askAfterMs, pause: { ...PAUSE_MS, tries: 1 }, failure: 'Unavailable' },
  model: {
    ...{ endedBy: 'asksModel', askAfterMs, pause: { ...MODEL_PAUSE_MS, tries: 1 } },
    ...{ startsOver: true, failure: 'RETRIABLE' },
  },
  probe: { pause: { ...PROBE_PAUSE_MS, tries: 1 }, failure: 'RETRIABLE' },
  look: { askAfterMs, pause: { ...PAUSE_MS, tries: 1 }, failure: 'Unavailable' },
  // Ask a person first: an immediate retry would cost more workers.
  worker: { endedBy: 'isOwn', askAfterMs: 0, startsOver: true, failure: 'RETRIABLE' },
};

/**
 * Whether nothing but an occasional try may begin, since the store, the disk or the server is away. Other causes stop
 * only the work that they concern.
 */
export function stopsEverything(backoff: Pick<Backoff, 'cause'> | undefined): boolean {
  return backoff?.cause === 'fault';
}

/** Whether the run as a whole waits with this work and asks a person about it. */
export function isOfRun(name: TaskName, cause: DeferralCause): boolean {
  return cause === 'fault' || (CAUSES[cause].endedBy !== undefined && TASK_TRAITS[name].isOwn === true);
}

/** The record of a new wait, or of the same wait after another try. */
export function nextBackoff(before: Backoff | undefined, deferral: Deferral, at: string): Backoff {
  const { deferred: cause, pauseMs = 0, patienceMs } = deferral;
  const same = before?.cause === cause ? before : undefined;
  const { since = at, deadline } = same ?? {};
  const askMs = patienceMs ?? (same === undefined ? CAUSES[cause].askAfterMs : undefined);
  const next: Backoff = {
    ...{ cause, reason: reasonOf(deferral.reason), since, attempt: (before?.attempt ?? 0) + 1 },
    ...{ until: '', ...given({ deadline, askAt: askMs === undefined ? same?.askAt : later(since, askMs) }) },
  };
  return { ...next, until: nextTry(next, at, pauseMs) };
}

/** @param pauseMs the pause that the server asks for */
export function nextTry({ cause, attempt, deadline }: Backoff, at: string, pauseMs = 0): string {
  const { pause } = CAUSES[cause];
  if (pause === undefined) return cause === 'worker' ? NEVER : '';
  const { first, most, tries } = pause;
  const ownMs = doublingPause({ first, most }, Math.floor((attempt - 1) / tries));
  return later(at, Math.max(deadline === undefined ? ownMs : ASKED_PAUSE_MS, pauseMs));
}

/** Whether work has reached its limit. If the run asks a person, the work waits for the answer. */
export function isInVain(name: TaskName, { cause, attempt, askAt }: Backoff, at: string): boolean {
  if (isOfRun(name, cause)) return cause === 'fault' && attempt >= MAX_ATTEMPTS;
  return attempt >= MAX_ATTEMPTS || (askAt !== undefined && at >= askAt);
}

/** The end of work that has reached its limit. */
export function endInVain({ deferred: cause, reason }: Deferral): Extract<TaskEnd, { ok: false }> {
  const type = CAUSES[cause].failure;
  const message = `it has not begun: ${reasonOf(reason)}`;
  return { ok: false, end: { status: 'failed', type, message }, failure: { type, message, details: [] } };
}

export function reasonOf(reason: string): string {
  return cutBytes(visible(reason), MAX_REASON_BYTES);
}

/** What the run waits for, as text for people. */
export function awaitedBy({ cause, reason }: Backoff): string {
  return cause === 'version' ? `a worker with the approved version: ${reason}` : reason;
}

/** Whether a planning has a fallback for this cause. */
export function canFallBack(backoff: Backoff | undefined): boolean {
  return backoff !== undefined && CAUSES[backoff.cause].startsOver === true;
}
