/** A short form of the simulation; `npm run test:long` has the long one, which reaches every state. */

import { describe, expect, test } from 'vitest';
import { tryAnyOrder } from './any-order.ts';
import { ANEW } from './steps.ts';

const SEQUENCES = 40;
const SEQUENCES_ANEW = 15;
/** Of the states that the long form reaches. */
const REACHED_AT_LEAST = 50;
/** On a busy machine. */
const TIME_MS = 600_000;

describe('a run, whatever is said to it, in whatever order', () => {
  test(
    'starts what is covered, once, and nothing else; refuses without effect; can always be decided and always ends',
    () => {
      expect(Object.keys(tryAnyOrder(SEQUENCES)).length).toBeGreaterThan(REACHED_AT_LEAST);
    },
    TIME_MS,
  );

  test(
    'and whose plan is made anew: nothing starts meanwhile, no person is passed over, and it is made anew twice at most',
    () => {
      expect(tryAnyOrder(SEQUENCES_ANEW, ANEW)['made anew']).toBeGreaterThan(0);
    },
    TIME_MS,
  );
});
