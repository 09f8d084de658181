import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oneLine, visible } from '../../../src/plan/text/index.ts';
import { RUNS, anyText } from './arbitraries.ts';

/** Written apart from the code: a class each, by its own property. */
const HIDDEN = [
  /\p{Default_Ignorable_Code_Point}/u,
  /\p{Cf}/u,
  /\p{Cc}/u,
  /\p{Zl}/u,
  /\p{Zp}/u,
  /\p{Co}/u,
  /\p{Cn}/u,
  /\p{Cs}/u,
  /[\u115f\u1160\u2800\u3164\uffa0]/,
];

describe('Unicode: hidden characters: visible text', () => {
  test.each([
    ['plain words, Ünïcode 基因 é 😀', 'plain words, Ünïcode 基因 é 😀'],
    ['a\u001b[31m', 'a\\u001b[31m'],
    ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['\u0085\u009b', '\\u0085\\u009b'],
    ['a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['a\nb\tc', 'a\\u000ab\\u0009c'],
    ['soft\u00adhyphen', 'soft\\u00adhyphen'],
    ['\u180e\ufff9\ufffa\ufffb', '\\u180e\\ufff9\\ufffa\\ufffb'],
    ['\ufe0f\u{e0100}', '\\ufe0f\\udb40\\udd00'],
    ['tag \u{e0041}', 'tag \\udb40\\udc41'],
    ['\u3164\u2800\uffa0', '\\u3164\\u2800\\uffa0'],
    ['\ue000\uffff', '\\ue000\\uffff'],
    ['\ud800', '\\ud800'],
    ['\u2028\u2029', '\\u2028\\u2029'],
  ])('of %j', (text, shown) => expect(visible(text)).toBe(shown));

  test('keeps line breaks and tabs where it is asked to, and no other control', () => {
    expect(visible('a\n\tb\r\u000b', { lines: true })).toBe('a\n\tb\\u000d\\u000b');
  });

  test('holds no hidden character, is well formed, and comes out the same again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = visible(text);
        for (const hidden of HIDDEN) expect(shown).not.toMatch(hidden);
        expect(shown.isWellFormed()).toBe(true);
        expect(visible(shown)).toBe(shown);
        expect(visible(text, { lines: true }).replaceAll(/[\n\t]/g, '')).toBe(visible(text.replaceAll(/[\n\t]/g, '')));
      }),
      RUNS,
    );
  });

  test('every assigned character but these stays as it is', () => {
    const kept: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      if (visible(character) === character) kept.push(character);
    }
    expect(kept.length).toBeGreaterThan(140_000);
    expect(kept.filter((character) => HIDDEN.some((hidden) => hidden.test(character)))).toEqual([]);
  });
});

test('one line has no white space but single spaces between', () => {
  expect(oneLine(' a\r\n\t b\u00a0\u3000c\u0007 ')).toBe('a b c\\u0007');
  fc.assert(
    fc.property(anyText, (text) => {
      const line = oneLine(text);
      expect(line).not.toMatch(/[^\S ]|^ | $| {2}/);
      expect(oneLine(line)).toBe(line);
    }),
    RUNS,
  );
});
