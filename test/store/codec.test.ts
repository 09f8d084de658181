import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COLOCATE_DEFAULTS, combineSets, createSet, emptySet } from '../../src/plan/algebra/index.ts';
import type { ResultSet } from '../../src/plan/algebra/index.ts';
import type { JsonValue } from '../../src/plan/index.ts';
import {
  createFileStore,
  resultsIn,
  decodeResult,
  encodeResult,
  readResult,
  UnstorableError,
  writeResult,
} from '../../src/store/index.ts';
import type { Result } from '../../src/store/index.ts';
import { locatedList, recordList, RUNS } from '../plan/algebra/arbitraries.ts';
import { fileFolder } from '../support/folders.ts';

const recordTypes = fc.option(fc.string());
const sets: fc.Arbitrary<ResultSet> = fc.oneof(
  fc.tuple(recordList, recordTypes).map(([list, recordType]) => createSet(list, recordType)),
  fc.tuple(locatedList, locatedList).map(([a, b]) => colocated(createSet(a), createSet(b))),
);
const results: fc.Arbitrary<Result> = fc.oneof(
  sets.map((set): Result => ({ kind: 'set', set })),
  fc
    .jsonValue({ maxDepth: 5, noUnicodeString: false })
    .map((value): Result => ({ kind: 'value', value: value as JsonValue })),
  fc.string({ unit: 'binary' }).map((text): Result => ({ kind: 'text', text })),
);

describe('bytes and back', () => {
  test('every result comes back as it was', () => {
    fc.assert(
      fc.property(results, (result) => {
        expect(decoded(encoded(result))).toEqual(result);
      }),
      RUNS,
    );
  });

  test('the same records give the same bytes, in whatever order they came', () => {
    fc.assert(
      fc.property(locatedList, (list) => {
        const bytes = encoded({ kind: 'set', set: createSet(list) });
        expect(encoded({ kind: 'set', set: createSet(list.toReversed()) })).toEqual(bytes);
      }),
      RUNS,
    );
  });

  test('columns that number sequences otherwise give the same bytes', () => {
    const set = createSet([{ id: 'a', location: { sequence: 'x', start: 1, stop: 2, strand: 1 } }, { id: 'b' }]);
    const other: ResultSet = {
      ...set,
      locations: {
        ...set.locations!,
        sequences: ['unused', 'x'],
        sequence: Int32Array.of(1, -1),
        start: Int32Array.of(1, 77),
      },
    };
    expect(encoded({ kind: 'set', set: other })).toEqual(encoded({ kind: 'set', set }));
  });

  test('the stored form of a set is this', () => {
    const set = createSet(
      [{ id: 'b', location: { sequence: 'x', start: 1, stop: 2, strand: -1 } }, { id: 'a' }],
      'gene',
    );
    expect(Buffer.from(encoded({ kind: 'set', set })).toString()).toBe(
      '{"format":"planwright-result/1","kind":"set","recordType":"gene","ids":["a","b"],' +
        '"sequences":["x"],"sequence":[-1,0],"start":[0,1],"stop":[0,2],"strand":[0,-1]}\n',
    );
  });

  test('half a surrogate pair survives in an id and in a text', () => {
    const set = createSet([{ id: 'x\uD800' }]);
    expect(decoded(encoded({ kind: 'set', set }))).toEqual({ kind: 'set', set });
    expect(decoded(encoded({ kind: 'text', text: '\uDFFF' }))).toEqual({ kind: 'text', text: '\uDFFF' });
  });
});

test('members that are undefined are left out, and null in a list', () => {
  const value = { a: undefined, b: [1, undefined, { c: undefined }] } as unknown as JsonValue;
  const expected = { kind: 'value', value: { b: [1, null, {}] } } as const;
  expect(decoded(encoded({ kind: 'value', value }))).toEqual(expected);
  expect(encoded({ kind: 'value', value })).toEqual(encoded(expected));
});

describe('what is not stored', () => {
  test.each<[string, unknown, RegExp]>([
    ['undefined', undefined, /^.*\$ is undefined/],
    ['not a number', { a: Number.NaN }, /\$\["a"\] is NaN/],
    ['a function', [() => 1], /\$\[0\] is a function/],
    ['a big integer', 1n, /a bigint/],
    ['a date', new Date(0), /class Date/],
    ['a map', new Map(), /class Map/],
    ['an object that writes itself', { toJSON: () => 1 }, /class Object/],
    ['257 levels', nested(257), /deeper than 256 levels/],
    ['a million levels', nested(1_000_000), /deeper than 256 levels/],
    ['a circle', circle(), /deeper than 256 levels/],
  ])('%s', (_, value, message) => {
    expect(encodeResult({ kind: 'value', value: value as JsonValue })).toEqual({
      ok: false,
      message: expect.stringMatching(message),
    });
  });

  test('256 levels are', () => {
    const value = nested(256) as JsonValue;
    expect(decoded(encoded({ kind: 'value', value }))).toEqual({ kind: 'value', value });
  });

  test('a set whose ids are not sorted', () => {
    const set: ResultSet = { recordType: null, ids: ['b', 'a'], locations: null };
    expect(encodeResult({ kind: 'set', set })).toEqual({ ok: false, message: expect.stringContaining('createSet') });
  });
});

describe('foreign bytes', () => {
  const head = '"format":"planwright-result/1"';
  const columns = '"sequences":["x"],"sequence":[0],"start":[1],"stop":[2],"strand":[1]';
  test.each([
    ['no JSON', 'hello'],
    ['another JSON', '{"goal":"x"}'],
    ['a list', '[]'],
    ['an unknown kind', `{${head},"kind":"table"}`],
    ['a value that is missing', `{${head},"kind":"value"}`],
    ['a value too deep', `{${head},"kind":"value","value":${'['.repeat(300)}${']'.repeat(300)}}`],
    ['a text that is none', `{${head},"kind":"text","text":5}`],
    ['a set without ids', `{${head},"kind":"set","recordType":null}`],
    ['a set out of order', `{${head},"kind":"set","recordType":null,"ids":["b","a"]}`],
    ['a set of numbers', `{${head},"kind":"set","recordType":null,"ids":[1]}`],
    ['a column too short', `{${head},"kind":"set","recordType":null,"ids":["a","b"],${columns}}`],
    [
      'a column that is missing',
      `{${head},"kind":"set","recordType":null,"ids":["a"],"sequences":["x"],"sequence":[0]}`,
    ],
    ['half a position', `{${head},"kind":"set","recordType":null,"ids":["a"],${columns.replace('[1]', '[1.5]')}}`],
    [
      'a strand of 257',
      `{${head},"kind":"set","recordType":null,"ids":["a"],${columns.replace('"strand":[1]', '"strand":[257]')}}`,
    ],
    ['a negative match count', `{${head},"kind":"set","recordType":null,"ids":["a"],"matches":[-1]}`],
    [
      'a strand that is no list',
      `{${head},"kind":"set","recordType":null,"ids":["a"],${columns.replace('"strand":[1]', '"strand":1')}}`,
    ],
    ['a strand without sequences', `{${head},"kind":"set","recordType":null,"ids":["b","a"],"strand":5}`],
    [
      'sequences that are no list',
      `{${head},"kind":"set","recordType":null,"ids":["a"],${columns.replace('["x"]', '5')}}`,
    ],
  ])('%s', (_, text) => {
    expect(decodeResult(Buffer.from(text))).toEqual({ ok: false, message: expect.any(String) });
  });

  test('bytes that are not UTF-8', () => {
    expect(decodeResult(Buffer.from([0xff, 0xfe, 0x00]))).toMatchObject({ ok: false });
  });

  test('one byte of a good set dropped or changed is never taken for another set without a word, or throws', () => {
    const bytes = encoded({
      kind: 'set',
      set: createSet([{ id: 'a', location: { sequence: 'x', start: 1, stop: 2, strand: 1 } }]),
    });
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const changed = Uint8Array.from(bytes);
        changed[at] = byte;
        const result = decodeResult(changed);
        if (result.ok) expect(decoded(encoded(result.result))).toEqual(result.result);
      }),
      RUNS,
    );
  });
});

describe('in a store', () => {
  const dir = fileFolder('codec');

  test.each<[Result, number]>([
    [{ kind: 'set', set: createSet([{ id: 'a' }, { id: 'b' }]) }, 2],
    [{ kind: 'set', set: emptySet('gene') }, 0],
    [{ kind: 'value', value: { a: [1, 2, 3] } }, 1],
    [{ kind: 'text', text: 'four' }, 4],
  ])('%j has a handle and comes back', async (result, count) => {
    const store = resultsIn(createFileStore(dir), 'runs/o/c');
    const handle = await writeResult(store, result);
    expect(handle).toEqual({
      ref: expect.stringMatching(/^[\w-]{43}$/),
      kind: result.kind,
      count,
      bytes: encoded(result).length,
    });
    expect(await readResult(store, handle.ref)).toEqual(result);
  });

  test('a value that JSON cannot hold is a mistake of the program', async () => {
    const value = { a: () => 1 } as unknown as JsonValue;
    await expect(writeResult(resultsIn(createFileStore(dir), 'runs/o/c'), { kind: 'value', value })).rejects.toThrow(
      UnstorableError,
    );
  });

  test('what is stored and no result is corrupt, and the store is named', async () => {
    const store = resultsIn(createFileStore(dir), 'runs/o/c');
    const ref = await store.put(Buffer.from('{"version":1,"goal":"a plan"}'));
    await expect(readResult(store, ref)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(store.place),
    });
  });
});

function encoded(result: Result): Uint8Array {
  const done = encodeResult(result);
  if (!done.ok) throw new Error(done.message);
  return done.bytes;
}

function decoded(bytes: Uint8Array): Result {
  const done = decodeResult(bytes);
  if (!done.ok) throw new Error(done.message);
  return done.result;
}

function colocated(left: ResultSet, right: ResultSet): ResultSet {
  const combined = combineSets('COLOCATE', left, right, COLOCATE_DEFAULTS);
  if (!combined.ok) throw new Error(combined.message);
  return combined.set;
}

function nested(levels: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

function circle(): unknown {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}
