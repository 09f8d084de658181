/** Random records in a space small enough that they meet, repeat and touch often. */

import fc from 'fast-check';
import { MAX_REGION_OFFSET } from '../../../src/plan/algebra/index.ts';
import type { Region, ResultLocation, ResultRecord, StrandSign } from '../../../src/plan/algebra/index.ts';

export const RUNS = { seed: 20_261_121, numRuns: 1000 };

const IDS = ['a', 'b', 'c', 'd', 'é', '\u{1F9EC}', '\uFFFF', 'aa', 'B', '10', '9'];

/** One place for each id, so that any two sets of them agree. */
const PLACES = new Map<string, ResultLocation>(
  IDS.map((id, index) => [id, { sequence: `s${index % 3}`, start: index + 1, stop: index + 4, strand: 1 }]),
);

/** Records with ids from a small stock; each with or without its place. */
export const recordList: fc.Arbitrary<ResultRecord[]> = fc.array(
  fc
    .tuple(fc.constantFrom(...IDS), fc.boolean())
    .map(([id, isBare]) => (isBare ? { id } : { id, location: PLACES.get(id)! })),
  { maxLength: 20 },
);

const strandSign = fc.constantFrom<StrandSign>(1, -1, 0);

const shortLocation = fc
  .tuple(fc.constantFrom('s1', 's2', 's3'), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 6 }), strandSign)
  .map(([sequence, start, length, strand]) => ({ sequence, start, stop: start + length, strand }));

const giantLocation = fc
  .tuple(fc.constantFrom('s1', 's2'), fc.integer({ min: 1, max: 3 }), strandSign)
  .map(([sequence, start, strand]) => ({ sequence, start, stop: 2_147_483_646, strand }));

/** Located records with ids of their own; places repeat, and some reach over everything else. */
export const locatedList: fc.Arbitrary<ResultRecord[]> = fc
  .array(fc.oneof({ weight: 12, arbitrary: shortLocation }, { weight: 1, arbitrary: giantLocation }), { maxLength: 30 })
  .map((locations) => locations.map((location, index) => ({ id: `r${index}`, location })));

export const colocateParameters = fc.record({
  upstream: fc.oneof(fc.integer({ min: 0, max: 8 }), fc.constant(4_000_000_000)),
  downstream: fc.oneof(fc.integer({ min: 0, max: 8 }), fc.constant(Number.MAX_SAFE_INTEGER - 2 ** 32)),
  strand: fc.constantFrom('both' as const, 'same' as const, 'opposite' as const),
  operation: fc.constantFrom('overlap' as const, 'contains' as const, 'within' as const),
  output: fc.constantFrom('left' as const, 'right' as const),
});

const offset = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 8 }) }, fc.constant(MAX_REGION_OFFSET));
const regionEnd = fc.record({
  anchor: fc.constantFrom('start' as const, 'stop' as const),
  direction: fc.constantFrom('upstream' as const, 'downstream' as const),
  offset,
});

const region: fc.Arbitrary<Region> = fc.oneof(
  fc.constant('exact' as const),
  fc.record({ upstream: offset }),
  fc.record({ downstream: offset }),
  { weight: 3, arbitrary: fc.record({ begin: regionEnd, end: regionEnd }) },
);

/** COLOCATE in its full form. */
export const spanLogic = fc.record({
  left: region,
  right: region,
  strand: fc.constantFrom('both' as const, 'same' as const, 'opposite' as const),
  operation: fc.constantFrom('overlap' as const, 'contains' as const, 'within' as const),
  output: fc.constantFrom('left' as const, 'right' as const),
});
