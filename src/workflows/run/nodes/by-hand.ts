/** Nodes that go another way: a person goes on without one or has one repeated, or one that was started comes back. */

import { numbered } from '../records.ts';
import type { NodeFailure, NodeStatus } from '../../../protocol/index.ts';
import { keepFailure, passOn, putBack, setStatus, skipAbove } from './progress.ts';
import type { Progress } from '../in-memory.ts';
import { pushReady } from './ready-queue.ts';

/**
 * A person goes on without this node: nodes that need its result are skipped, and nodes that only came after it go on.
 */
export function skip(progress: Progress, node: number, failure: NodeFailure): void {
  keepFailure(progress, node, failure);
  delete progress.unsettled[node];
  setStatus(progress, node, 'skipped');
  skipAbove(
    progress,
    (progress.dependents[node] ?? []).filter((one) => progress.inputs[one]?.includes(node)),
    node,
  );
  // A node that is skipped ahead of its turn hands its own wait on: the order of what follows it stays.
  if ((progress.need[node] as number) <= 0) passOn(progress, node);
}

/** Lets a node that ended without a result run again, and with it what was skipped for its sake. */
export function reset(progress: Progress, node: number): void {
  delete progress.failures[node];
  delete progress.unsettled[node];
  setStatus(progress, node, 'pending');
  if ((progress.need[node] as number) <= 0) pushReady(progress.ready, node);
  for (const [skipped, cause] of [...numbered(progress.causes)].toSorted(([a], [b]) => a - b)) {
    if (cause !== node) continue;
    const other = blockerOf(progress, skipped);
    if (other === undefined) {
      delete progress.causes[skipped];
      setStatus(progress, skipped, 'pending');
    } else {
      progress.causes[skipped] = progress.causes[other] ?? other;
    }
  }
}

/** The node that this one waits for in vain: it ended for good without a result. */
export function blockerOf({ waitsFor, inputs, status, unsettled, causes }: Progress, node: number): number | undefined {
  return waitsFor[node]?.find((needed) => {
    const isOver = ['failed', 'skipped', 'cancelled', 'uncertain'].includes(status[needed] as NodeStatus);
    if (!isOver || unsettled[needed] !== undefined) return false;
    // Nodes that only follow a node which a person skipped go on without it.
    const byPerson = status[needed] === 'skipped' && causes[needed] === undefined;
    return !byPerson || inputs[node]?.includes(needed) === true;
  });
}

/**
 * A node that was started with others has not begun: it is as ready as it was; where something it waits for has ended
 * without a result meanwhile, it is skipped.
 */
export function giveBack(progress: Progress, node: number): void {
  const blocker = blockerOf(progress, node);
  if (blocker === undefined) {
    putBack(progress, node);
    return;
  }
  setStatus(progress, node, 'pending');
  skipAbove(progress, [node], progress.causes[blocker] ?? blocker);
}
