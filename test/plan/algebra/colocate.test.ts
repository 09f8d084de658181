import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  COLOCATE_DEFAULTS,
  combineSets,
  createSet,
  emptySet,
  recordAt,
  records,
} from '../../../src/plan/algebra/index.ts';
import type { ColocateParameters, ResultRecord, ResultSet, StrandSign } from '../../../src/plan/algebra/index.ts';
import { colocateParameters, locatedList, RUNS } from './arbitraries.ts';
import { colocateByPairs } from './oracle.ts';

describe('against pairs tried one by one', () => {
  test('membership and match counts agree for every rule, operation and output', () => {
    fc.assert(
      fc.property(locatedList, locatedList, colocateParameters, (left, right, parameters) => {
        const result = colocate(createSet(left), createSet(right), parameters);
        const found = result.ids.map((id, row) => ({ id, matches: result.matches![row] }));
        expect(found).toEqual(colocateByPairs(left, right, parameters));
      }),
      { ...RUNS, numRuns: 1000 },
    );
  });

  test('the records that come back are those of the output side, places included', () => {
    fc.assert(
      fc.property(locatedList, locatedList, colocateParameters, (left, right, parameters) => {
        const output = new Map((parameters.output === 'left' ? left : right).map((record) => [record.id, record]));
        const result = colocate(createSet(left), createSet(right), parameters);
        expect([...records(result)]).toEqual(result.ids.map((id) => output.get(id)));
      }),
      RUNS,
    );
  });

  test('inverted, it keeps exactly the others, without matches', () => {
    fc.assert(
      fc.property(locatedList, locatedList, colocateParameters, (left, right, parameters) => {
        const met = new Set(colocateByPairs(left, right, parameters).map(({ id }) => id));
        const others = (parameters.output === 'left' ? left : right).filter(({ id }) => !met.has(id));
        const result = colocate(createSet(left), createSet(right), { ...parameters, invert: true });
        expect(result).toEqual(createSet(others));
      }),
      RUNS,
    );
  });

  test('the sum of matches is the number of pairs, whichever side comes back', () => {
    fc.assert(
      fc.property(locatedList, locatedList, colocateParameters, (left, right, parameters) => {
        const pairs = (output: 'left' | 'right'): number => {
          const { matches = new Uint32Array() } = colocate(createSet(left), createSet(right), {
            ...parameters,
            output,
          });
          return matches.reduce((sum, count) => sum + count, 0);
        };
        expect(pairs('left')).toBe(pairs('right'));
      }),
      RUNS,
    );
  });
});

describe('VEuPathDB WDK: both window ends, base by base', () => {
  const UP_3_DOWN_2 = { upstream: 3, downstream: 2 };
  test.each<[string, StrandSign, number, boolean]>([
    ['forward, the base before the window', 1, 96, false],
    ['forward, the first base of the window', 1, 97, true],
    ['forward, the last base of the window', 1, 112, true],
    ['forward, the base after the window', 1, 113, false],
    ['reverse, the base before the window', -1, 97, false],
    ['reverse, the first base of the window', -1, 98, true],
    ['reverse, the last base of the window', -1, 113, true],
    ['reverse, the base after the window', -1, 114, false],
    ['no strand counts as forward: first base', 0, 97, true],
    ['no strand counts as forward: base after', 0, 113, false],
  ])('%s', (_, strand, base, expected) => {
    for (const output of ['left', 'right'] as const) {
      const result = colocate(one('l', 100, 110, strand), one('r', base, base), { ...UP_3_DOWN_2, output });
      expect(result.ids.length === 1).toBe(expected);
    }
  });

  test.each<[string, number, number, boolean, boolean]>([
    ['the same interval', 100, 110, true, true],
    ['one base shorter on the left', 101, 110, true, false],
    ['one base longer on the right', 100, 111, false, true],
    ['shifted by one', 101, 111, false, false],
  ])('contains and within: %s', (_, start, stop, contains, within) => {
    const left = one('l', 100, 110);
    const right = one('r', start, stop);
    expect(colocate(left, right, { operation: 'contains' }).ids.length === 1).toBe(contains);
    expect(colocate(left, right, { operation: 'within' }).ids.length === 1).toBe(within);
  });
});

describe('windows that reach past the ends', () => {
  test('below 1 they still overlap and contain', () => {
    const right = one('r', 1, 1);
    for (const operation of ['overlap', 'contains'] as const) {
      expect(colocate(one('l', 5, 9), right, { upstream: 10, operation }).ids).toEqual(['l']);
    }
  });

  test('below 1 no record holds them, because they are not clipped', () => {
    const left = one('l', 5, 9);
    const right = one('r', 1, 20);
    expect(colocate(left, right, { upstream: 4, operation: 'within' }).ids).toEqual(['l']);
    expect(colocate(left, right, { upstream: 5, operation: 'within' }).ids).toEqual([]);
    expect(colocate(left, right, { upstream: 5, operation: 'within', output: 'right' }).ids).toEqual([]);
  });

  test('past the largest position no record holds them', () => {
    const left = one('l', 5, 2_147_483_646);
    expect(colocate(left, left, { operation: 'within' }).ids).toEqual(['l']);
    expect(colocate(left, left, { operation: 'within', downstream: 1 }).ids).toEqual([]);
  });
});

describe('VEuPathDB WDK: strand rules', () => {
  const left: readonly StrandSign[] = [1, -1, 0];
  test.each([
    ['both', [1, -1, 0], [1, -1, 0], [1, -1, 0]],
    ['same', [1, 0], [-1, 0], [1, -1, 0]],
    ['opposite', [-1, 0], [1, 0], [1, -1, 0]],
  ] as const)('%s', (strand, ...seen) => {
    left.forEach((sign, index) => {
      for (const other of [1, -1, 0] as const) {
        const result = colocate(one('l', 10, 20, sign), one('r', 15, 15, other), { strand });
        expect(result.ids.length === 1, `${sign} and ${other}`).toBe(
          (seen[index] as readonly StrandSign[]).includes(other),
        );
      }
    });
  });
});

test('records on different sequences never meet, not even at the seam', () => {
  const left = createSet([at('l', 'a', 1, 5), at('l2', 'b', 2_147_483_646, 2_147_483_646)]);
  const right = createSet([at('r', 'b', 1, 5), at('r2', 'c', 1, 1)]);
  expect(colocate(left, right, { upstream: 2_147_483_646, downstream: 2_147_483_646 }).ids).toEqual(['l2']);
});

test('a record that meets many comes back once, with their number', () => {
  const right = createSet([at('r1', 'a', 1, 5), at('r2', 'a', 1, 5), at('r3', 'a', 5, 5), at('r4', 'a', 7, 9)]);
  const result = colocate(createSet([at('l', 'a', 5, 6)]), right, {});
  expect(recordAt(result, 0)).toEqual(at('l', 'a', 5, 6));
  expect(result.matches).toEqual(Uint32Array.of(3));
});

test('two record types meet, and the output side gives the type', () => {
  const gene = createSet([at('g', 'a', 1, 9)], 'gene');
  const snp = createSet([at('s', 'a', 4, 4)], 'variant');
  expect(colocate(gene, snp, {}).recordType).toBe('gene');
  expect(colocate(gene, snp, { output: 'right' })).toMatchObject({ recordType: 'variant', ids: ['s'] });
});

describe('refusals', () => {
  const located = one('l', 1, 2);
  test.each<[string, ResultSet, ResultSet, RegExp]>([
    ['a left set without locations', createSet([{ id: 'x' }, { id: 'a' }]), located, /"a" of the left set has none/],
    [
      'a right record without location',
      located,
      createSet([at('a', 's', 1, 2), { id: 'b' }]),
      /"b" of the right set has none/,
    ],
  ])('%s', (_, left, right, message) => {
    expect(combineSets('COLOCATE', left, right)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('a window of %s bases', (bases) => {
    for (const field of ['upstream', 'downstream'] as const) {
      expect(combineSets('COLOCATE', located, located, { ...COLOCATE_DEFAULTS, [field]: bases })).toEqual({
        ok: false,
        message: expect.stringContaining(field),
      });
    }
  });

  test('words that are none, as plain JavaScript may pass them', () => {
    for (const field of ['strand', 'operation', 'output'] as const) {
      const parameters = { ...COLOCATE_DEFAULTS, [field]: 'sideways' } as ColocateParameters;
      expect(combineSets('COLOCATE', located, located, parameters)).toEqual({
        ok: false,
        message: expect.stringContaining(field),
      });
    }
  });

  test('empty sets need no locations', () => {
    expect(colocate(emptySet('gene'), located, {})).toEqual(emptySet('gene'));
    expect(colocate(located, emptySet(), {})).toEqual(emptySet());
  });
});

function at(id: string, sequence: string, start: number, stop: number, strand: StrandSign = 1): ResultRecord {
  return { id, location: { sequence, start, stop, strand } };
}

function one(id: string, start: number, stop: number, strand: StrandSign = 1): ResultSet {
  return createSet([at(id, 's', start, stop, strand)]);
}

function colocate(left: ResultSet, right: ResultSet, parameters: Partial<ColocateParameters>): ResultSet {
  const combined = combineSets('COLOCATE', left, right, { ...COLOCATE_DEFAULTS, ...parameters });
  if (!combined.ok) throw new Error(combined.message);
  return combined.set;
}
