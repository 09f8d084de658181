/** Gives a node back that was started with others and has not begun. */

import { blockerOf } from './by-hand.ts';
import { putBack, setStatus, skipAbove, type Progress } from './progress.ts';

/** It is as ready as it was; where something it waits for has ended without a result meanwhile, it is skipped. */
export function giveBack(progress: Progress, node: number): void {
  const blocker = blockerOf(progress, node);
  if (blocker === undefined) {
    putBack(progress, node);
    return;
  }
  setStatus(progress, node, 'pending');
  skipAbove(progress, [node], progress.causes[blocker] ?? blocker);
}
