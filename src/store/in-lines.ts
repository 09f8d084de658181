/** Lets many callers share calls: while a call is running, new callers gather for the next one. */

import { setTimeout as sleep, setImmediate } from 'node:timers/promises';
import type { Steps } from '../plan/algebra/index.ts';

interface Line<Item, Answer> {
  last: Promise<unknown>;
  next?: { readonly items: Item[]; readonly answers: Promise<readonly Answer[]> } | undefined;
  waiting: number;
}

/**
 * Makes a function that queues items by name, and then calls `call` once for all waiting items of a name.
 * @param call answers each item, in order; if it throws, all its callers get the error
 * @param gatherMs how long to wait for further callers before each call, in milliseconds; default: not at all
 */
export function inLines<Item, Answer>(
  nameOf: (item: Item) => string,
  call: (items: readonly Item[]) => Promise<readonly Answer[]>,
  gatherMs = 0,
): (item: Item) => Promise<Answer> {
  const lines = new Map<string, Line<Item, Answer>>();

  function nextOf(line: Line<Item, Answer>) {
    const items: Item[] = [];
    const answers = line.last.then(async () => {
      if (gatherMs > 0) await sleep(gatherMs);
      line.next = undefined;
      return call(items);
    });
    line.last = answers.catch(() => undefined);
    return (line.next = { items, answers });
  }

  return async (item) => {
    const name = nameOf(item);
    const line = lines.get(name) ?? { last: Promise.resolve(), waiting: 0 };
    lines.set(name, line);
    const { items, answers } = line.next ?? nextOf(line);
    const place = items.push(item) - 1;
    line.waiting += 1;
    try {
      return (await answers)[place] as Answer;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) lines.delete(name);
    }
  };
}

/** Runs work in parallel, with results in order. Throws the first failure after all running calls have ended. */
export async function inParallel<T, R>(
  max: number,
  things: Iterable<T> | AsyncIterable<T>,
  work: (thing: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const failed: unknown[] = [];
  const left = Symbol.asyncIterator in things ? things[Symbol.asyncIterator]() : things[Symbol.iterator]();
  let count = 0;
  const one = async () => {
    while (failed.length === 0) {
      try {
        const next = await left.next();
        if (next.done === true) return;
        const at = count++;
        results[at] = await work(next.value);
      } catch (error) {
        failed.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: max }, one));
  if (failed.length > 0) throw failed[0];
  return results;
}

/** Lines of a file that are read in one step, which takes one or two tenths of a second. */
export const LINES_IN_STEP = 20_000;

export async function inTurns<Value>(steps: Steps<Value>): Promise<Value> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
