/** Goals and traces within the columns of a terminal. */

import { expect, test } from 'vitest';
import { goalText } from '../../src/cli/plan-text.ts';
import { entryTable } from '../../src/cli/view/index.ts';

test('a question of two lines stands on two in a trace', () => {
  const asked = { seq: 3, at: '2026-01-01T00:00:00.000Z', what: 'asked', text: 'q: How many\nampere?' } as const;
  expect(entryTable([asked], { columns: 80 }, true).split('\n')).toEqual([
    '3  2026-01-01 00:00:00Z  asked  q: How many',
    '                                ampere?',
  ]);
});

test('a goal keeps its lines, each within the terminal', () => {
  expect(goalText('Set the supply\nand ask', 10)).toBe('Set the supply\nand ask');
  expect(goalText('Set the supply of the first magnet\nand ask', 24)).toBe(
    'Set the supply of the\nfirst magnet\nand ask',
  );
});
