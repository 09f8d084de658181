/** A short form of the simulation; `npm run test:long` has the long one. */

import { describe, expect, test } from 'vitest';
import { REACHED, REACHED_ANEW, tryAnyOrder } from './any-order.ts';
import { ANEW } from './steps.ts';

const SEQUENCES = 600;
const SEQUENCES_ANEW = 200;
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

  test(
    'and whose plan is made anew: nothing starts meanwhile, no person is passed over, and it is made anew twice at most',
    () => {
      const seen = tryAnyOrder(SEQUENCES_ANEW, ANEW);
      expect(REACHED_ANEW.filter((what) => seen[what] === undefined)).toEqual([]);
    },
    TIME_MS,
  );
});
