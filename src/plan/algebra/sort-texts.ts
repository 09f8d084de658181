/** Sorts millions of texts in steps, so that the process can send heartbeats between two steps. */

import { everyRow } from './position-order.ts';

/** The number of texts in one step, which takes about a tenth of a second. */
export const TEXTS_IN_STEP = 32_768;

/** The row indexes of distinct texts, sorted by UTF-16 code units. Two sorted runs take only one merge. */
export function* sortTexts(texts: readonly string[]): Steps<Int32Array> {
  let from = everyRow(texts.length);
  let to = new Int32Array(texts.length);
  for (let at = 0; at < from.length; at += TEXTS_IN_STEP) {
    from.subarray(at, at + TEXTS_IN_STEP).sort((one, other) => (texts[one]! < texts[other]! ? -1 : 1));
    yield;
  }
  for (let width = TEXTS_IN_STEP; width < from.length; width *= 2) {
    for (let at = 0; at < from.length; at += 2 * width) {
      yield* mergeRuns(texts, from, to, [at, Math.min(at + width, from.length), Math.min(at + 2 * width, from.length)]);
    }
    [from, to] = [to, from];
  }
  return from;
}

function* mergeRuns(
  texts: readonly string[],
  from: Int32Array,
  to: Int32Array,
  [start, middle, end]: readonly [number, number, number],
): Steps<void> {
  if (middle === end || texts[from[middle - 1]!]! < texts[from[middle]!]!) {
    to.set(from.subarray(start, end), start);
    return;
  }
  let left = start;
  let right = middle;
  for (let at = start; at < end; at += 1) {
    const takesLeft = right === end || (left < middle && texts[from[left]!]! < texts[from[right]!]!);
    to[at] = takesLeft ? from[left++]! : from[right++]!;
    if ((at - start + 1) % TEXTS_IN_STEP === 0) yield;
  }
}

export type Steps<Value> = Generator<void, Value, void>;

export function atOnce<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
