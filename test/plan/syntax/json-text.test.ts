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
  const value = fc.jsonValue({ maxDepth: 3 }).filter((one) => !/\d{16}/.test(JSON.stringify(one)));
  fc.assert(
    fc.property(value, fc.string({ minLength: 1 }), (inside, key) => {
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
  ['0.1234567890123456789', 0],
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
