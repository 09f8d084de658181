/**
 * A run is killed (Osprey: kill flag): a person ends it at once and says why. What has not begun does not begin, what is
 * under way is asked to stop as when Temporal cancels the run; who and why are kept.
 */

import type { Killed } from '../../wire/contract/index.ts';
import { closeRun, type Run } from './run.ts';

/** What had failed before is not what the run ends with. */
export function kill(run: Run, { by, comment }: Killed, at: string): void {
  if (run.dialogue.approval.phase === 'closed') return;
  run.dialogue.killed = { by, comment };
  closeRun(run, 'aborted', at, `killed by ${by}: ${comment}`);
}

/** Whether all that is under way is asked to stop, and not the work on one node alone. */
export function isCutOff({ dialogue: { cancelled, killed } }: Run): boolean {
  return cancelled || killed !== undefined;
}
