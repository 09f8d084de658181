/** Short forms of `npm run test:long`, with shorter histories, so that they too go through several. */

import { test } from 'vitest';
import type { HistoryBudget } from '../../src/contract/index.ts';
import { answerInAnOutage, answerOneByOne, runTree, standFlood } from '../long/scenarios.ts';

const SHORT: HistoryBudget = { soft: { events: 250, bytes: 2 ** 21 }, hard: { events: 8000, bytes: 2 ** 24 } };

test('a tree of 501 nodes runs each node once, though its worker is killed', () => runTree(501, SHORT), 120_000);
test('100 questions are answered one by one, though the worker is killed', () => answerOneByOne(100, SHORT), 120_000);
test('100 answers in an outage are all heard, once', () => answerInAnOutage(100, SHORT), 120_000);
test('a flood of 400 signals is heard out, and an answer after it', () => standFlood(400, SHORT), 120_000);
