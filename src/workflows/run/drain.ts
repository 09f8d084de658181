/**
 * Brings a run to rest so that it can continue as new. Nothing new starts, and later the run asks its tasks to stop. A
 * task obeys unless its effect is claimed. Stopped tasks restart in the next history.
 */

import { activityIdOf, effectOf, isDeferral, nodeId, type Deferral, type HistoryBudget } from '../../protocol/index.ts';
import { look } from './agents.ts';
import { executorAt, later, recordLoss } from './run.ts';
import { numbered } from './records.ts';
import type { Run } from './in-memory.ts';
import { reserveUsage } from './spending/spend.ts';
import type { PendingTask } from './state.ts';
import {
  RETURNED,
  isUnreported,
  addAttempts,
  type TaskEnd,
  MODEL_TASKS,
  nameOf,
  sum,
  TASK_TRAITS,
} from './task-traits.ts';
import { agentOf, cancelPart, setDeferred, startedAgents } from './tasks.ts';

/** Time in ms for tasks to end by themselves before the run stops them. */
const DRAIN_MS = 5000;

export function isDraining(run: Run, pressure: Pressure, at: string): boolean {
  const { drain } = run;
  const isRefused = at < (drain.backoff?.until ?? '') && pressure !== 'hard' && pressure !== 'full';
  const isDue = pressure !== 'none' && !isRefused && !(pressure === 'events' && isLasting(run));
  if (!isDue) {
    delete drain.stopAt;
    delete drain.stopped;
  } else if (drain.stopAt === undefined) {
    drain.stopAt = later(at, DRAIN_MS);
    if (Object.values(run.tasks).some((task) => task.kind === 'node' && mayBeRetried(run, task.node))) look(run);
  }
  return isDue;
}

function mayBeRetried(run: Run, node: number): boolean {
  const { kind, retry } = executorAt(run, node) ?? {};
  return kind !== 'agent' && (retry?.attempts ?? 1) > 1;
}

/** Whether a task is running that a new history does not stop: a model call, or a node that was stopped before. */
function isLasting({ counts, execution }: Run): boolean {
  if (sum(counts.all, MODEL_TASKS) > sum(counts.deferred, MODEL_TASKS)) return true;
  for (const [node] of numbered(execution?.stopped)) if (execution?.progress.status[node] === 'running') return true;
  return false;
}

/** When a draining run checks again (ISO 8601). At the hard limit it waits only during a store outage. */
export function drainEnd({ drain: { stopAt, backoff } }: Run, at: string): string | undefined {
  return [backoff?.until, stopAt].find((time) => time !== undefined && time > at);
}

/** Asks tasks to stop when their time is up. The run still waits for a model's reply, which costs money. */
export function stopForNewHistory(run: Run, pressure: Pressure, at: string): void {
  const { drain, lastTaskId } = run;
  if (drain.stopAt === undefined || at < drain.stopAt) return;
  // Asks the tasks to stop only once, unless another task has started or the history has become fuller since.
  const stopped = `${pressure} ${lastTaskId}`;
  if (drain.stopped === stopped) return;
  drain.stopped = stopped;
  for (const [id, task] of numbered(run.tasks)) {
    const { isDeferred, isDrained, stopping } = task;
    if (isDeferred === true || isDrained === true || stopping !== undefined || task.kind === 'look') continue;
    if (agentOf(run, id) !== undefined || (TASK_TRAITS[nameOf(task)].asksModel && pressure !== 'full')) continue;
    task.isDrained = true;
    if ('part' in task && task.part !== undefined) {
      cancelPart(run, task.part);
      continue;
    }
    run.outbox.cancel.push(id);
    if (pressure === 'events' && task.kind === 'node' && run.execution) run.execution.stopped[task.node] = true;
  }
}

/**
 * Lets a task that was stopped for the new history start again there.
 * @returns the end of a node that becomes ready again, or `deferred` for another task; undefined if the task has really
 * ended
 */
export function endDrained(run: Run, id: number, task: PendingTask, ended: TaskEnd): TaskEnd | 'deferred' | undefined {
  if (task.isDrained !== true || task.stopping !== undefined) return undefined;
  if (task.kind !== 'node') {
    if (ended.ok || ended.end.status !== 'cancelled' || task.kind === 'unused') return undefined;
    setDeferred(run, task, true);
    task.attempts = (task.attempts ?? 0) + (ended.tried?.attempts ?? 0);
    return 'deferred';
  }
  const attempts = attemptsOf(run, task.node, ended);
  if (attempts === undefined || run.execution === undefined) return undefined;
  const { report } = (ended.ok ? (ended.value as Deferral) : ended.tried) ?? {};
  recordLoss(run.execution, task.node, mayHaveBegun(run, task.node, ended));
  addAttempts(run.execution, task.node, { attempts, ...(report !== undefined && { report }) });
  const usage = ended.ok ? (ended.value as Deferral).usage : ended.usage;
  if (usage !== undefined) reserveUsage(run, id, task, usage);
  return { ok: true, value: RETURNED };
}

function attemptsOf(run: Run, node: number, ended: TaskEnd): number | undefined {
  if (ended.ok)
    return isDeferral(ended.value) && ended.value.deferred === 'run' ? (ended.value.attempts ?? 0) : undefined;
  const { end, tried } = ended;
  // If no worker reported anything, the server cancelled the activity before its first attempt or between two attempts.
  if (end.status === 'cancelled') return tried?.attempts ?? Number(wasRetried(run, node));
  if (tried?.mayRetry !== true) return undefined;
  const { execution } = run;
  // The next attempt finds out whether the effect had begun.
  if (end.type.startsWith('Timeout') && execution && effectOf(execution.planShape, node) === 'at-most-once') return 1;
  const attempts = (tried.attempts ?? 0) + 1;
  const before = execution?.attempts[node] ?? 0;
  return before + attempts < (executorAt(run, node)?.retry.attempts ?? 1) ? attempts : undefined;
}

function mayHaveBegun(run: Run, node: number, ended: TaskEnd): boolean {
  if (ended.ok) return (ended.value as Deferral).mayHaveBegun === true;
  if (!isUnreported(ended)) return ended.end.type.startsWith('Timeout');
  // If it is unknown whether the activity waited for a retry, its first attempt may have begun.
  return wasRetried(run, node) || run.drain.retried === undefined || run.execution?.mayHaveBegun[node] === true;
}

/** Whether the server cancelled the activity between two attempts, so that none was running. */
function wasRetried({ drain, state }: Run, node: number): boolean {
  return drain.retried?.includes(activityIdOf(state.approval.revision, nodeId(node))) === true;
}

export interface HistoryLength {
  readonly events: number;
  readonly bytes: number;
  readonly signals: number;
  readonly updates: number;
  /** Whether the server suggests a new history (`continueAsNewSuggested`), by default at 4,096 events or 4 MiB. */
  readonly isSuggested: boolean;
}

/**
 * Hard limits for a history's size, a fifth below the server's own limits, which leaves room for running tasks and
 * messages. At these limits the run stops tasks even if it has stopped them before.
 */
const HARD: HistoryBudget['hard'] = { events: 40_000, bytes: 40 * 2 ** 20 };

/**
 * Maximum number of signals in one history. The server accepts 10,000 signals and 2,000 updates. At `due` the run
 * continues as new but waits for a model's reply. At `full` it does not wait.
 */
const SIGNALS = { due: 9000, full: 9500 };
const UPDATES = { due: 1800, full: 1900 };

/** Events of an activity: 3 of its own, and 3 of its workflow task, which several activities may share. */
const EVENTS_PER_ACTIVITY = 6;

/**
 * Why the run must continue as new. `events`: the server or the worker's soft limit suggests it. `messages`: there are
 * many, or a person asked for it. `hard`: the hard limit is reached. `full`: the server will soon reject messages.
 */
export type Pressure = 'none' | 'events' | 'messages' | 'hard' | 'full';

/** @param since the size of the history when the run began in it; only growth counts */
export function pressureIn(
  run: Run,
  length: HistoryLength,
  since: Pick<HistoryLength, 'events' | 'bytes'>,
  budget: HistoryBudget | undefined = run.state.project.budget,
): Pressure {
  // Adds the events that running tasks will still write. A part is one activity for all its nodes.
  const events = length.events - since.events + EVENTS_PER_ACTIVITY * activitiesIn(run);
  const bytes = length.bytes - since.bytes;
  const isAtLimit = (limit: HistoryBudget['hard']) => events >= limit.events || bytes >= limit.bytes;
  const has = (bound: keyof typeof SIGNALS) => length.signals >= SIGNALS[bound] || length.updates >= UPDATES[bound];
  if (has('full')) return 'full';
  if (isAtLimit(budget?.hard ?? HARD)) return 'hard';
  if (has('due') || run.drain.isRequested === true) return 'messages';
  const isDue = budget === undefined ? length.isSuggested : isAtLimit(budget.soft);
  return isDue ? 'events' : 'none';
}

function activitiesIn({ counts, parts, state }: Run): number {
  let activities = parts.size + sum(counts.all) - sum(counts.deferred) - startedAgents(state);
  for (const { open } of parts.values()) activities -= open;
  return activities;
}

export function retryHandOverLater({ drain }: Run, at: string, reason: string): void {
  const { since = at, attempt = 0 } = drain.backoff ?? {};
  drain.backoff = { cause: 'fault', reason, since, until: later(at, PUT_OFF_MS), attempt: attempt + 1 };
}

const PUT_OFF_MS = 60_000;
