/** Texts and messages in lines of a width. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wrap, wrapMessage, wrapNote } from '../../../src/plan/lines/index.ts';
import { visible } from '../../../src/plan/text/index.ts';
import { RUNS } from '../text/arbitraries.ts';
import { columnsIn, wideText } from './wide-texts.ts';

const WIDTH = fc.integer({ min: 4, max: 90 });

describe('a message wrapped', () => {
  test.each([
    ['one two three', 8, ['one two', 'three']],
    ['type `planwright worker`; then wait', 24, ['type', '`planwright worker`;', 'then wait']],
    ['type "planwright worker --x"', 20, ['type', '"planwright worker --x"']],
    ['see http://127.0.0.1:8233/a', 10, ['see', 'http://127.0.0.1:8233/a']],
    ['two lines:\n  of which one is long', 16, ['two lines:', '  of which one', '  is long']],
    ['', 10, ['']],
    ['run 漢字-1: waits', 8, ['run', '漢字-1:', 'waits']],
    ['聞: 漢字漢字漢字', 9, ['聞: 漢字', '漢字漢字']],
    ['聞: /漢字/漢字.json', 9, ['聞:', '/漢字/漢字.json']],
  ] as const)('%j in %i keeps commands and addresses whole', (text, width, lines) => {
    expect(wrapMessage(text, width)).toEqual(lines);
  });

  test('a line that is too wide is one thing that is copied, and nothing but spaces is lost', () => {
    fc.assert(
      fc.property(wideText, WIDTH, (text, most) => {
        const lines = wrapMessage(text, most);
        expect(lines.filter((line) => columnsIn(line) > most && !/^ *(?:\S+|[`"].*)$/s.test(line))).toEqual([]);
        const wide = lines.filter((line) => columnsIn(line) > most && !/[`"/\\]|^ {4}/.test(line));
        expect(wide.filter((line) => /[漢字遺伝子]/.test(line))).toEqual([]);
        expect(lines.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
      }),
      RUNS,
    );
  });
});

describe('wrapped', () => {
  test.each([
    ['one two three', 8, ['one two', 'three']],
    ['', 8, ['']],
    ['abcdefgh', 3, ['abc', 'def', 'gh']],
    ['a bcdefgh', 3, ['a', 'bcd', 'efg', 'h']],
    ['😀😀', 3, ['😀', '😀']],
    ['ab', 0, ['a', 'b']],
    ['漢字', 1, ['漢', '字']],
    ['gene 遺伝子の座標', 9, ['gene 遺伝', '子の座標']],
    ['e\u0301e\u0301e\u0301', 2, ['e\u0301e\u0301', 'e\u0301']],
    ['🇫🇷🇩🇪', 3, ['🇫🇷', '🇩🇪']],
    ['\u3000\u3000漢', 4, ['\u3000\u3000', '漢']],
    ['漢\u0301abc', 4, ['漢\u0301', 'abc']],
    ['👍🏽👍🏽', 6, ['👍🏽', '👍🏽']],
    ['一\n  二\t三', 8, ['一', '  二 三']],
    ['a\u200db', 8, ['a\\u200db']],
  ] as const)('%j in %i', (text, width, lines) => expect(wrap(text, width)).toEqual(lines));

  test('no line is too wide, and nothing but spaces is lost', () => {
    fc.assert(
      fc.property(wideText, WIDTH, (text, most) => {
        const lines = wrap(text, most);
        expect(lines.filter((line) => columnsIn(line) > most)).toEqual([]);
        expect(lines.join('').replaceAll(' ', '')).toBe(visible(text, { lines: true }).replaceAll(/[ \t\n]/g, ''));
      }),
      RUNS,
    );
  });
});

test.each<[what: string, line: string, lines: readonly string[]]>([
  ['that fits', 'done in 10 s', ['done in 10 s']],
  ['that is long', 'done in 10 s: 2,149 records', ['done in 10 s: 2,149', 'records']],
  ['with a command in quotes', 'type `planwright worker` there', ['type', '`planwright worker`', 'there']],
  ['with a command to paste', 'next: planwright result plan-1', ['next: planwright result plan-1']],
  ['in columns', 'node_1   succeeded   2,149', ['node_1   succeeded   2,149']],
  ['of wide characters', '一二三四五六七八九十一', ['一二三四五六七八九十', '一']],
  ['in a colour', '\u001b[33mnote\u001b[0m: two words', ['\u001b[33mnote\u001b[0m: two words']],
  ['of a tree', '├─ Find the exons of genes', ['├─ Find the exons of genes']],
])('a note %s', (_, line, lines) => expect(wrapNote(line, 20)).toEqual(lines));
