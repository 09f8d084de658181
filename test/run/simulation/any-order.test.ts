/** A short form of the simulation; `npm run test:long` has the long one. */

import { describe, expect, test } from 'vitest';
import { REACHED, tryAnyOrder } from './any-order.ts';

const SEQUENCES = 600;
/** On a busy machine. */
const TIME_MS = 600_000;

describe('a run, whatever is said to it, in whatever order', () => {
  test(
    'starts what is covered, once, and nothing else; refuses without effect; can always be decided and always ends',
    () => {
      const seen = tryAnyOrder(SEQUENCES);
      expect(REACHED.filter((what) => seen[what] === undefined)).toEqual([]);
    },
    TIME_MS,
  );
});
