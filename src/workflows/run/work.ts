/** The work of a run that has not ended, under way or deferred. Only this file adds and removes entries. */

import type { Child, Work } from './state.ts';
import { numbered } from './records.ts';
import type { Run } from './in-memory.ts';
import { reserveFor } from './spending/spend.ts';
import { countIn } from './work-traits.ts';

/** Work that begins in a closed run too: accepted messages get their replies, and agents' runs are awaited. */
const IN_CLOSED: readonly Work['kind'][] = ['message', 'default', 'look'];

/**
 * Records the work and orders its begin. Its id counts from 1 and is unique in this history.
 * @returns whether it begins: in a closed run hardly anything does
 */
export function begin(run: Run, work: Work): boolean {
  if (run.dialogue.approval.phase === 'closed' && !IN_CLOSED.includes(work.kind)) return false;
  const id = ++run.begun;
  reserveFor(run, id, work);
  replaceWork(run, id, work);
  run.outbox.begin.push(id);
  return true;
}

/** Removes the work, or replaces it by another kind. */
export function replaceWork({ work, counts }: Run, id: number, next?: Work): void {
  const before = work[id];
  if (before !== undefined) countIn(counts, before, -1);
  delete work[id];
  if (next === undefined) return;
  work[id] = next;
  countIn(counts, next, 1);
}

/** Defers the work, or lets it begin again under its id. */
export function setDeferred({ counts }: Run, work: Work, isDeferred: boolean): void {
  countIn(counts, work, -1);
  delete work.isDrained;
  delete work.isDeferred;
  if (isDeferred) work.isDeferred = true;
  countIn(counts, work, 1);
}

/** Asks work to stop. It is under way until it ends. */
export function stop(run: Run, id: number, by: string): void {
  const work = run.work[id];
  if (work === undefined || work.stopping !== undefined) return;
  work.stopping = by;
  if ('part' in work && work.part !== undefined) halt(run, work.part);
  // An agent's run that has started gets its request to cancel after other signals (`agents.ts`).
  else if (agentOf(run, id)?.isStarted !== true) run.outbox.stop.push(id);
}

/** Stops a part: its nodes that have not ended become ready again. */
export function halt({ parts, outbox }: Run, name: string): void {
  const part = parts.get(name);
  if (part === undefined || part.halted === true) return;
  part.halted = true;
  outbox.halt.push(name);
}

/** The agent's run that is this work. */
export function agentOf({ dialogue: { children } }: Run, id: number): Child | undefined {
  return Object.values(children).find(({ work }) => work === id);
}

/** The number of agents' runs that have started; the next history learns of their ends too. */
export function startedAgents({ children }: Run['dialogue']): number {
  return Object.values(children).filter(({ isStarted }) => isStarted).length;
}

export function workOn(run: Run, node: number): number | undefined {
  for (const [id, work] of numbered(run.work)) if (work.kind === 'node' && work.node === node) return id;
  return undefined;
}
