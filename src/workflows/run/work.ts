/** Work under way outside of a run: activities that were started and have not ended. Plain data. */

import type { Child, Work } from './work-state.ts';
import { numbered } from './records.ts';
import type { Run } from './in-memory.ts';
import { reserveFor } from './spending/spend.ts';

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
  run.work[id] = work;
  run.outbox.begin.push(id);
  return true;
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

/** The work on a node of the open plan. */
export function workOn(run: Run, node: number): number | undefined {
  for (const [id, work] of numbered(run.work)) if (work.kind === 'node' && work.node === node) return id;
  return undefined;
}
