import { numbered } from '../records.ts';
import type { NodeFailure, NodeStatus } from '../../../protocol/index.ts';
import { recordFailure, releaseFollowers, putBack, setStatus, skipAbove } from './progress.ts';
import type { Progress } from '../in-memory.ts';
import { pushReady } from './ready-queue.ts';

/** Continues without this node. Nodes that need its result are skipped; nodes that only come after it can run. */
export function skip(progress: Progress, node: number, failure: NodeFailure): void {
  recordFailure(progress, node, failure);
  delete progress.unsettled[node];
  setStatus(progress, node, 'skipped');
  skipAbove(
    progress,
    (progress.dependents[node] ?? []).filter((one) => progress.inputs[one]?.includes(node)),
    node,
  );
  // A skipped node that waits for other nodes stays in the order, since its successors wait for these too.
  if ((progress.need[node] as number) <= 0) releaseFollowers(progress, node);
}

/** Lets a node without a result run again, and the nodes that were skipped because of it. */
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

export function blockerOf({ waitsFor, inputs, status, unsettled, causes }: Progress, node: number): number | undefined {
  return waitsFor[node]?.find((needed) => {
    const isOver = ['failed', 'skipped', 'cancelled', 'uncertain'].includes(status[needed] as NodeStatus);
    if (!isOver || unsettled[needed] !== undefined) return false;
    // A person skipped the needed node. Nodes that come after it may start, except those that use its result.
    const byPerson = status[needed] === 'skipped' && causes[needed] === undefined;
    return !byPerson || inputs[node]?.includes(needed) === true;
  });
}

/** Makes a scheduled node ready again, or skips it if one of its inputs ended without a result. */
export function returnNode(progress: Progress, node: number): void {
  const blocker = blockerOf(progress, node);
  if (blocker === undefined) {
    putBack(progress, node);
    return;
  }
  setStatus(progress, node, 'pending');
  skipAbove(progress, [node], progress.causes[blocker] ?? blocker);
}
