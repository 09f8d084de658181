import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanJson } from '../../src/plan/json-scan.ts';
import { positionOf } from '../../src/plan/issues/line-index.ts';
import { RUNS } from './arbitraries.ts';

test.each([
  ['', 0, true],
  ['  ', 2, true],
  ['{', 1, true],
  ['[1,', 3, true],
  ['{"a"', 4, true],
  ['{"a":"b', 7, true],
  ['"\\', 2, true],
  ['"\\u00', 5, true],
  ['tru', 3, true],
  ['-', 1, true],
  ['[1.', 3, true],
  ['[1e+', 4, true],
  ['[1,]', 3, false],
  ['{"a":1,}', 7, false],
  ['{a:1}', 1, false],
  ['{"a" 1}', 5, false],
  ['[1 2]', 3, false],
  ['[01]', 2, false],
  ['[1.x]', 2, false],
  ['[+1]', 1, false],
  ['[NaN]', 1, false],
  ['[tru]', 1, false],
  ['"\\x"', 2, false],
  ['"\\u00g0"', 5, false],
  ['"a\tb"', 2, false],
  ['[1]]', 3, false],
  ['{} {}', 3, false],
  ['[1}', 2, false],
  ['\u00a0[]', 0, false],
])('%j is faulty at %i, cut: %s', (text, offset, truncated) => {
  expect(scanJson(text).fault).toMatchObject({ offset, truncated });
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
});

test('RFC 8259: JSON: it accepts exactly what JSON.parse accepts', () => {
  const edit = fc.tuple(
    fc.nat(),
    fc.nat(2),
    fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', '0', '-', '.', 'e', ' ', 'u', '\n', 'null'),
  );
  fc.assert(
    fc.property(fc.json(), fc.array(edit, { maxLength: 3 }), (json, edits) => {
      let text = json;
      for (const [at, removed, inserted] of edits) {
        const start = at % (text.length + 1);
        text = text.slice(0, start) + inserted + text.slice(start + removed);
      }
      expect(scanJson(text).fault === undefined).toBe(parses(text));
    }),
    { ...RUNS, numRuns: 3_000 },
  );
});

test('every beginning of a document is cut, not wrong', () => {
  const text = JSON.stringify({ a: [1.5e-3, -2, true, false, null, 'x\\"\u20ac\n', { b: [] }] });
  for (let length = 0; length < text.length; length++) {
    expect(scanJson(text.slice(0, length)).fault).toMatchObject({ truncated: true, offset: length });
  }
});

test('all duplicate keys are found, each where it stands', () => {
  const { findings } = scanJson('{"a":1,"\\u0061":{"b":[{"c":1,"c":2,"c":3}],"b":0},"B":{"a":1}}');
  expect(findings.map(({ kind, offset, steps }) => [kind, offset, steps])).toEqual([
    ['duplicate-key', 7, ['a']],
    ['duplicate-key', 29, ['a', 'b', 0, 'c']],
    ['duplicate-key', 35, ['a', 'b', 0, 'c']],
    ['duplicate-key', 43, ['a', 'b']],
  ]);
});

test.each([
  ['9007199254740991', 0],
  ['9007199254740993', 1],
  ['-9007199254740993', 1],
  ['9007199254740992', 0],
  ['12345678901234567890', 1],
  ['100000000000000000000', 0],
  ['"12345678901234567890"', 0],
  ['0.1234567890123456789', 0],
])('%s is inexact: %i', (text, count) => {
  expect(scanJson(`[${text}]`).findings.filter(({ kind }) => kind === 'inexact-number')).toHaveLength(count);
});

test('positions count lines of every kind', () => {
  expect(positionOf('a\nb\r\nc\rd', 0)).toEqual({ line: 1, column: 1 });
  expect(positionOf('a\nb\r\nc\rd', 3)).toEqual({ line: 2, column: 2 });
  expect(positionOf('a\nb\r\nc\rd', 5)).toEqual({ line: 3, column: 1 });
  expect(positionOf('a\nb\r\nc\rd', 8)).toEqual({ line: 4, column: 2 });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
