/** The receipt of a run, in one line. */

import { expect, test } from 'vitest';
import { noteLines, receiptText } from '../../src/operations/words/index.ts';
import type { Receipt } from '../../src/operations/index.ts';
import type { ResultHandle, ResultKind } from '../../src/protocol/index.ts';

interface Ended {
  readonly outcome: string;
  readonly result?: ResultHandle;
}

function ended(kind: ResultKind, count: number): Ended {
  return { outcome: 'done', result: { ref: 'r', kind, count, bytes: 1 } };
}

const lost = { id: 'node_2', attempt: 2, before: 'worker lost' };

test.each<[string, Ended, Receipt]>([
  [
    'done in 10.6 s: 2,149 records; 1 retry (node_2, worker lost); approved by reviewer',
    ended('set', 2149),
    { ms: 10_640, retried: [lost], approvedBy: ['reviewer'] },
  ],
  ['done: a text', ended('text', 18), { retried: [], approvedBy: [] }],
  ['done in 0.1 s: a value', ended('value', 1), { ms: 99, retried: [], approvedBy: [] }],
  [
    'terminated in 1 min; 8 retries (node_2, worker lost; pay; node_5 and 1 more); approved by a, b, c and 2 others',
    { outcome: 'terminated' },
    {
      ms: 60_000,
      retried: [
        lost,
        { id: 'node_4', key: 'pay', attempt: 4 },
        { id: 'node_5', attempt: 3 },
        { id: 'node_6', attempt: 3 },
      ],
      approvedBy: ['a', 'b', 'c', 'd', 'e'],
    },
  ],
])('%s', (text, end, receipt) => expect(receiptText({ ...end, receipt })).toBe(text));

test('a file that the run has written is named with its records', () => {
  const receipt = { ms: 99, retried: [], approvedBy: ['operator'] };
  expect(receiptText({ ...ended('value', 1), receipt, written: '2 records -> result.bed' })).toBe(
    'done in 0.1 s: 2 records -> result.bed; approved by operator',
  );
  const old = { ...receipt, resultOf: 'w1' };
  expect(receiptText({ ...ended('value', 1), receipt: old, written: '2 records -> result.bed' })).toBe(
    'done in 0.1 s: 2 records -> result.bed, written by w1; approved by operator',
  );
});

test('notes on results are lines of their own, the first ten', () => {
  const notes = Array.from({ length: 6 }, (_, at) => ({ id: `node_${at + 1}`, notes: ['line 3: x', 'y\nz'] }));
  const lines = noteLines({
    receipt: { retried: [], approvedBy: [], notes: [{ ...notes[0]!, key: 'peaks' }, ...notes.slice(1)] },
  });
  expect(lines.slice(0, 3)).toEqual(['peaks: line 3: x', 'peaks: y z', 'node_2: line 3: x']);
  expect(lines.slice(10)).toEqual(['and 2 more notes']);
});
