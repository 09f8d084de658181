/** Runs long computations in steps. Yields to the event loop after each step, so that a worker can send heartbeats. */

import { setImmediate } from 'node:timers/promises';
import type { Steps } from '../plan/algebra/index.ts';

/** Lines of a file that are read in one step, which takes one or two tenths of a second. */
export const LINES_IN_STEP = 20_000;

export async function inTurns<Value>(steps: Steps<Value>): Promise<Value> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
