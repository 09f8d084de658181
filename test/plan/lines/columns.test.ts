/** The columns of a text, and texts cut and filled to them. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnsOf, cutColumns, padColumns } from '../../../src/plan/lines/index.ts';
import { RUNS } from '../text/arbitraries.ts';
import { columnsIn, wideText } from './wide-texts.ts';

describe('the columns of', () => {
  test.each<[what: string, text: string, columns: number]>([
    ['nothing', '', 0],
    ['ASCII', 'node_1', 6],
    ['an ideograph', '漢', 2],
    ['kana of half a width', 'ﾊ', 1],
    ['a Latin letter of the full width', 'Ａ', 2],
    ['a syllable of Hangul', '한', 2],
    ['its parts', '한'.normalize('NFD'), 2],
    ['a letter with marks', 'a\u0323\u0302', 1],
    ['a Thai letter with its vowel', 'กำ', 2],
    ['an emoji', '😀', 2],
    ['an emoji with a skin colour, as a plain terminal draws it', '👍🏽', 4],
    ['two that a joiner joins, as a plain terminal draws them', '👩\u200d🔬', 4],
    ['a flag', '🇫🇷', 2],
    ['the lines of a tree and the marks of a node', '│ ├─ └─ ✓✗▸◦·–‽×…', 17],
    ['a text in a colour', '\u001b[31mab\u001b[0m', 2],
    ['a tab, at most', 'a\tb', 10],
  ])('%s', (_, text, columns) => expect(columnsOf(text)).toBe(columns));

  test('any text are those that the library has for its characters', () => {
    fc.assert(
      fc.property(wideText, (text) => {
        expect(columnsOf(text)).toBe(columnsIn(text));
      }),
      RUNS,
    );
  });
});

describe('a text cut', () => {
  test.each<[text: string, most: number, cut: string]>([
    ['abcdef', 4, 'abc…'],
    ['漢字', 4, '漢字'],
    ['漢字漢', 5, '漢字…'],
    ['漢字漢', 4, '漢…'],
    ['漢字', 1, '…'],
    ['ae\u0301i', 2, 'a…'],
    ['ae\u0301ik', 3, 'ae\u0301…'],
    ['🇫🇷🇫🇷', 3, '🇫🇷…'],
    ['a', 0, ''],
  ])('%j to %i columns', (text, most, cut) => expect(cutColumns(text, most)).toBe(cut));

  test('is a beginning of it, and as long as fits', () => {
    fc.assert(
      fc.property(wideText, fc.integer({ min: 1, max: 60 }), (text, most) => {
        const cut = cutColumns(text, most);
        expect(columnsIn(cut)).toBeLessThanOrEqual(most);
        expect(cut === text.toWellFormed()).toBe(columnsIn(text) <= most);
        if (columnsIn(text) > most)
          expect(text.toWellFormed().startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true);
      }),
      RUNS,
    );
  });
});

test.each<[text: string, isRight: boolean, filled: string]>([
  ['漢', false, '漢  '],
  ['漢', true, '  漢'],
  ['漢字漢', false, '漢字漢'],
])('%j with spaces to 4 columns, at the right: %j', (text, isRight, filled) => {
  expect(padColumns(text, 4, isRight)).toBe(filled);
});
