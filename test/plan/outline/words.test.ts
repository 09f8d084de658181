/** What rows say: sums of what is asked, folds, and Markdown that nobody else can shape. */

import { expect, test } from 'vitest';
import { nodeName, nodeLabel, sumOf } from '../../../src/plan/outline/index.ts';

const read = { id: 'node_1', effect: 'read' };
const pay = { id: 'node_2', key: 'pay', effect: 'at-most-once', cost: 10 };
const write = (n: number) => ({ id: `node_${n}`, effect: 'idempotent', cost: 2 });

test.each<[string, Parameters<typeof sumOf>[0]]>([
  ['nothing', []],
  ['1 read', [read]],
  ['3 reads, 1 at-most-once: pay (cost 10)', [read, pay, read, read]],
  ['1 at-most-once: pay (cost 10)', [pay]],
  ['2 idempotent: node_4 (cost 2), node_5 (cost 2); 1 at-most-once: pay (cost 10)', [pay, write(4), write(5)]],
  ['1 read (cost 3)', [{ ...read, cost: 3 }]],
  ['1 read', [{ id: 'node_9' }]],
  [
    '7 idempotent: node_1 (cost 2), node_2 (cost 2), node_3 (cost 2), node_4 (cost 2), node_5 (cost 2) and 2 more, cost 14 in all',
    [1, 2, 3, 4, 5, 6, 7].map(write),
  ],
  ['1 read, 1 odd: x', [{ id: 'x', effect: 'odd' }, read]],
])('what is asked, added up: %s', (sum, entries) => expect(sumOf(entries)).toBe(sum));

test('a node goes by its key, and stands beside its id', () => {
  expect([nodeName(read), nodeName(pay)]).toEqual(['node_1', 'pay']);
  expect([nodeLabel(read), nodeLabel(pay)]).toEqual(['node_1', 'node_2 pay']);
});
