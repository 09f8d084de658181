/** A build with a bug: the turn that pauses a run breaks, and so does the end of a node whose summary says so. */

import type { RunResult } from '../../src/protocol/index.ts';
import { runLoop } from '../../src/workflows/run-loop.ts';
import { openPlanRun } from '../../src/workflows/run/index.ts';

export function planWorkflow(input: unknown): Promise<RunResult> {
  return runLoop(input, (...given) => {
    const run = openPlanRun(...given);
    const broken = () => {
      throw new TypeError("Cannot read properties of undefined (reading 'paused')");
    };
    Object.defineProperty(run.state, 'paused', { get: () => false, set: broken, enumerable: true });
    return run;
  });
}
