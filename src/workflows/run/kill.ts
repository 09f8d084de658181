/**
 * A run is killed (Osprey: kill flag): a person ends it at once and says why. Pending work does not begin; work under
 * way is asked to stop as when Temporal cancels the run. The name and the reason are kept.
 */

import type { Killed } from '../../protocol/index.ts';
import { closeRun, type Run } from './run.ts';

/** A run that is killed ends as killed, even if something had failed before. */
export function kill(run: Run, { by, comment }: Killed, at: string): void {
  if (run.dialogue.approval.phase === 'closed') return;
  run.dialogue.killed = { by, comment };
  closeRun(run, 'aborted', at, `killed by ${by}: ${comment}`);
}

/** Whether all that is under way is asked to stop, and not the work on one node alone. */
export function isCutOff({ dialogue: { cancelled, killed } }: Run): boolean {
  return cancelled || killed !== undefined;
}
