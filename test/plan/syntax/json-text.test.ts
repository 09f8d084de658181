import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactJson, parseJson } from '../../../src/plan/syntax/json-text.ts';
import { pathOf, positionsIn } from '../../../src/plan/issues/index.ts';
import { RUNS } from '../arbitraries.ts';

const flawsOf = (text: string) =>
  parseJson(text, 100)?.flaws.map(({ code, place, offset }) => [code, pathOf(place), offset]);

test('all duplicate keys are found, each where it stands', () => {
  expect(flawsOf('{"a":1,"\\u0061":{"b":[{"c":1,"c":2,"c":3}],"b":0},"B":{"a":1}}')).toEqual([
    ['duplicate-key', '$.a', 7],
    ['duplicate-key', '$.a.b[0].c', 29],
    ['duplicate-key', '$.a.b[0].c', 35],
    ['duplicate-key', '$.a.b', 43],
  ]);
});

test('a text with a key twice is none that is exact, whatever its texts hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.string({ minLength: 1 }), (inside, key) => {
      expect(exactJson(JSON.stringify({ [key]: inside }))).toEqual(JSON.parse(JSON.stringify({ [key]: inside })));
      const name = JSON.stringify(key);
      expect(exactJson(`{"o":{${name}:${JSON.stringify(inside)},${name}:1}}`)).toBeUndefined();
    }),
    { ...RUNS, numRuns: 1_000 },
  );
});

test.each([
  ['9007199254740991', 0],
  ['9007199254740993', 1],
  ['-9007199254740993', 1],
  ['9007199254740992', 0],
  ['12345678901234567890', 1],
  ['100000000000000000000', 0],
  ['9007199254740993.5', 1],
  ['"12345678901234567890"', 0],
  ['0.1234567890123456789', 1],
  ['1.00000000000000000001', 1],
  ['1234567890.1234567', 0],
  ['1234567890.12345678', 1],
  ['0.30000000000000004', 0],
  [`1.${'0'.repeat(30)}`, 0],
  ['9007199254740993e0', 1],
  ['90071992547409.93E+2', 1],
  ['9007199254740992000e-3', 0],
  ['1e-400', 1],
  ['0e-400', 0],
  ['1e400', 1],
  ['5e-324', 0],
  ['-1.7976931348623157e308', 0],
  [`1${'0'.repeat(400)}`, 1],
])('%s is inexact: %i', (text, count) => {
  expect(flawsOf(`[${text}]`)).toHaveLength(count);
});

test('positions count lines of every kind', () => {
  const positionOf = positionsIn('a\nb\r\nc\rd');
  expect([0, 2, 5, 7].map(positionOf)).toEqual([
    { line: 1, column: 1 },
    { line: 2, column: 1 },
    { line: 3, column: 1 },
    { line: 4, column: 1 },
  ]);
});
