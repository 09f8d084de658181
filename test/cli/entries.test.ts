/** Goals and traces within the columns of a terminal. */

import { expect, test } from 'vitest';
import { inOrder } from '../../src/cli/commands/status.ts';
import { goalText } from '../../src/cli/plan-text.ts';
import { entryTable } from '../../src/cli/view/index.ts';

test('a question of two lines stands on two in a trace', () => {
  const asked = { seq: 3, at: '2026-01-01T00:00:00.000Z', what: 'asked', text: 'q: How many\nampere?' } as const;
  expect(entryTable([asked], { columns: 80 }, true).split('\n')).toEqual([
    '3  2026-01-01 00:00:00Z  asked  q: How many',
    '                                ampere?',
  ]);
});

test('entries stay in their order, with each node where it began', () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const entry = (seq: number, ms: number) => ({ seq, at: at(ms), what: 'node', text: `${seq}` }) as const;
  const node = (id: string, ms: number) => {
    return { id, status: 'running', summary: id, executor: 'e', startedAt: at(ms), worker: 'w' } as const;
  };
  const told = inOrder({
    entries: [entry(1, 5), entry(2, 4), entry(3, 9)],
    nodes: [node('late', 20), node('node_1', 7), node('before', 1)],
  });
  expect(told.map(({ seq, text }) => seq ?? text.split(' ')[0])).toEqual([1, 2, 'node_1', 3, 'late']);
});

test('a goal keeps its lines, each within the terminal', () => {
  expect(goalText('Set the supply\nand ask', 10)).toBe('Set the supply\nand ask');
  expect(goalText('Set the supply of the first magnet\nand ask', 24)).toBe(
    'Set the supply of the\nfirst magnet\nand ask',
  );
});
