/** The operators once more, as nested loops over records that follow the wording of the rules. Shares no code with src. */

import type {
  BooleanOperator,
  ColocateParameters,
  Region,
  ResultLocation,
  ResultRecord,
} from '../../../src/plan/algebra/index.ts';

/** Whether an id is in the result, by whether it is in the left set and in the right one. */
export const MEMBERSHIP: Readonly<Record<BooleanOperator, (left: boolean, right: boolean) => boolean>> = {
  UNION: (left, right) => left || right,
  INTERSECT: (left, right) => left && right,
  MINUS: (left, right) => left && !right,
  RMINUS: (left, right) => right && !left,
};

export interface OracleMatch {
  readonly id: string;
  readonly matches: number;
}

/** Pairs are tried one by one; `contains`: the left window contains the right record, `within`: the reverse. */
export function colocateByPairs(
  left: readonly ResultRecord[],
  right: readonly ResultRecord[],
  { upstream, downstream, strand, operation, output }: ColocateParameters,
): OracleMatch[] {
  const counts = new Map<string, number>();
  for (const a of left) {
    for (const b of right) {
      if (a.location === undefined || b.location === undefined) throw new Error('the oracle takes located records');
      if (a.location.sequence !== b.location.sequence) continue;
      const stranded = a.location.strand !== 0 && b.location.strand !== 0;
      if (stranded && strand === 'same' && a.location.strand !== b.location.strand) continue;
      if (stranded && strand === 'opposite' && a.location.strand === b.location.strand) continue;
      const isReverse = a.location.strand === -1;
      const first = isReverse ? a.location.start - downstream : a.location.start - upstream;
      const last = isReverse ? a.location.stop + upstream : a.location.stop + downstream;
      const { start, stop } = b.location;
      const meets = {
        overlap: first <= stop && start <= last,
        contains: first <= start && stop <= last,
        within: start <= first && last <= stop,
      }[operation];
      if (!meets) continue;
      const { id } = output === 'left' ? a : b;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return [...counts].map(([id, matches]) => ({ id, matches })).sort((x, y) => (x.id < y.id ? -1 : 1));
}

export interface SpanLogic {
  readonly left: Region;
  readonly right: Region;
  readonly strand: ColocateParameters['strand'];
  readonly operation: ColocateParameters['operation'];
  readonly output: ColocateParameters['output'];
}

/**
 * VEuPathDB WDK: span logic, as its queries go. Both sides become tables of regions, those whose begin is past their
 * end are dropped, the tables are joined on the sequence, the strand rule and the operation, and grouped by feature.
 */
export function spanLogicByPairs(
  left: readonly ResultRecord[],
  right: readonly ResultRecord[],
  { left: regionA, right: regionB, strand, operation, output }: SpanLogic,
): OracleMatch[] {
  const a = left.flatMap((record) => regionRow(record, spanColumns(regionA)));
  const b = right.flatMap((record) => regionRow(record, spanColumns(regionB)));
  const counts = new Map<string, number>();
  for (const x of a) {
    for (const y of b) {
      if (x.sequence !== y.sequence) continue;
      const rule = { both: true, same: x.isReversed === y.isReversed, opposite: x.isReversed !== y.isReversed }[strand];
      if (x.isStranded && y.isStranded && !rule) continue;
      const meets = {
        overlap: x.begin <= y.end && x.end >= y.begin,
        contains: x.begin <= y.begin && x.end >= y.end,
        within: y.begin <= x.begin && y.end >= x.end,
      }[operation];
      const id = output === 'left' ? x.id : y.id;
      if (meets) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return [...counts].map(([id, matches]) => ({ id, matches })).sort((x, y) => (x.id < y.id ? -1 : 1));
}

/** span_begin_a, span_begin_direction_a and span_begin_offset_a, the offset with its sign; the same of the end. */
interface SpanColumns {
  readonly begin: 'start' | 'stop';
  readonly beginOffset: number;
  readonly end: 'start' | 'stop';
  readonly endOffset: number;
}

/** The columns that the site's own form fills in for a region. */
function spanColumns(region: Region): SpanColumns {
  if (region === 'exact') return { begin: 'start', beginOffset: 0, end: 'stop', endOffset: 0 };
  if ('upstream' in region) return { begin: 'start', beginOffset: -region.upstream, end: 'start', endOffset: -1 };
  if ('downstream' in region) return { begin: 'stop', beginOffset: 1, end: 'stop', endOffset: region.downstream };
  const { begin, end } = region;
  return {
    begin: begin.anchor,
    beginOffset: begin.direction === 'upstream' ? -begin.offset : begin.offset,
    end: end.anchor,
    endOffset: end.direction === 'upstream' ? -end.offset : end.offset,
  };
}

function regionRow({ id, location }: ResultRecord, columns: SpanColumns) {
  const { sequence, start, stop, strand } = location as ResultLocation;
  const isReversed = strand === -1;
  const { begin, beginOffset, end, endOffset } = columns;
  const from = isReversed
    ? (end === 'start' ? stop : start) - endOffset
    : (begin === 'start' ? start : stop) + beginOffset;
  const to = isReversed
    ? (begin === 'start' ? stop : start) - beginOffset
    : (end === 'start' ? start : stop) + endOffset;
  return from > to ? [] : [{ id, sequence, begin: from, end: to, isReversed, isStranded: strand !== 0 }];
}
