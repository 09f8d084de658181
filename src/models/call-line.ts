/** How many calls to models are under way at once in a process. */

import { ModelError } from './model-error.ts';

/** Servers limit calls at once; more would only wait there, with a stream open each. */
const CALLS_AT_ONCE = 8;

/**
 * Lets so many calls through at once, in the order in which they came. A wait has no bound of its own: each call ahead has
 * one, and a caller that waits leaves when its signal says so.
 * @example const through = lineOf(4); await through(() => client.complete(request), signal);
 */
export function lineOf(atOnce = CALLS_AT_ONCE) {
  const waiting = new Set<() => void>();
  let free = atOnce;
  const turn = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const cancel = () => {
        waiting.delete(begin);
        reject(new ModelError('cancelled', 'The call was stopped before its turn came.'));
      };
      const begin = () => {
        waiting.delete(begin);
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      waiting.add(begin);
      signal?.addEventListener('abort', cancel, { once: true });
    });
  return async <Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> => {
    if (signal?.aborted) throw new ModelError('cancelled', 'The call was stopped before it began.');
    if (free > 0) free -= 1;
    else await turn(signal);
    try {
      return await work();
    } finally {
      // The place goes from hand to hand, so that a caller who comes now cannot take it.
      const [next] = waiting;
      if (next === undefined) free += 1;
      else next();
    }
  };
}
