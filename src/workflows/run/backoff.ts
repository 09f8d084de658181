/**
 * Defers tasks that have not begun, and retries them. Each task or node has its own backoff. Planning and deciding, and
 * all tasks during a store outage, share the run's. If a wait is too long, the run asks a person.
 */

import type { Backoff, PendingTask } from './state.ts';
import { doublingPause, numbered } from './records.ts';
import { type Deferral, given, type DeferralCause } from '../../protocol/index.ts';
import { executorAt, waitFrom, later, note, pauseOf } from './run.ts';
import { isLoss, type TaskEnd, nameOf, sum, TASK_TRAITS, type TaskName } from './task-traits.ts';
import type { Execution, Run } from './in-memory.ts';
import { reserveMore, settleTask } from './spending/spend.ts';
import { replaceTask, setDeferred } from './tasks.ts';
import { cutBytes, visible } from '../../plan/text/index.ts';

/** Defers a task. @returns false if it was deferred too often or is no longer needed, so that it does not wait */
export function backOff(run: Run, task: PendingTask, deferral: Deferral, at: string): boolean {
  const { deferred: cause, attempts = 0 } = deferral;
  const name = nameOf(task);
  // If the run has failed, it does not wait for its failure report.
  if (name === 'report' && cause !== 'run') return false;
  // If the whole run waits, only a task's first try counts for the task. Other tries count for the run.
  const isNew = !isOfRun(name, cause) || backOffRun(run, deferral, at);
  const next = nextBackoff(task.backoff, deferral, at);
  const backoff = isNew ? next : { ...next, attempt: next.attempt - 1 };
  if (isInVain(name, backoff, at)) return false;
  task.attempts = CAUSES[cause].startsOver ? 0 : (task.attempts ?? 0) + attempts;
  task.backoff = backoff;
  setDeferred(run, task, true);
  if (isNew) note(run, at, 'held', `${TASK_TRAITS[name].text} has not begun: ${next.reason}`);
  return true;
}

export function backOffRun(run: Run, deferral: Deferral, at: string): boolean {
  const { state } = run;
  const { deferred: cause } = deferral;
  const { backoff: before, approval } = state;
  const same = before?.cause === cause ? before : undefined;
  const isLess = same === undefined && cause !== 'fault' && (before?.cause === 'fault' || before?.cause === 'worker');
  if (isLess || approval.phase === 'closed') return false;
  const next = nextBackoff(same, deferral, at);
  // After a fault the whole run waits. Tasks that fail meanwhile count as one try (`countTry`).
  state.backoff = same?.cause === 'fault' ? { ...next, attempt: same.attempt, until: same.until } : next;
  if (same === undefined) note(run, at, 'held', `waits for ${awaitedBy(next)}`);
  askIfDue(run, at);
  return same === undefined;
}

function askIfDue({ state }: Run, at: string): void {
  const { backoff, options } = state;
  if (backoff === undefined || backoff.deadline !== undefined || at < (backoff.askAt ?? '')) return;
  state.backoff = { ...backoff, deadline: waitFrom(at, options.answerDeadlineMs).deadline };
}

/** The deferral of a planning or deciding task that has lost its workers; undefined for any other end. */
export function deferralByLoss({ state }: Run, task: PendingTask, ended: TaskEnd): Deferral | undefined {
  const { text, isOwn } = TASK_TRAITS[nameOf(task)];
  const isOpen = !state.cancelled && state.approval.phase !== 'closed';
  if (ended.ok || !isLoss(ended.end) || !isOwn || task.kind === 'message' || !isOpen) return undefined;
  return { deferred: 'worker', reason: `a person, since ${text} lost its workers: ${ended.end.message}` };
}

export function dropDeferred(run: Run, id: number): void {
  const task = run.tasks[id];
  if (task === undefined) return;
  settleTask(run, id, task, endInVain({ deferred: 'run', reason: task.backoff?.reason ?? '' }));
  replaceTask(run, id);
}

function recordOf({ state }: Run, task: PendingTask): Backoff | undefined {
  const { backoff } = task;
  return backoff !== undefined && isOfRun(nameOf(task), backoff.cause) ? state.backoff : backoff;
}

/** Restarts deferred tasks after their pauses. While the run is paused, tasks that cost money wait. */
export function resumeTasks(run: Run, at: string): void {
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

export function freeNodes(run: Run, { backoffs }: Execution, at: string): void {
  for (const [node, backoff] of numbered(backoffs)) {
    if (backoff.until === '' || at < backoff.until) continue;
    backoffs[node] = { ...backoff, until: '' };
    run.recheckNodes = true;
  }
}

/** Ends the run's backoff if the successful task used what was unavailable, such as the store or a model. */
export function noteSuccess(run: Run, task: PendingTask, at: string): void {
  const { endedBy } = CAUSES[run.state.backoff?.cause ?? 'run'];
  const isAgent = task.kind === 'node' && executorAt(run, task.node)?.kind === 'agent';
  if (endedBy !== undefined && !isAgent && TASK_TRAITS[nameOf(task)][endedBy] === true) endBackoff(run, at);
}

export function endBackoff(run: Run, at: string, why = 'what it waited for is there again'): void {
  const { backoff } = run.state;
  if (backoff === undefined) return;
  delete run.state.backoff;
  run.recheckNodes = true;
  note(run, at, 'held', `${why}; it had waited since ${backoff.since}`);
  if (backoff.cause === 'worker') return;
  // If planning lost its workers before the store became unavailable, it still waits for a person.
  const waits = [...numbered(run.tasks)].find(([, task]) => task.isDeferred && task.backoff?.cause === 'worker');
  if (waits?.[1].backoff !== undefined) run.state.backoff = waits[1].backoff;
  askIfDue(run, at);
}

/** Whether nothing may start now, because the store, disk or server is unavailable and the next try is not due. */
export function isBackingOff({ state: { backoff } }: Run, at: string): boolean {
  return stopsEverything(backoff) && at < (backoff?.until ?? '');
}

export function countTry({ state, outbox }: Run, at: string): void {
  const { backoff } = state;
  if (backoff === undefined || !stopsEverything(backoff) || outbox.begin.length === 0) return;
  const next = { ...backoff, attempt: backoff.attempt + 1 };
  state.backoff = { ...next, until: nextTry(next, at) };
}

/**
 * Asks a person if the wait has lasted too long. If nobody answers in time, the run fails, or continues without the
 * waiting tasks if it can.
 * @returns the ends of these tasks, by task id
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

/** When the next retry or question is due (ISO 8601). Times in the past do not count: something else blocks those. */
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
 * The pause of a deferred task in ms. It doubles up to `most`. The first pauses are short: a worker has ten pollers, so
 * a node may reach the same worker ten times before another one.
 */
const PAUSE_MS = { first: 250, most: 15_000 };
/** The pause in ms of a task whose model server is busy. It doubles up to `most`. */
const MODEL_PAUSE_MS = { first: 2000, most: 60_000 };
/** The pause in ms before an effect's probe runs again. It doubles up to `most`. */
const PROBE_PAUSE_MS = { first: 1000, most: 30_000 };
/** The pause in ms of a node that needs a worker of another task queue. It doubles up to `most`. */
const QUEUE_PAUSE_MS = { first: 1000, most: 60_000 };
/**
 * The longest time, in ms, that a run waits for something missing: a server, the store, a worker with the approved version,
 * or a model that sets no `patience` of its own.
 * @bound how long a run waits for a missing store, server or model @beyond a person is asked: wait, skip, use the
 * fallback if there is one, or stop
 */
const ASK_AFTER_MS = 10 * 60_000;
/** The pause in ms between two tries after the run has asked a person. */
const ASKED_PAUSE_MS = 5 * 60_000;
const MAX_ATTEMPTS = 100;
const MAX_REASON_BYTES = 500;
const NEVER = '9999-12-31T00:00:00.000Z';

interface CauseRule {
  /** The pause in ms before the next try. It doubles after each `tries` tries. */
  readonly pause?: { readonly first: number; readonly most: number; readonly tries: number };
  /** If set, all tasks of the run wait until a task with this property succeeds. */
  readonly endedBy?: 'isOwn' | 'asksModel' | 'needsStore';
  /** Milliseconds until the run asks a person or, if only one task waits, until the task fails. */
  readonly askAfterMs?: number;
  /** The next try has its full number of attempts again. Planning may use its fallback instead. */
  readonly startsOver?: true;
  /** The task waits without a time limit until what it needs is available. */
  readonly isPatient?: true;
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
  queue: { pause: { ...QUEUE_PAUSE_MS, tries: 1 }, isPatient: true, failure: 'Unavailable' },
  // A retry could crash more workers, so the run asks a person at once.
  worker: { endedBy: 'isOwn', askAfterMs: 0, startsOver: true, failure: 'RETRIABLE' },
};

/** Whether the store, the disk or the server is unavailable. Nothing may start then, except an occasional try. */
export function stopsEverything(backoff: Pick<Backoff, 'cause'> | undefined): boolean {
  return backoff?.cause === 'fault';
}

/** Whether the whole run waits, not only this task. The run then asks a person. */
export function isOfRun(name: TaskName, cause: DeferralCause): boolean {
  return cause === 'fault' || (CAUSES[cause].endedBy !== undefined && TASK_TRAITS[name].isOwn === true);
}

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

export function nextTry({ cause, attempt, deadline }: Backoff, at: string, pauseMs = 0): string {
  const { pause } = CAUSES[cause];
  if (pause === undefined) return cause === 'worker' ? NEVER : '';
  const { first, most, tries } = pause;
  const ownMs = doublingPause({ first, most }, Math.floor((attempt - 1) / tries));
  return later(at, Math.max(deadline === undefined ? ownMs : ASKED_PAUSE_MS, pauseMs));
}

/** Whether a task was deferred too often or too long. If the whole run waits, only attempts after a fault count. */
export function isInVain(name: TaskName, { cause, attempt, askAt }: Backoff, at: string): boolean {
  if (CAUSES[cause].isPatient === true) return false;
  if (isOfRun(name, cause)) return cause === 'fault' && attempt >= MAX_ATTEMPTS;
  return attempt >= MAX_ATTEMPTS || (askAt !== undefined && at >= askAt);
}

export function endInVain({ deferred: cause, reason }: Deferral): Extract<TaskEnd, { ok: false }> {
  const type = CAUSES[cause].failure;
  const message = `it has not begun: ${reasonOf(reason)}`;
  return { ok: false, end: { status: 'failed', type, message }, failure: { type, message, details: [] } };
}

export function reasonOf(reason: string): string {
  return cutBytes(visible(reason), MAX_REASON_BYTES);
}

export function awaitedBy({ cause, reason }: Backoff): string {
  return cause === 'version' ? `a worker with the approved version: ${reason}` : reason;
}

export function canFallBack(backoff: Backoff | undefined): boolean {
  return backoff !== undefined && CAUSES[backoff.cause].startsOver === true;
}
