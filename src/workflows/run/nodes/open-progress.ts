/** The order of nodes for a worker that runs many of them, by the same rules as in a run. */

import type { ResultHandle } from '../../../protocol/index.ts';
import { fail, openNodes, reopenProgress, startNext, succeed } from './progress.ts';

export interface NodeProgress {
  /** The next node to run, the longest remaining path first; undefined if none is ready or the window is full. */
  next(): number | undefined;
  succeed(node: number, handle: ResultHandle): void;
  /** The node has no result here, so nothing that needs it begins. */
  drop(node: number): void;
}

/** @param inputs by node, each with a smaller index @param window nodes at once */
export function openProgress(inputs: readonly (readonly number[])[], window: number): NodeProgress {
  const progress = reopenProgress(inputs, window, {}, openNodes(inputs.length));
  return {
    next: () => startNext(progress),
    succeed: (node, handle) => succeed(progress, node, handle),
    drop: (node) => fail(progress, node, 'cancelled', DROPPED),
  };
}

const DROPPED = { type: 'Cancelled', message: 'it has no result here' };
