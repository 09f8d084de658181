/** A new revision takes over what was done: an unchanged node keeps its result, its question, its work under way. */

import { skip } from './by-hand.ts';
import { fail, openProgress, setStatus, succeed, type NodeStatus, type Progress } from './progress.ts';
import { dropQuestion } from './questions.ts';
import { note, type Run } from './run.ts';
import { effectOf, nodeId, type RunSlice } from './slice.ts';

/** `sameAs[i]` is the node of the open plan that node i of the new one is, or -1. */
export function carryProgress(run: Run, slice: RunSlice, sameAs: readonly number[], at: string): void {
  const before = run.progress as Progress;
  const next = openProgress(slice.inputs, run.options.concurrency, slice.after);
  const placeOf = new Map<number, number>();
  const retries = new Map<number, number>();
  const settling: Run['settling'] = new Map();
  sameAs.forEach((old, node) => {
    if (old < 0) return;
    placeOf.set(old, node);
    const retry = run.retries.get(old);
    if (retry !== undefined) retries.set(node, retry);
    const wait = run.settling.get(old);
    if (wait !== undefined && isKept(run, before, old)) settling.set(node, wait);
    carryNode(run, before, old, next, node);
  });
  carryEnds(next);
  const isRead = (node: number) => effectOf(run.slice, node) === 'read';
  letGo(run, placeOf, isRead, at);
  run.slice = slice;
  run.progress = next;
  run.retries = retries;
  run.settling = settling;
  moveQuestions(run, placeOf, at);
  tellUncertain(run, before, placeOf, at);
}

/** Nobody is asked any more about an effect that the new plan does not have; that it may have happened stays true. */
function tellUncertain(run: Run, before: Progress, placeOf: ReadonlyMap<number, number>, at: string): void {
  for (const old of before.unsettled) {
    if (placeOf.has(old) || before.status[old] !== 'uncertain') continue;
    note(run, at, 'node', `${nodeId(old)} of the plan before stays uncertain, and the new plan does not have it`);
  }
}

function carryNode(run: Run, before: Progress, old: number, next: Progress, node: number): void {
  const status = before.status[old] as NodeStatus;
  const handle = before.handles[old];
  const failure = before.failures.get(old);
  if (handle !== undefined) succeed(next, node, handle, 'reused');
  else if (status === 'running' || status === 'waiting') setStatus(next, node, status);
  else if (failure !== undefined && isKept(run, before, old)) {
    next.failures.set(node, failure);
    setStatus(next, node, status);
    if (before.unsettled.has(old)) next.unsettled.add(node);
  }
}

/** An end without a result stays one, and retry-node is the way on. Only a read that failed is tried anew by itself. */
function isKept(run: Run, { status }: Progress, old: number): boolean {
  if (status[old] === 'failed') return effectOf(run.slice, old) !== 'read';
  return status[old] === 'uncertain' || status[old] === 'cancelled' || status[old] === 'skipped';
}

/** Only when every node has its place it is known on which of them an end without a result tells. */
function carryEnds(next: Progress): void {
  for (const [node, failure] of [...next.failures]) {
    const status = next.status[node];
    if (next.unsettled.has(node)) continue;
    if (status === 'skipped') skip(next, node, failure);
    else if (status === 'uncertain' || status === 'cancelled' || status === 'failed') fail(next, node, status, failure);
  }
}

function moveQuestions(run: Run, placeOf: ReadonlyMap<number, number>, at: string): void {
  for (const asked of run.questions.values()) {
    const node = placeOf.get(asked.node);
    if (node !== undefined) {
      asked.node = node;
      continue;
    }
    dropQuestion(run, asked, at);
    note(run, at, 'node', `${asked.id} is asked no more: the new plan does not have its node`);
  }
  for (const [id, { node: old, ...answered }] of run.answered) {
    const node = old === undefined ? undefined : placeOf.get(old);
    run.answered.set(id, { ...answered, ...(node !== undefined && { node }) });
  }
}

/** Of work under way that the new plan does not have, a read is stopped; an effect ends, and its result is not used. */
function letGo(run: Run, placeOf: ReadonlyMap<number, number>, isRead: (node: number) => boolean, at: string): void {
  for (const flight of run.flights) {
    const old = flight.node;
    if (old === undefined) continue;
    flight.node = placeOf.get(old);
    if (flight.node !== undefined) continue;
    flight.letGo = {
      id: `${nodeId(old)} of revision ${run.approval.revision}`,
      effect: effectOf(run.slice, old) ?? 'read',
    };
    note(run, at, 'node', `${nodeId(old)} of the plan before is under way and not used any more`);
    if (isRead(old)) flight.cancel();
  }
}
