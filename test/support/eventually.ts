/** The one way in which tests wait for what comes in a moment: `expect.poll`, which waits as long, or this. */

import { setTimeout as pause } from 'node:timers/promises';

/** A quiet machine needs a moment, a busy one up to a minute. `expect.poll` has it from vitest.config.ts. */
export const PATIENCE = { timeout: 120_000, interval: 20 };

/**
 * Asks again until there is an answer other than `undefined` or `false`. An error is asked again too, unless it is fatal.
 * @param seen what is told if no such answer comes
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  { isFatal = () => false, seen = () => 'it did not become so' }: Partial<Waiting> = {},
): Promise<Exclude<T, undefined | false>> {
  for (const deadline = performance.now() + PATIENCE.timeout; ;) {
    let failure: unknown;
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    } catch (error) {
      if (isFatal(error)) throw error;
      failure = error;
    }
    if (performance.now() > deadline) throw failure ?? new Error(seen());
    await pause(PATIENCE.interval);
  }
}

interface Waiting {
  readonly isFatal: (error: unknown) => boolean;
  readonly seen: () => string;
}
