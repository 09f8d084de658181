import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COLOCATE_DEFAULTS, combineSets, createSet } from '../../src/plan/algebra/index.ts';
import type { ResultRecord, ResultSet } from '../../src/plan/algebra/index.ts';
import { readBed, readGff3 } from '../../src/store/index.ts';
import type { ReadSet } from '../../src/store/index.ts';
import { locatedList, RUNS, spanLogic } from '../plan/algebra/arbitraries.ts';
import { spanLogicByPairs } from '../plan/algebra/oracle.ts';

const SIGNS = { 1: '+', [-1]: '-', 0: '.' } as const;

/** A feature from `start` to `stop`, both counted from 1 and inside, as each format writes it. */
const FORMATS: { readonly [format: string]: (records: readonly ResultRecord[]) => ReadSet } = {
  BED: (list) =>
    readBed(
      list
        .map(({ id, location: l }) => `${l!.sequence}\t${l!.start - 1}\t${l!.stop}\t${id}\t0\t${SIGNS[l!.strand]}\n`)
        .join(''),
      { id: 'name' },
    ),
  GFF3: (list) =>
    readGff3(
      `##gff-version 3\n${list.map(({ id, location: l }) => `${l!.sequence}\t.\tgene\t${l!.start}\t${l!.stop}\t.\t${SIGNS[l!.strand]}\t.\tID=${id}\n`).join('')}`,
      { id: 'name' },
    ),
};
const names = Object.keys(FORMATS);

describe.each(names.flatMap((left) => names.map((right) => [left, right] as const)))(
  'VEuPathDB WDK: span logic with a left side from %s and a right side from %s',
  (leftFormat, rightFormat) => {
    test('gives the records and counts of the published queries', () => {
      fc.assert(
        fc.property(locatedList, locatedList, spanLogic, (left, right, parameters) => {
          const [a, b] = [setOf(FORMATS[leftFormat]!(left)), setOf(FORMATS[rightFormat]!(right))];
          expect([a, b]).toEqual([createSet(left), createSet(right)]);
          const combined = combineSets('COLOCATE', a, b, { ...COLOCATE_DEFAULTS, ...parameters });
          if (!combined.ok) throw new Error(combined.message);
          const { ids, matches } = combined.set;
          const counted = ids.map((id, row) => ({ id, matches: matches![row]! }));
          expect(counted).toEqual(spanLogicByPairs(left, right, parameters));
        }),
        RUNS,
      );
    });
  },
);

function setOf(read: ReadSet): ResultSet {
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.set;
}
