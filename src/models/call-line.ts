/** How many calls to models are under way at once in a process. */

import { ModelError } from './model-error.ts';

/** Calls in the order in which they came, so many at once. */
export interface CallLine {
  /**
   * Does the work when it is its turn. A caller that waits leaves the line when its signal says so.
   * @throws ModelError `cancelled`; `timeout` after 10 minutes of waiting. What the work throws passes.
   */
  through<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Servers limit calls at once; more would only wait there, with a stream open each. */
const CALLS_AT_ONCE = 8;
/** As long as a call may take: the error of a caller that waits longer names no server, but too many callers. */
const MAX_WAIT_MS = 10 * 60 * 1000;

/**
 * A line that lets this many calls through at once.
 * @example const line = lineOf(4); const clients = names.map((name) => openAIClient({ ...server, name, line }));
 * @throws TypeError when it is no whole number from 1.
 */
export function lineOf(atOnce: number = CALLS_AT_ONCE): CallLine {
  if (!(Number.isSafeInteger(atOnce) && atOnce > 0))
    throw new TypeError(`calls at once: expected a whole number from 1, got ${atOnce}`);
  const many = `at most ${atOnce} are under way at once. Allow more, or ask less.`;
  const waiting = new Set<() => void>();
  let free = atOnce;
  return {
    async through(work, signal) {
      if (signal?.aborted) throw new ModelError('cancelled', 'The call was stopped before it began.');
      if (free > 0) free -= 1;
      else {
        const { promise, resolve, reject } = promised();
        const leave = (error: ModelError) => void (waiting.delete(resolve) && reject(error));
        const cancel = () => leave(new ModelError('cancelled', 'The call was stopped before its turn came.'));
        const late = `The call has waited ${MAX_WAIT_MS / 60_000} minutes for its turn: ${many}`;
        const timer = setTimeout(() => leave(new ModelError('timeout', late)), MAX_WAIT_MS);
        signal?.addEventListener('abort', cancel, { once: true });
        waiting.add(resolve);
        await promise.finally(() => (clearTimeout(timer), signal?.removeEventListener('abort', cancel)));
      }
      try {
        return await work();
      } finally {
        // The place goes from hand to hand, so that a caller who comes now cannot take it.
        const [next] = waiting;
        if (next === undefined) free += 1;
        else waiting.delete(next);
        next?.();
      }
    },
  };
}

/** `Promise.withResolvers` of Node 22. */
function promised() {
  let [resolve, reject]: [() => void, (error: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<void>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}
