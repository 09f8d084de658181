/**
 * The one door of every activity: anybody who reaches the server can schedule one, so its request is read before
 * anything begins.
 */

import { isHeld, isUndecrypted, problemOf, REQUESTS, type Activities, type Held } from '../protocol/index.ts';
import { RunFailureError } from '../protocol/index.ts';
import { guarded } from './guard.ts';
import type { Meters } from './meters.ts';

/**
 * The same activities; an input that is no request fails as `InvalidInput`, and nothing has begun. Work for which this worker
 * lacks the key is held, until a worker takes it that has the key. Held work is counted.
 */
export function behindDoor(activities: Activities, { held }: Pick<Meters, 'held'>): Activities {
  const counting = async (work: Promise<unknown>) => {
    const reply = await work;
    if (isHeld(reply)) held(reply.by);
    return reply;
  };
  const rows = Object.entries(activities) as [keyof Activities, (request: never) => Promise<unknown>][];
  const guardedRows = rows.map(([name, work]) => [
    name,
    (request: never) => {
      if (isUndecrypted(request)) return counting(Promise.resolve(LACKS_KEY));
      const problem = problemOf(REQUESTS[name], request);
      if (problem === undefined) return counting(work(request));
      return guarded(() => Promise.reject(refusal(name, problem)), NOT_BEGUN);
    },
  ]);
  return Object.fromEntries(guardedRows) as Activities;
}

const NOT_BEGUN = { begun: false };
const LACKS_KEY: Held = { held: 'a worker with the key that its run is encrypted with', by: 'fault' };

function refusal(name: string, problem: string): Error {
  return new RunFailureError(
    'InvalidInput',
    `the activity ${name} was scheduled with what is no request of a run; ${problem}. Nothing was begun. ` +
      'Run workers of one version, and let only them and the runs of the project schedule activities',
  );
}
