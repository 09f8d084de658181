/**
 * Reuse of a closed run: when the plan opens, what that run has finished is done here too. A person settles what may
 * have happened there.
 */

import { succeed } from './nodes/progress.ts';
import { noteOnNode } from './apply-node.ts';
import { endNode, note } from './run.ts';
import type { Run } from './in-memory.ts';

/** Starts no work. Does not change a node that an edit has already moved. */
export function takeReused(run: Run, at: string): void {
  const { execution } = run;
  const reuse = execution?.slice.reuse;
  if (execution === undefined || reuse === undefined) return;
  const { progress } = execution;
  const { done, begun, text } = reuse;
  const isOpen = (node: number) => progress.status[node] === 'pending';
  note(run, at, 'compiled', text);
  for (const [key, { ref, kind, count, bytes, notes = [] }] of Object.entries(done)) {
    if (!isOpen(Number(key))) continue;
    succeed(progress, Number(key), { ref, kind, count, bytes }, 'reused');
    noteOnNode(run, Number(key), notes, at);
  }
  for (const [key, message] of Object.entries(begun)) {
    if (isOpen(Number(key))) endNode(run, Number(key), { status: 'uncertain', type: 'CRITICAL', message }, at);
  }
}
