/** Long runs: minutes each. `npm run test:long`. */

import { expect, test } from 'vitest';
import { REACHED, REACHED_ANEW, tryAnyOrder } from '../workflows/run/simulation/any-order.ts';
import { ANEW } from '../workflows/run/simulation/steps.ts';
import { writeSlowly } from './locks.ts';
import {
  answerInAnOutage,
  answerOneByOne,
  keepInPicture,
  readThroughHistories,
  runChain,
  runTree,
  standFlood,
  standMegabytes,
} from './scenarios.ts';

const HOUR = 3_600_000;
/** Of an hour: `KILLS_MS=3600000 npx vitest run --project long test/long/long.test.ts`. */
const { KILLS_MS: killsMs = '240000' } = process.env;
const KILLS_MS = Number(killsMs);

test('a tree of 1,001 nodes, to compare with', () => runTree(1001), HOUR);
test('a tree of 20,001 nodes', () => runTree(20_001), HOUR);
test('3,000 visible reads in short histories', () => readThroughHistories(3000), HOUR);
test('a root and an agent in short histories, whose workers are killed', () => keepInPicture(KILLS_MS), 3 * HOUR);
test('a chain of 1,000 nodes', () => runChain(1000), HOUR);
test('3,000 questions, answered one by one', () => answerOneByOne(3000), HOUR);
test('2,100 answers in an outage', () => answerInAnOutage(2100), HOUR);
test('20,000 signals', () => standFlood(20_000), HOUR);
test('52 MB of signals at 1.6 MB/s', () => standMegabytes(569, 90_000, 18), HOUR);
test('writes of 75 s to one device, whose workers are killed', () => writeSlowly(75_000), HOUR);
test(
  '5,000 simulated runs, told anything in any order',
  () => {
    const seen = tryAnyOrder(5000);
    expect(REACHED.filter((what) => (seen[what] ?? 0) < 10)).toEqual([]);
  },
  HOUR,
);
test(
  '2,000 simulated runs, whose plans are made anew',
  () => {
    const seen = tryAnyOrder(2000, ANEW);
    expect(REACHED_ANEW.filter((what) => (seen[what] ?? 0) < 10)).toEqual([]);
  },
  HOUR,
);
