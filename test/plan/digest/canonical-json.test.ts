import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../src/plan/index.ts';
import { RUNS } from '../arbitraries.ts';
import { reordered } from '../example-plans.ts';
import type { JsonValue } from '../../../src/plan/index.ts';

describe('RFC 8785: canonical JSON', () => {
  test.each<[string, JsonValue, string]>([
    ['no white space', { a: [1, { b: null }], c: true }, '{"a":[1,{"b":null}],"c":true}'],
    ['empty list and object', [[], {}], '[[],{}]'],
    [
      '3.2.3: keys in the order of UTF-16 code units',
      { '\uFB33': 1, '\u{1F600}': 2, '\u20AC': 3, '1': 4, '\r': 5, '\u0080': 6, '\u00F6': 7 },
      '{"\\r":5,"1":4,"\u0080":6,"\u00F6":7,"\u20AC":3,"\u{1F600}":2,"\uFB33":1}',
    ],
    ['keys like numbers are texts', { '10': 1, '9': 2, '': 3 }, '{"":3,"10":1,"9":2}'],
    ['3.2.2.2: short escapes', '\b\t\n\f\r"\\/', '"\\b\\t\\n\\f\\r\\"\\\\/"'],
    ['3.2.2.2: other control characters', '\u0000\u001f\u007f', '"\\u0000\\u001f\u007f"'],
    ['3.2.2.2: everything else as it is', '\u2028é€😀', '"\u2028é€😀"'],
    ['3.2.2.3: minus zero', -0, '0'],
    ['appendix B: smallest number', 5e-324, '5e-324'],
    ['appendix B: largest number', 1.7976931348623157e308, '1.7976931348623157e+308'],
    ['appendix B: exponents from 1e21', [1e20, 1e21, 1e-6, 1e-7], '[100000000000000000000,1e+21,0.000001,1e-7]'],
    ['appendix B: shortest form', [333333333.3333333, 4.5, 2e-3], '[333333333.3333333,4.5,0.002]'],
  ])('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test.each<[string, unknown]>([
    ['a lone surrogate', ['\ud800']],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['NaN', Number.NaN],
    ['infinity', [Infinity]],
    ['undefined', { a: undefined }],
    ['a function', [() => 1]],
    ['a Date', new Date(0)],
  ])('%s has no canonical form', (_, value) => {
    expect(() => canonicalJson(value as JsonValue)).toThrow(TypeError);
  });
});

test('what is parsed again is the same value, and the order of keys never counts', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = value as JsonValue;
      const text = canonicalJson(json);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(json)));
      expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
      expect(canonicalJson(reordered(json))).toBe(text);
    }),
    RUNS,
  );
});

test('2,000 levels have a canonical form, and more have none', () => {
  const nested = (levels: number) => '[{"a":'.repeat(levels) + '0' + '}]'.repeat(levels);
  const text = nested(1_000);
  expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
  expect(() => canonicalJson(JSON.parse(nested(1_001)) as JsonValue)).toThrow(TypeError);
});
