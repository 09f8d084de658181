/** The order of nodes for a worker that carries out many of them: which is next, by the same rules as in a run. */

import type { ResultHandle } from '../../../protocol/index.ts';
import { fail, openNodes, reopenProgress, startNext, succeed } from './progress.ts';

export interface NodeProgress {
  /** The next node to carry out, the longest remaining path first; undefined when none is ready or the window is full. */
  next(): number | undefined;
  succeed(node: number, handle: ResultHandle): void;
  /** It has no result here, so that nothing begins that needs it. */
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
