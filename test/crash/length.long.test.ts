/** Short forms of `npm run test:long`, with shorter histories, so that they too go through several. */

import { test } from 'vitest';
import type { HistoryBudget } from '../../src/protocol/index.ts';
import { answerInAnOutage, answerOneByOne, runTree, standFlood } from '../long/scenarios.ts';

const SHORT: HistoryBudget = { soft: { events: 250, bytes: 2 ** 21 }, hard: { events: 8000, bytes: 2 ** 24 } };

test('a tree of 251 nodes runs each node once, though its worker is killed', () => runTree(251, SHORT), 120_000);
test('50 questions are answered one by one, though the worker is killed', () => answerOneByOne(50, SHORT), 120_000);
test('50 answers in an outage are all heard, once', () => answerInAnOutage(50, SHORT), 120_000);
test('a flood of 200 signals is heard out, and an answer after it', () => standFlood(200, SHORT), 120_000);
