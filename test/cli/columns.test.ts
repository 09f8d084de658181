/** Rows that commands tell: in columns, and on a narrow terminal below themselves. */

import { expect, test } from 'vitest';
import { goalText } from '../../src/cli/plan-text.ts';
import { entryTable, inColumns } from '../../src/cli/view/index.ts';

test('the last column is wrapped below itself, and keeps its line breaks', () => {
  const rows = [
    ['ask@1', 'read', 'Asks a person, and takes the answer'],
    ['pay@12', 'at-most-once', 'Pays\nonce'],
  ];
  expect(inColumns(rows, { columns: 42 }).split('\n')).toEqual([
    'ask@1   read          Asks a person, and',
    '                      takes the answer',
    'pay@12  at-most-once  Pays',
    '                      once',
  ]);
});

test('cells stand at the right where they are told to, and none of them can draw', () => {
  expect(
    inColumns(
      [
        ['9', 'a\nb'],
        ['10', 'c\u001B[2J'],
      ],
      { right: [0], gap: 1, indent: '> ' },
    ),
  ).toBe('>  9 a\n     b\n> 10 c\\u001b[2J');
});

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
