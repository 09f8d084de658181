/** Sorting in steps: the order that a sort gives, and how much is done in one step. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce, createSetBuilder } from '../../../src/plan/algebra/index.ts';
import { sortTexts, TEXTS_IN_STEP } from '../../../src/plan/algebra/sort-texts.ts';
import { RUNS } from './arbitraries.ts';

/** Distinct texts without any order. */
const scattered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => ((at * 2_654_435_761) % 2 ** 32).toString(36));

describe('the order', () => {
  test('is that of UTF-16 code units', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary' })), (texts) => {
        expect(inOrder(texts)).toEqual(texts.toSorted());
      }),
      RUNS,
    );
  });

  test.each([
    ['no run', []],
    ['a run and one text', scattered(TEXTS_IN_STEP + 1)],
    ['runs that are no power of two', scattered(5 * TEXTS_IN_STEP + 7)],
    ['sorted runs', scattered(3 * TEXTS_IN_STEP).toSorted()],
    [
      'reversed runs',
      scattered(3 * TEXTS_IN_STEP)
        .toSorted()
        .toReversed(),
    ],
  ])('of %s', (_, texts) => {
    expect(inOrder(texts)).toEqual(texts.toSorted());
  });
});

test('a set is built in as many steps, and is the set that is built at once', () => {
  const builder = createSetBuilder();
  for (const id of scattered(2 * TEXTS_IN_STEP)) builder.add({ id });
  const steps = builder.buildSteps();
  let count = 0;
  for (let step = steps.next(); ; step = steps.next(), count += 1) {
    if (step.done !== true) continue;
    expect(step.value).toEqual(builder.build());
    break;
  }
  expect(count).toBeGreaterThanOrEqual(4);
});

function inOrder(texts: readonly string[]): string[] {
  return [...atOnce(sortTexts(texts))].map((row) => texts[row]!);
}
