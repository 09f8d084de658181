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
export const CALLS_AT_ONCE = 8;
/** As long as a call may take: the error of a caller that waits longer names no server, but too many callers. */
export const MAX_WAIT_MS = 10 * 60 * 1000;

/**
 * A line that lets this many calls through at once.
 * @example const line = lineOf(4); const clients = names.map((name) => openAIClient({ ...server, name, line }));
 * @throws TypeError when it is no whole number from 1.
 */
export function lineOf(atOnce: number = CALLS_AT_ONCE): CallLine {
  if (!(Number.isSafeInteger(atOnce) && atOnce > 0)) {
    throw new TypeError(`calls at once: expected a whole number from 1, got ${atOnce}`);
  }
  let underWay = 0;
  const waiting: (() => void)[] = [];

  /** Resolves when it is this one's turn, with its place taken. */
  function turn(signal: AbortSignal | undefined): Promise<void> {
    if (underWay < atOnce) {
      underWay += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        stop();
        resolve();
      };
      const leave = (error: ModelError): void => {
        stop();
        waiting.splice(waiting.indexOf(go), 1);
        reject(error);
      };
      const cancel = (): void => leave(new ModelError('cancelled', 'The call was stopped before its turn came.'));
      const timer = setTimeout(() => leave(tooLong(atOnce)), MAX_WAIT_MS);
      const stop = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      };
      waiting.push(go);
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  return {
    async through(work, signal) {
      if (signal?.aborted) throw new ModelError('cancelled', 'The call was stopped before it began.');
      await turn(signal);
      try {
        return await work();
      } finally {
        // The place goes from hand to hand, so that a caller who comes now cannot take it.
        const next = waiting.shift();
        if (next === undefined) underWay -= 1;
        else next();
      }
    },
  };
}

function tooLong(atOnce: number): ModelError {
  const message = `The call has waited ${MAX_WAIT_MS / 60_000} minutes for its turn: at most ${atOnce} are under way at once. Allow more, or ask less.`;
  return new ModelError('timeout', message);
}
