/** Maps and sets as JSON: whatever is made of them, of lists, objects and JSON values comes back as it was. */

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodePlain, encodePlain } from '../../../src/workflows/run/plain.ts';

const written = (value: unknown) => JSON.stringify(encodePlain(value));
const roundTrip = (value: unknown) => decodePlain(JSON.parse(written(value)));

/** Keys that mean something to an encoding, or to the language. */
const keys = fc.oneof(fc.constantFrom('$', 'of', '__proto__', 'constructor', 'map', '1'), fc.string());
const leaves = fc.oneof(
  fc.constantFrom(null, true, false, '', '$', 'map', 'plain', 0, -1, 1e300),
  fc.string(),
  fc.integer(),
  fc.jsonValue({ maxDepth: 2 }),
);
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaves,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 3 }).map(ownKeys),
    fc.array(fc.tuple(fc.oneof(keys, fc.integer()), tie('value')), { maxLength: 3 }).map((all) => new Map(all)),
    fc.array(fc.oneof(leaves, tie('value')), { maxLength: 3 }).map((all) => new Set(all)),
  ),
}));

/** An object that has each of these keys as its own, also one that is named `__proto__`. */
function ownKeys(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}

describe('what is written down', () => {
  test('comes back as it was', () => {
    fc.assert(
      fc.property(values, (value) => {
        const back = roundTrip(value);
        // The matchers of the test runner look at an own key `constructor` as if it were the type.
        expect(isDeepStrictEqual(back, normal(value))).toBe(true);
        expect(written(back)).toBe(written(value));
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  test.each<[string, unknown, unknown]>([
    ['a map', new Map([['a', 1]]), { $: 'map', of: [['a', 1]] }],
    ['a map by numbers', new Map([[7, new Set([1])]]), { $: 'map', of: [[7, { $: 'set', of: [1] }]] }],
    ['a set', new Set(['a', 'b']), { $: 'set', of: ['a', 'b'] }],
    ['an object', { a: [1, { b: null }] }, { a: [1, { b: null }] }],
    ['an object that looks like a map', { $: 'map', of: [] }, { $: 'plain', of: { $: 'map', of: [] } }],
    ['an object that looks marked', { $: 1, a: 2 }, { $: 'plain', of: { $: 1, a: 2 } }],
    [
      'an object that looks marked twice',
      { $: 'plain', of: { $: 'map', of: [] } },
      { $: 'plain', of: { $: 'plain', of: { $: 'plain', of: { $: 'map', of: [] } } } },
    ],
    ['what is nothing is left out', { a: undefined, b: 1 }, { b: 1 }],
  ])('%s', (_, value, encoded) => {
    expect(JSON.parse(written(value))).toEqual(encoded);
    expect(roundTrip(value)).toEqual(value);
  });

  test('keeps the order of entries, which is a part of what they mean', () => {
    const map = new Map([
      ['b', 1],
      ['a', 2],
    ]);
    expect([...(roundTrip(map) as typeof map)]).toEqual([...map]);
    expect([...(roundTrip(new Set([2, 1])) as Set<number>)]).toEqual([2, 1]);
  });

  test('gives no object another prototype', () => {
    const value = JSON.parse('{"__proto__":{"isAdmin":true},"$":{"__proto__":1}}') as object;
    const back = roundTrip(value) as Record<string, unknown>;
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect(Object.hasOwn(back, '__proto__')).toBe(true);
    expect(back['isAdmin']).toBeUndefined();
    expect(JSON.stringify(back)).toBe(JSON.stringify(value));
  });
});

/** As JSON has it: -0 is 0. */
function normal(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(normal);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, normal(one)]));
  if (value instanceof Set) return new Set([...value].map(normal));
  if (typeof value !== 'object' || value === null) return value;
  return ownKeys(Object.entries(value).map(([key, one]) => [key, normal(one)]));
}
