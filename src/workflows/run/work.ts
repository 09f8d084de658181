/** The work of a run that has not ended: activities under way, and those that are deferred. Entries come and go only here. */

import type { Child, Work } from './work-state.ts';
import { numbered } from './records.ts';
import type { Run } from './in-memory.ts';
import { reserveFor } from './spending/spend.ts';
import { countIn } from './work-traits.ts';

/** Work that is begun in a closed run too: a person who was heard gets an answer, and an agent's run is waited for. */
const IN_CLOSED: readonly Work['kind'][] = ['message', 'default', 'look'];

/**
 * Notes that work begins, and has it begun. Its id counts from 1 and is never used again in this history.
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

/** The work has ended, or goes on as another kind. */
export function replaceWork({ work, counts }: Run, id: number, next?: Work): void {
  const before = work[id];
  if (before !== undefined) countIn(counts, before, -1);
  delete work[id];
  if (next === undefined) return;
  work[id] = next;
  countIn(counts, next, 1);
}

/** The work waits and begins again under its id, or does so now. */
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
  // An agent's run that is there gets a request to cancel, behind what it has to know (`agents.ts`).
  else if (agentOf(run, id)?.isStarted !== true) run.outbox.stop.push(id);
}

/** Tells a part to stop: its nodes that have not ended come back. */
export function halt({ parts, outbox }: Run, name: string): void {
  const part = parts.get(name);
  if (part === undefined || part.halted === true) return;
  part.halted = true;
  outbox.halt.push(name);
}

/** The run of an agent that this work is. */
export function agentOf({ dialogue: { children } }: Run, id: number): Child | undefined {
  return Object.values(children).find(({ work }) => work === id);
}

/** How many agents' runs are at work that are there: the next history hears of their ends too. */
export function startedAgents({ children }: Run['dialogue']): number {
  return Object.values(children).filter(({ isStarted }) => isStarted).length;
}

/** The work on a node of the open plan. */
export function workOn(run: Run, node: number): number | undefined {
  for (const [id, work] of numbered(run.work)) if (work.kind === 'node' && work.node === node) return id;
  return undefined;
}
