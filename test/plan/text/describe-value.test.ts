import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeValue, listNames, quote, visible } from '../../../src/plan/text/index.ts';
import { RUNS, anyText } from './arbitraries.ts';

test.each<[unknown, string]>([
  [undefined, 'nothing'],
  [null, 'null'],
  ['ten', '"ten"'],
  ['', '""'],
  [10, 'number 10'],
  [Number.NaN, 'number NaN'],
  [true, 'boolean true'],
  [[], 'a list of 0'],
  [[1, [2]], 'a list of 2'],
  [{ a: 1 }, 'an object'],
  [Object.create(null), 'an object'],
  [() => 1, 'a function'],
  [1n, 'a bigint'],
  [Symbol('x'), 'a symbol'],
])('%o is described as %j', (value, words) => expect(describeValue(value)).toBe(words));

test.each([
  ['a "b"\n', '"a \\"b\\"\\n"'],
  ['\u001b\u202e\u009b', '"\\u001b\\u202e\\u009b"'],
  ['\ud800', '"\ufffd"'],
  ['x'.repeat(61), `"${'x'.repeat(61)}"`],
  ['x'.repeat(62), `"${'x'.repeat(60)}…"`],
])('%j in quotes', (text, quoted) => expect(quote(text)).toBe(quoted));

test('a text in quotes is JSON on one visible line, of any text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const quoted = quote(text);
      expect(quoted.isWellFormed()).toBe(true);
      expect(visible(quoted)).toBe(quoted);
      expect(typeof JSON.parse(quoted)).toBe('string');
    }),
    RUNS,
  );
});

test.each([
  [[], ''],
  [['a'], '"a"'],
  [['a', 'b', 'a'], '"a" or "b"'],
  [['a', 'b', 'c'], '"a", "b" or "c"'],
  [
    Array.from({ length: 22 }, (_, at) => String(at)),
    `${Array.from({ length: 20 }, (_, at) => `"${at}"`).join(', ')} and 2 more`,
  ],
])('the names %j', (names, words) => expect(listNames(names)).toBe(words));
