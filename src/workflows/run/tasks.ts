/** The pending tasks of a run, running or deferred. Only this file adds and removes tasks. */

import type { Child, PendingTask } from './state.ts';
import { numbered } from './records.ts';
import type { Run } from './in-memory.ts';
import { reserveFor } from './spending/spend.ts';
import { countIn } from './task-traits.ts';

/** Kinds of tasks that start even in a closed run, to reply to messages or to wait for agents' runs. */
const IN_CLOSED: readonly PendingTask['kind'][] = ['message', 'default', 'look'];

/** Starts a task. Ids count from 1 in each history. @returns whether the task starts; most do not in a closed run */
export function beginTask(run: Run, task: PendingTask): boolean {
  if (run.state.approval.phase === 'closed' && !IN_CLOSED.includes(task.kind)) return false;
  const id = ++run.lastTaskId;
  reserveFor(run, id, task);
  replaceTask(run, id, task);
  run.outbox.begin.push(id);
  return true;
}

export function replaceTask({ tasks, counts }: Run, id: number, next?: PendingTask): void {
  const before = tasks[id];
  if (before !== undefined) countIn(counts, before, -1);
  delete tasks[id];
  if (next === undefined) return;
  tasks[id] = next;
  countIn(counts, next, 1);
}

export function setDeferred({ counts }: Run, task: PendingTask, isDeferred: boolean): void {
  countIn(counts, task, -1);
  delete task.isDrained;
  delete task.isDeferred;
  if (isDeferred) task.isDeferred = true;
  countIn(counts, task, 1);
}

export function cancelTask(run: Run, id: number, by: string): void {
  const task = run.tasks[id];
  if (task === undefined || task.stopping !== undefined) return;
  task.stopping = by;
  if ('part' in task && task.part !== undefined) cancelPart(run, task.part);
  // If an agent's run has started, it is cancelled after all other signals to it (`agents.ts`).
  else if (agentOf(run, id)?.isStarted !== true) run.outbox.cancel.push(id);
}

/** Stops a part. Its unfinished nodes become ready again. */
export function cancelPart({ parts, outbox }: Run, name: string): void {
  const part = parts.get(name);
  if (part === undefined || part.isCancelled === true) return;
  part.isCancelled = true;
  outbox.cancelParts.push(name);
}

export function agentOf({ state: { children } }: Run, id: number): Child | undefined {
  return Object.values(children).find(({ task }) => task === id);
}

export function startedAgents({ children }: Run['state']): number {
  return Object.values(children).filter(({ isStarted }) => isStarted).length;
}

export function taskOn(run: Run, node: number): number | undefined {
  for (const [id, task] of numbered(run.tasks)) if (task.kind === 'node' && task.node === node) return id;
  return undefined;
}
