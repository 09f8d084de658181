/** Long work in steps: all at once, or with a turn of the event loop after each, in which a worker can beat. */

import { setImmediate } from 'node:timers/promises';

export type Steps<Value> = Generator<void, Value, void>;

/** Lines of a file in one step: a tenth of a second or two. */
export const LINES_IN_STEP = 20_000;

export function atOnce<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export async function inTurns<Value>(steps: Steps<Value>): Promise<Value> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
