import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutBytes, cutCharacters, cutLines, cutStart } from '../../../src/plan/text/index.ts';
import { RUNS, anyText, bytesOf } from './arbitraries.ts';

const bound = fc.integer({ min: 0, max: 40 });

describe('characters', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['abcdef', 1, '…'],
    ['abcdef', 0, ''],
    ['', 0, ''],
    ['😀😀', 4, '😀😀'],
    ['😀😀', 3, '😀…'],
    ['😀😀', 2, '…'],
    ['a\ud800b', 3, 'a\ufffdb'],
  ])('%j in %d', (text, max, cut) => expect(cutCharacters(text, max)).toBe(cut));

  test('of any text: within the bound, whole, a beginning of the text, and the same again', () => {
    fc.assert(
      fc.property(anyText, bound, (text, max) => {
        const cut = cutCharacters(text, max);
        expect(cut.length).toBeLessThanOrEqual(max);
        expectBeginning(cut, text, text.length <= max);
        expect(cutCharacters(cut, max)).toBe(cut);
      }),
      RUNS,
    );
  });
});

describe('characters, the end of which stays', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, '…cdef'],
    ['abcdef', 1, '…'],
    ['abcdef', 0, ''],
    ['😀😀', 3, '…😀'],
    ['a😀', 2, '…'],
  ])('%j in %d', (text, max, cut) => expect(cutStart(text, max)).toBe(cut));

  test('of any text: within the bound, whole, an end of the text', () => {
    fc.assert(
      fc.property(anyText, bound, (text, max) => {
        const cut = cutStart(text, max);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut.isWellFormed()).toBe(true);
        expect(text.toWellFormed().endsWith(cut.replace(/^…/, ''))).toBe(true);
      }),
      RUNS,
    );
  });
});

describe('bytes', () => {
  test.each([
    ['éé', 4, 'éé'],
    ['ééé', 5, 'é…'],
    ['ééé', 4, '…'],
    ['abc', 2, 'ab'],
    ['éa', 1, ''],
    ['漢字', 5, '…'],
    ['😀😀', 7, '😀…'],
    ['\ud800a', 4, '\ufffda'],
    ['\ud800a', 3, '…'],
    ['', 0, ''],
  ])('%j in %d', (text, bytes, cut) => expect(cutBytes(text, bytes)).toBe(cut));

  test('of any text: within the bound, whole, a beginning of the text, and the same again', () => {
    fc.assert(
      fc.property(anyText, bound, (text, bytes) => {
        const cut = cutBytes(text, bytes);
        expect(bytesOf(cut)).toBeLessThanOrEqual(bytes);
        if (bytes >= 3) expectBeginning(cut, text, bytesOf(text) <= bytes);
        expect(cut.isWellFormed()).toBe(true);
        expect(cutBytes(cut, bytes)).toBe(cut);
      }),
      RUNS,
    );
  });

  test('one character more would not have fitted', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 3, max: 40 }), (text, bytes) => {
        const cut = cutBytes(text, bytes);
        const formed = text.toWellFormed();
        if (cut === formed) return;
        const kept = cut.slice(0, -1);
        const next = String.fromCodePoint(formed.codePointAt(kept.length)!);
        expect(bytesOf(`${kept}${next}…`)).toBeGreaterThan(bytes);
      }),
      RUNS,
    );
  });
});

describe('lines', () => {
  const lines = (...sizes: readonly number[]): string => sizes.map((size) => 'x'.repeat(size)).join('\n');

  test('a text that fits is not touched, however long its lines are', () => {
    expect(cutLines('a long line\nb', { bytes: 13, lineBytes: 3 })).toBe('a long line\nb');
  });

  test('lines are cut in their middle before any is left out', () => {
    const text = `node_1: ${'x'.repeat(5_000)} [pay@1 at-most-once]\nnode_2: short`;
    const cut = cutLines(text, { bytes: 200, lineBytes: 63 });
    expect(cut).toBe(`node_1: ${'x'.repeat(22)}…${'x'.repeat(9)} [pay@1 at-most-once]\nnode_2: short`);
  });

  test('the first line alone can be longer than the whole', () => {
    expect(cutLines(lines(9_000), { bytes: 4_000, lineBytes: 11 })).toBe('xxxx…xxxx');
    expect(cutLines(lines(9_000, 2), { bytes: 14, lineBytes: 11 })).toBe('xxxx…xxxx\nxx');
  });

  test.each([
    [lines(10, 10, 10), 31, `${lines(10)}\n... and 2 more lines`],
    [lines(10, 10, 10), 32, lines(10, 10, 10)],
    [lines(10, 10, 10, 10), 42, `${lines(10, 10)}\n... and 2 more lines`],
    [lines(10, 10, 10, 10), 41, `${lines(10)}\n... and 3 more lines`],
    [lines(10, 10, 10, 10), 5, '..…'],
    [lines(40, 1), 36, '... and 2 more lines'],
  ])('whole lines are left out at the end: %j in %d', (text, bytes, cut) => {
    expect(cutLines(text, { bytes, lineBytes: 40 })).toBe(cut);
  });

  test('the word about the rest can be another', () => {
    const rest = (count: number): string => `+${count}`;
    expect(cutLines(lines(5, 5, 5), { bytes: 9, lineBytes: 9, rest })).toBe('xxxxx\n+2');
  });

  test('of any text: within the bound, well formed, and every line is one of the text, or what is left of it', () => {
    const document = fc.array(anyText, { maxLength: 12 }).map((parts) => parts.join('\n'));
    fc.assert(
      fc.property(document, fc.integer({ min: 5, max: 200 }), bound, (text, bytes, lineBytes) => {
        const cut = cutLines(text, { bytes, lineBytes, rest: (count) => `+${count}` });
        expect(bytesOf(cut)).toBeLessThanOrEqual(bytes);
        expect(cut.isWellFormed()).toBe(true);
        if (bytesOf(text) <= bytes) {
          expect(cut).toBe(text.toWellFormed());
          return;
        }
        const written = text.toWellFormed().split('\n');
        const shown = cut.split('\n');
        const left = /^\+(\d+)$/.exec(shown.at(-1)!);
        if (left === null || shown.length === written.length) return;
        expect(shown.length - 1 + Number(left[1])).toBe(written.length);
        for (const line of shown.slice(0, -1)) expect(bytesOf(line)).toBeLessThanOrEqual(lineBytes);
      }),
      RUNS,
    );
  });
});

/** Apart from the mark at its end, what is left is what the text begins with. */
function expectBeginning(cut: string, text: string, fits: boolean): void {
  const formed = text.toWellFormed();
  expect(cut.isWellFormed()).toBe(true);
  if (fits) expect(cut).toBe(formed);
  else if (cut !== '') {
    expect(cut.at(-1)).toBe('…');
    expect(formed.startsWith(cut.slice(0, -1)) || text.startsWith(cut.slice(0, -1))).toBe(true);
  }
}
