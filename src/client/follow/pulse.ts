/** The attempts that are under way in a run, as the server has them: it knows of a dead worker before the run does. */

import type { AttemptView } from '../attempts.ts';
import type { RunHandle } from '../run-handle.ts';
import { passingCode, pause } from './waits.ts';

/** A server is asked once so often, and only while something is under way. */
const EVERY_MS = 1000;

/** The attempts under way, anew whenever something about them has changed, until the signal is aborted. */
export async function* pulseOf(
  run: Pick<RunHandle, 'attempts'>,
  isUnderWay: () => boolean,
  over: AbortSignal,
  everyMs = EVERY_MS,
): AsyncGenerator<readonly AttemptView[], void> {
  let before = '[]';
  while (!over.aborted) {
    const now = isUnderWay() ? await attemptsOf(run) : [];
    const text = JSON.stringify(now);
    if (now !== undefined && text !== before) {
      before = text;
      yield now;
    }
    await pause(everyMs, over);
  }
}

/** undefined while no server answers. */
async function attemptsOf(run: Pick<RunHandle, 'attempts'>): Promise<readonly AttemptView[] | undefined> {
  try {
    return await run.attempts();
  } catch (error) {
    if (passingCode(error) !== undefined) return undefined;
    throw error;
  }
}
