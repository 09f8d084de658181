/** Rows that are told: in columns, and on a narrow terminal below themselves. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { table } from '../../../src/plan/lines/index.ts';
import { visible } from '../../../src/plan/text/index.ts';
import { RUNS } from '../text/arbitraries.ts';
import { columnsIn, wideText } from './wide-texts.ts';

test('nothing in a cell breaks its row, or is hidden in it', () => {
  const rows = table([
    ['a\nb\u001b[2J', '1'],
    ['c\u202e', '2'],
  ]);
  expect(rows).toBe('a\\u000ab\\u001b[2J  1\nc\\u202e            2');
});

test('the last column is wrapped below itself, and keeps its line breaks', () => {
  const rows = [
    ['ask@1', 'read', 'Asks a person, and takes the answer'],
    ['pay@12', 'at-most-once', 'Pays\nonce'],
  ];
  expect(table(rows, { columns: 42 }).split('\n')).toEqual([
    'ask@1   read          Asks a person, and',
    '                      takes the answer',
    'pay@12  at-most-once  Pays',
    '                      once',
  ]);
});

test('cells stand at the right where they are told to, and none of them can draw', () => {
  expect(
    table(
      [
        ['9', 'a\nb'],
        ['10', 'c\u001B[2J'],
      ],
      { right: [0], gap: 1, indent: '> ' },
    ),
  ).toBe('>  9 a\n     b\n> 10 c\\u001b[2J');
});

test('wide cells fill their columns', () => {
  const rows = [
    ['計画', '1', '遺伝子を読む'],
    ['ab', '10', 'read'],
  ];
  expect(table(rows, { columns: 29, right: [1] }).split('\n')).toEqual(['計画   1  遺伝子を読む', 'ab    10  read']);
});

test('a last cell with little room stands below its row', () => {
  const rows = [['github.create_pull_request@1', 'at-most-once', 'Opens a pull request with what was changed']];
  expect(table(rows, { columns: 50, indent: ' ' }).split('\n')).toEqual([
    ' github.create_pull_request@1  at-most-once',
    '     Opens a pull request with what was changed',
  ]);
});

test('no line is too wide, and nothing but spaces is lost', () => {
  const cells = fc.array(fc.tuple(wideText, wideText), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(cells, fc.integer({ min: 20, max: 120 }), (rows, columns) => {
      const lines = table(rows, { columns }).split('\n');
      const head = Math.max(...rows.map(([cell]) => columnsIn(visible(cell)))) + 2;
      expect(lines.filter((line) => columnsIn(line) > Math.max(columns, head))).toEqual([]);
      const all = rows.map(([cell, last]) => visible(cell) + visible(last, { lines: true })).join('');
      expect(lines.join('').replaceAll(/\s/g, '')).toBe(all.replaceAll(/\s/g, ''));
    }),
    RUNS,
  );
});
