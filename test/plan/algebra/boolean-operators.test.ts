import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SET_OPERATORS, combineSets, createSet, emptySet } from '../../../src/plan/algebra/index.ts';
import type { ResultLocation, ResultSet, SetOperator } from '../../../src/plan/algebra/index.ts';
import { recordList, RUNS } from './arbitraries.ts';
import { MEMBERSHIP } from './oracle.ts';

const OPERATORS = SET_OPERATORS.filter((operator) => operator !== 'COLOCATE');
const place = (start: number): ResultLocation => ({ sequence: 'chr1', start, stop: start + 9, strand: 1 });

describe('VEuPathDB WDK: which side a difference keeps', () => {
  const left = createSet([{ id: 'l' }, { id: 'both' }]);
  const right = createSet([{ id: 'r' }, { id: 'both' }]);
  test.each([
    ['UNION', ['both', 'l', 'r']],
    ['INTERSECT', ['both']],
    ['MINUS', ['l']],
    ['RMINUS', ['r']],
  ] as const)('%s', (operator, ids) => {
    expect(combine(operator, left, right).ids).toEqual(ids);
  });
});

describe('laws', () => {
  const sets = recordList.map((list) => createSet(list));

  test('every operator does what membership says, id by id', () => {
    fc.assert(
      fc.property(fc.constantFrom(...OPERATORS), sets, sets, (operator, a, b) => {
        const all = [...new Set([...a.ids, ...b.ids])].sort();
        const expected = all.filter((id) => MEMBERSHIP[operator](a.ids.includes(id), b.ids.includes(id)));
        expect(combine(operator, a, b).ids).toEqual(expected);
      }),
      RUNS,
    );
  });

  test('union and intersection commute and associate, and the differences mirror each other', () => {
    fc.assert(
      fc.property(sets, sets, sets, (a, b, c) => {
        for (const operator of ['UNION', 'INTERSECT'] as const) {
          expect(combine(operator, a, b)).toEqual(combine(operator, b, a));
          expect(combine(operator, combine(operator, a, b), c)).toEqual(combine(operator, a, combine(operator, b, c)));
        }
        expect(combine('MINUS', a, b)).toEqual(combine('RMINUS', b, a));
      }),
      RUNS,
    );
  });

  test('a set with itself and with the empty set', () => {
    fc.assert(
      fc.property(sets, (a) => {
        const none = emptySet();
        for (const operator of ['UNION', 'INTERSECT'] as const) expect(combine(operator, a, a)).toEqual(a);
        for (const operator of ['MINUS', 'RMINUS'] as const) expect(combine(operator, a, a)).toEqual(none);
        for (const result of [
          combine('UNION', a, none),
          combine('UNION', none, a),
          combine('MINUS', a, none),
          combine('RMINUS', none, a),
        ]) {
          expect(result).toEqual(a);
        }
        for (const result of [combine('INTERSECT', a, none), combine('MINUS', none, a), combine('RMINUS', a, none)]) {
          expect(result).toEqual(none);
        }
      }),
      RUNS,
    );
  });

  test('a difference takes away a union as an intersection of differences, and absorbs', () => {
    fc.assert(
      fc.property(sets, sets, sets, (a, b, c) => {
        const apart = combine('INTERSECT', combine('MINUS', a, b), combine('MINUS', a, c));
        expect(combine('MINUS', a, combine('UNION', b, c)).ids).toEqual(apart.ids);
        const either = combine('UNION', combine('MINUS', a, b), combine('MINUS', a, c));
        expect(combine('MINUS', a, combine('INTERSECT', b, c)).ids).toEqual(either.ids);
        expect(combine('UNION', a, combine('INTERSECT', a, b)).ids).toEqual(a.ids);
        expect(combine('UNION', combine('MINUS', a, b), combine('INTERSECT', a, b)).ids).toEqual(a.ids);
      }),
      RUNS,
    );
  });
});

describe('record types', () => {
  const typed = (recordType: string | null): ResultSet => createSet([{ id: 'x' }], recordType);

  test.each([
    ['gene', 'gene', 'gene'],
    [null, 'gene', 'gene'],
    ['gene', null, 'gene'],
    [null, null, null],
  ])('%s and %s give %s', (left, right, expected) => {
    for (const operator of OPERATORS) expect(combine(operator, typed(left), typed(right)).recordType).toBe(expected);
  });

  test('two different ones are refused by both names', () => {
    for (const operator of OPERATORS) {
      expect(combineSets(operator, typed('gene'), typed('exon'))).toEqual({
        ok: false,
        message: expect.stringMatching(new RegExp(`^${operator} needs .*"gene".*"exon"`)),
      });
    }
  });
});

describe('locations', () => {
  test('one id at two places is refused under every operator, with the id and both places', () => {
    const left = createSet([{ id: 'g1', location: place(5) }]);
    for (const other of [
      place(6),
      { ...place(5), strand: -1 as const },
      { ...place(5), stop: 20 },
      { ...place(5), sequence: 'chr2' },
    ]) {
      const right = createSet([
        { id: 'g0', location: { ...place(1), sequence: 'chr9' } },
        { id: 'g1', location: other },
      ]);
      for (const operator of OPERATORS) {
        const combined = combineSets(operator, left, right);
        expect(combined).toMatchObject({ ok: false });
        const there = `${other.sequence}:${other.start}-${other.stop}:${other.strand === 1 ? '+' : '-'}`;
        expect(combined.ok || combined.message).toContain(
          `"g1" is at chr1:5-14:+ in the left set and at ${there} in the right set`,
        );
      }
    }
  });
});

test('window parameters on a boolean operator are refused', () => {
  const parameters = { upstream: 1, downstream: 0, strand: 'both', operation: 'overlap', output: 'left' } as const;
  expect(combineSets('MINUS', emptySet(), emptySet(), parameters)).toMatchObject({
    ok: false,
    message: expect.stringContaining('COLOCATE'),
  });
});

test('an operator that is none is refused, also in plain JavaScript', () => {
  expect(combineSets('NO_OPERATOR' as SetOperator, emptySet(), emptySet())).toMatchObject({
    ok: false,
    message: expect.stringContaining('NO_OPERATOR'),
  });
});

function combine(operator: SetOperator, left: ResultSet, right: ResultSet): ResultSet {
  const combined = combineSets(operator, left, right);
  if (!combined.ok) throw new Error(combined.message);
  return combined.set;
}
