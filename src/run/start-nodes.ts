/** Starts what is ready, approved and not held back, the longest remaining path first. */

import { effectOf } from '../contract/index.ts';
import { mayRun } from './approval/index.ts';
import type { Run } from './run.ts';
import { begin } from './work.ts';
import { releaseHeld, startNext } from './nodes/index.ts';

export function startNodes(run: Run, at: string): void {
  const { dialogue, execution } = run;
  if (execution === undefined || dialogue.paused) return;
  const { slice, progress, scheduledAt, endedAt } = execution;
  if (run.isFreed) {
    run.isFreed = false;
    releaseHeld(progress);
  }
  const isOvertaken = isEffectUnderWay(run);
  const isFree = (node: number) =>
    mayRun({ digest: slice.digest, node }, dialogue.approval).ok && !(isOvertaken && effectOf(slice, node) !== 'read');
  for (let node = startNext(progress, isFree); node !== undefined; node = startNext(progress, isFree)) {
    scheduledAt[node] = Date.parse(at);
    endedAt[node] = undefined;
    begin(run, { kind: 'node', node });
  }
}

/** An effect of a plan before an edit, still under way, must not end after one of the plan that it was edited into. */
function isEffectUnderWay({ work }: Run): boolean {
  for (const one of work.values()) if (one.kind === 'unused' && one.effect !== 'read') return true;
  return false;
}
