/** Runs under way, and what an operator says to them. */

import type { Reply, RunOptions, PlanShape } from '../../../src/protocol/index.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { approvedRun, AT, say, shapeOf } from './make-run.ts';

export function control(run: Run, action: string, over: object = {}, at = AT): Reply {
  return say(run, 'control', { action, by: 'operator', ...over }, at);
}

/** An approved run whose first nodes are under way. */
export function running(
  inputs: PlanShape['inputs'],
  over: Partial<PlanShape> = {},
  options: Partial<RunOptions> = {},
): Run {
  return approvedRun(shapeOf(inputs, over), { answerDeadlineMs: 1000, ...options });
}

/** As `running`, and paused: nothing else begins. */
export function pausedRun(...given: Parameters<typeof running>): Run {
  const run = running(...given);
  control(run, 'pause');
  return run;
}
