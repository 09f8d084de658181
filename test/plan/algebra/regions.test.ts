import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COLOCATE_DEFAULTS, combineSets, createSet, MAX_REGION_OFFSET } from '../../../src/plan/algebra/index.ts';
import type {
  ColocateParameters,
  Region,
  RegionEnd,
  ResultRecord,
  ResultSet,
  StrandSign,
} from '../../../src/plan/algebra/index.ts';
import { locatedList, RUNS, spanLogic } from './arbitraries.ts';
import { colocateByPairs, spanLogicByPairs } from './oracle.ts';

test('VEuPathDB WDK: regions on both sides, every rule, operation and output, as the published queries go', () => {
  fc.assert(
    fc.property(locatedList, locatedList, spanLogic, (left, right, parameters) => {
      const result = colocate(createSet(left), createSet(right), parameters);
      expect(counted(result)).toEqual(spanLogicByPairs(left, right, parameters));
    }),
    { ...RUNS, numRuns: 1500 },
  );
});

test('a window is the region from so many bases before the start to so many after the stop, beside an exact right side', () => {
  const bases = fc.integer({ min: 0, max: 8 });
  fc.assert(
    fc.property(locatedList, locatedList, spanLogic, bases, bases, (left, right, rules, upstream, downstream) => {
      const window = { begin: end('start', 'upstream', upstream), end: end('stop', 'downstream', downstream) };
      const full = colocate(createSet(left), createSet(right), { ...rules, left: window, right: 'exact' });
      const { strand, operation, output } = rules;
      const simple = { upstream, downstream, strand, operation, output };
      expect(full).toEqual(colocate(createSet(left), createSet(right), simple));
      expect(counted(full)).toEqual(colocateByPairs(left, right, simple));
    }),
    RUNS,
  );
});

describe('VEuPathDB WDK: the preset regions, base by base', () => {
  // A record from 100 to 110 on each strand, and the first and last base of its region.
  test.each<[string, Region, StrandSign, number, number]>([
    ['exact', 'exact', 1, 100, 110],
    ['exact', 'exact', -1, 100, 110],
    ['3 upstream', { upstream: 3 }, 1, 97, 99],
    ['3 upstream', { upstream: 3 }, -1, 111, 113],
    ['3 upstream', { upstream: 3 }, 0, 97, 99],
    ['3 downstream', { downstream: 3 }, 1, 111, 113],
    ['3 downstream', { downstream: 3 }, -1, 97, 99],
    ['from 2 before the stop to 1 after it', around('stop', 2, 1), 1, 108, 111],
    ['from 2 before the stop to 1 after it', around('stop', 2, 1), -1, 99, 102],
    ['from 2 before the start to 1 after it', around('start', 2, 1), 1, 98, 101],
    ['from 2 before the start to 1 after it', around('start', 2, 1), -1, 109, 112],
  ])('%s: %j on strand %i', (_, region, strand, first, last) => {
    const hit = [first - 1, first, last, last + 1].map((base) => {
      const left = colocate(one(100, 110, strand), one(base, base), { left: region, right: 'exact' });
      const right = colocate(one(base, base), one(100, 110, strand), { left: 'exact', right: region });
      expect(right.ids.length).toBe(left.ids.length);
      return left.ids.length;
    });
    expect(hit).toEqual([0, 1, 1, 0]);
  });
});

test.each<[string, Region]>([
  ['no base upstream', { upstream: 0 }],
  ['no base downstream', { downstream: 0 }],
  ['begin past end', { begin: end('stop', 'downstream', 1), end: end('start', 'upstream', 1) }],
])('VEuPathDB WDK: a region whose begin is past its end meets nothing: %s', (_, region) => {
  for (const strand of [1, -1, 0] as const) {
    const everything = one(1, 2_147_483_646);
    expect(colocate(one(100, 110, strand), everything, { left: region, right: 'exact' }).ids).toEqual([]);
    expect(colocate(everything, one(100, 110, strand), { left: 'exact', right: region }).ids).toEqual([]);
  }
});

test('VEuPathDB WDK: regions are not cut at 1, so two of them may meet below it', () => {
  const parameters = { left: around('start', 9, -5), right: around('start', 7, -6) };
  expect(colocate(one(1, 5), one(1, 3), parameters).ids).toEqual(['r']);
  expect(colocate(one(1, 5), one(1, 3), { ...parameters, right: around('start', 20, -10) }).ids).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ['one region', { left: 'exact' }, /for the left side alone/],
  ['the other', { right: 'exact' }, /for the right side alone/],
  ['regions and a window', { left: 'exact', right: 'exact', upstream: 1 }, /a window beside them/],
  ['a word', { left: 'near', right: 'exact' }, /left region is "near"/],
  ['nothing', { left: 'exact', right: null }, /right region is null/],
  ['a negative flank', { left: { upstream: -1 }, right: 'exact' }, /left region has the upstream -1/],
  ['half a base', { left: { downstream: 0.5 }, right: 'exact' }, /downstream 0\.5/],
  ['too far', { left: { upstream: MAX_REGION_OFFSET + 1 }, right: 'exact' }, /from 0 to 1073741823/],
  ['no end', { left: { begin: end('stop', 'upstream', 1) }, right: 'exact' }, /has no end/],
  ['no anchor', { left: 'exact', right: { begin: { offset: 1 }, end: {} } }, /right region has the begin anchor/],
  ['no direction', { left: 'exact', right: { begin: { anchor: 'stop' }, end: {} } }, /begin direction/],
])('refusals: %s', (_, change, message) => {
  const parameters = { ...COLOCATE_DEFAULTS, ...change } as ColocateParameters;
  expect(combineSets('COLOCATE', one(1, 2), one(1, 2), parameters)).toEqual({
    ok: false,
    message: expect.stringMatching(message),
  });
});

function end(anchor: 'start' | 'stop', direction: 'upstream' | 'downstream', offset: number): RegionEnd {
  return { anchor, direction, offset };
}

/** From `before` bases before the anchor to `after` bases after it. */
function around(anchor: 'start' | 'stop', before: number, after: number): Region {
  return {
    begin: end(anchor, 'upstream', before),
    end: end(anchor, after < 0 ? 'upstream' : 'downstream', Math.abs(after)),
  };
}

function one(start: number, stop: number, strand: StrandSign = 1): ResultSet {
  const record: ResultRecord = { id: 'r', location: { sequence: 's', start, stop, strand } };
  return createSet([record]);
}

function counted({ ids, matches }: ResultSet): { id: string; matches: number }[] {
  return ids.map((id, row) => ({ id, matches: matches![row]! }));
}

function colocate(left: ResultSet, right: ResultSet, change: Partial<ColocateParameters>): ResultSet {
  const combined = combineSets('COLOCATE', left, right, { ...COLOCATE_DEFAULTS, ...change });
  if (!combined.ok) throw new Error(combined.message);
  return combined.set;
}
