import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createSet,
  createSetBuilder,
  locationId,
  MAX_POSITION,
  recordAt,
  records,
  setProblem,
} from '../../../src/plan/algebra/index.ts';
import type { ResultLocation, ResultRecord, ResultSet } from '../../../src/plan/algebra/index.ts';
import { recordList, RUNS } from './arbitraries.ts';

const PLACE: ResultLocation = { sequence: 'chr1', start: 3, stop: 9, strand: -1 };
test('ids are sorted by UTF-16 code units, each once', () => {
  const set = createSet([{ id: 'b' }, { id: '\uFFFF' }, { id: '\u{1F9EC}' }, { id: 'B' }, { id: 'b' }]);
  expect(set.ids).toEqual(['B', 'b', '\u{1F9EC}', '\uFFFF']);
});

test('the order in which records come does not matter, and every invariant holds', () => {
  fc.assert(
    fc.property(recordList, (list) => {
      const set = createSet(list);
      expect(setProblem(set)).toBeUndefined();
      expect(createSet(list.toReversed())).toEqual(set);
      expect(createSet(records(set))).toEqual(set);
    }),
    RUNS,
  );
});

test('a record is read back by its row', () => {
  const set = createSet([{ id: 'b', location: PLACE }, { id: 'a' }], 'gene');
  expect(recordAt(set, 0)).toEqual({ id: 'a' });
  expect(recordAt(set, 1)).toEqual({ id: 'b', location: PLACE });
  expect(() => recordAt(set, 2)).toThrow(RangeError);
});

test.each([
  [1, 'chr1:3-9:+'],
  [-1, 'chr1:3-9:-'],
  [0, 'chr1:3-9:.'],
] as const)('the location id with strand %s', (strand, id) => {
  expect(locationId({ ...PLACE, strand })).toBe(id);
});

describe('records that are refused', () => {
  test.each<[string, ResultRecord, RegExp]>([
    ['a blank id', { id: ' ' }, /no id/],
    ['an id of two lines', { id: 'a\nb' }, /line break/],
    ['a position 0', { id: 'a', location: { ...PLACE, start: 0 } }, /"a" is 0 to 9/],
    ['half a base', { id: 'a', location: { ...PLACE, stop: 9.5 } }, /9\.5/],
    ['a position past the largest', { id: 'a', location: { ...PLACE, stop: MAX_POSITION + 1 } }, /integers from 1 to/],
    ['a stop before the start', { id: 'a', location: { ...PLACE, start: 10 } }, /stops before/],
    ['no sequence', { id: 'a', location: { ...PLACE, sequence: '' } }, /no sequence name/],
    [
      'a place beside the id',
      { id: 'a', ...PLACE },
      /"a" has sequence, start, stop, strand beside its id\. .*fromResultJson/,
    ],
    ['a strand as a sign', { id: 'a', location: { ...PLACE, strand: '+' as unknown as 1 } }, /strand "\+"/],
  ])('%s', (_, record, message) => {
    expect(() => createSet([record])).toThrow(message);
  });

  test('one id at two places, with the earlier row', () => {
    const builder = createSetBuilder();
    builder.add({ id: 'z', location: PLACE });
    builder.add({ id: 'a' });
    expect(builder.add({ id: 'a', location: PLACE })).toEqual({ ok: true, row: 1, repeated: true });
    expect(builder.add({ id: 'a', location: { ...PLACE, strand: 1 } })).toEqual({
      ok: false,
      message: expect.stringContaining('"a" stands at two places, chr1:3-9:- and chr1:3-9:+'),
      conflict: { row: 1, place: PLACE },
    });
    expect(builder.build()).toEqual(
      createSet([
        { id: 'a', location: PLACE },
        { id: 'z', location: PLACE },
      ]),
    );
  });
});

describe('sets that did not come from createSet', () => {
  const good = createSet([{ id: 'a', location: PLACE }, { id: 'b' }]);
  const columns = good.locations!;
  test.each<[string, Partial<ResultSet>, RegExp]>([
    ['ids out of order', { ids: ['b', 'a'] }, /"a" after "b"/],
    ['an id twice', { ids: ['a', 'a'] }, /ids\[1\]/],
    ['an id that is a number', { ids: [1, 2] as unknown as string[] }, /ids\[0\]/],
    ['too short a column', { locations: { ...columns, start: Int32Array.of(3) } }, /start is no Int32Array of 2 rows/],
    [
      'a plain list as a column',
      { locations: { ...columns, stop: [9, 0] as unknown as Int32Array } },
      /stop is no Int32Array/,
    ],
    ['an unknown sequence', { locations: { ...columns, sequence: Int32Array.of(1, -1) } }, /sequence 1 of 1/],
    ['a sequence named twice', { locations: { ...columns, sequences: ['c', 'c'] } }, /one name twice/],
    ['a stop before the start', { locations: { ...columns, stop: Int32Array.of(2, 0) } }, /from 3 to 2/],
    ['a strand of 2', { locations: { ...columns, strand: Int8Array.of(2, 0) } }, /strand 2/],
    ['matches of another length', { matches: Uint32Array.of(1) }, /matches/],
    ['a record type that is a number', { recordType: 5 as unknown as string }, /recordType/],
  ])('%s', (_, change, message) => {
    expect(setProblem(good)).toBeUndefined();
    expect(setProblem({ ...good, ...change })).toMatch(message);
  });
});
