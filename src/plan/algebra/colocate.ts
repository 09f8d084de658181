import type { CombinedSet } from './boolean-operators.ts';
import { briefJson, quote } from '../text/index.ts';
import { countPairs, orderEnds } from './count-pairs.ts';
import type { Intervals, PairRelation } from './count-pairs.ts';
import { createNumbering, takeLocations, emptySet } from './locations.ts';
import type { Numbering } from './locations.ts';
import { placeWindows, regionProblem, windowAround, windowOf } from './regions.ts';
import type { Region, Window } from './regions.ts';
import type { Locations, ResultSet, StrandSign } from './result-set.ts';

/** The strand rule of COLOCATE: records match on `both` strands, only on the `same`, or only on `opposite` strands. */
export type Strand = 'both' | 'same' | 'opposite';

/** The relation that COLOCATE tests: the left side overlaps the right side, `contains` it, or lies `within` it. */
export type SpanOperation = 'overlap' | 'contains' | 'within';

export type Side = 'left' | 'right';

/**
 * The parameters of COLOCATE, in one of two forms. With a window, each left record reaches from `upstream` bases before
 * it to `downstream` bases after it, along its own strand; the right record stays as it is. With regions, `left` and
 * `right` say what counts on each side, and `upstream` and `downstream` are 0. All are integers >= 0. `contains`: the
 * left region contains the right one; `within`: the reverse.
 */
export interface ColocateParameters {
  readonly upstream: number;
  readonly downstream: number;
  readonly left?: Region;
  readonly right?: Region;
  readonly strand: Strand;
  readonly operation: SpanOperation;
  readonly output: Side;
  /** If true, COLOCATE returns the records of the output side that match no record of the other side. */
  readonly invert?: boolean;
}

/** The default parameters of COLOCATE: no window, both strands, overlap, records of the left side. */
export const COLOCATE_DEFAULTS: Omit<ColocateParameters, 'left' | 'right' | 'invert'> = {
  downstream: 0,
  operation: 'overlap',
  output: 'left',
  strand: 'both',
  upstream: 0,
};

/**
 * Returns the records of the output side that match at least one record of the other side, with the number of matches
 * in `matches`. With `invert`, it returns those without a match. A feature of several lines counts from its first base to its
 * last. Positions are 1-based, both ends inclusive. The strand rule is ignored if either record has no strand. A region
 * that begins after its end matches nothing. Every record needs a location.
 * @example colocate(genes, peaks, { ...COLOCATE_DEFAULTS, upstream: 1000 }); // { ok: true, set: { ids, matches, ... } }
 */
export function colocate(left: ResultSet, right: ResultSet, parameters: ColocateParameters): CombinedSet {
  const message = parameterProblem(parameters) ?? unlocatedRecord('left', left) ?? unlocatedRecord('right', right);
  if (message !== undefined) return { ok: false, message };
  const output = parameters.output === 'left' ? left : right;
  if (left.locations === null || right.locations === null) {
    return { ok: true, set: chosen(output, new Uint32Array(output.ids.length), parameters) };
  }
  const numbering = createNumbering();
  const [leftWindow, rightWindow] = windowsOf(parameters);
  const onLeft = placed(left.locations, leftWindow, numbering);
  const onRight = placed(right.locations, rightWindow, numbering);
  const counts =
    parameters.output === 'left'
      ? countByStrand(onLeft, onRight, parameters.operation, parameters.strand)
      : countByStrand(onRight, onLeft, MIRRORED[parameters.operation], parameters.strand);
  return { ok: true, set: chosen(output, counts, parameters) };
}

const MIRRORED: { readonly [operation in PairRelation]: PairRelation } = {
  overlap: 'overlap',
  contains: 'within',
  within: 'contains',
};

interface Stranded extends Intervals {
  readonly strand: Int8Array;
}

function windowsOf({ upstream, downstream, left, right }: ColocateParameters): readonly [Window, Window] {
  if (left === undefined || right === undefined) return [windowAround(upstream, downstream), windowOf('exact')];
  return [windowOf(left), windowOf(right)];
}

function placed(locations: Locations, window: Window, numbering: Numbering): Stranded {
  const numbers = Uint32Array.from(locations.sequences, (name) => numbering.number(name));
  return { ...placeWindows(locations, window), sequence: pick(numbers, locations.sequence) };
}

const ALL: readonly StrandSign[] = [1, -1, 0];

/** The pairs of strands that each strand rule compares. A record without a strand matches every strand. */
const SIGHT: { readonly [rule in Strand]: readonly Sight[] } = {
  both: [{ targets: ALL, probes: ALL }],
  same: [
    { targets: [1], probes: [1, 0] },
    { targets: [-1], probes: [-1, 0] },
    { targets: [0], probes: ALL },
  ],
  opposite: [
    { targets: [1], probes: [-1, 0] },
    { targets: [-1], probes: [1, 0] },
    { targets: [0], probes: ALL },
  ],
};

interface Sight {
  readonly targets: readonly StrandSign[];
  readonly probes: readonly StrandSign[];
}

function countByStrand(probes: Stranded, targets: Stranded, relation: PairRelation, rule: Strand): Uint32Array {
  const counts = new Uint32Array(probes.start.length);
  for (const sight of SIGHT[rule]) {
    const targetRows = rowsOn(targets, sight.targets);
    const probeRows = rowsOn(probes, sight.probes);
    if (targetRows.length === 0 || probeRows.length === 0) continue;
    const met = countPairs(orderEnds(pickRows(probes, probeRows)), orderEnds(pickRows(targets, targetRows)), relation);
    for (let at = 0; at < met.length; at += 1) counts[probeRows[at]!]! += met[at]!;
  }
  return counts;
}

function rowsOn({ strand }: Stranded, strands: readonly StrandSign[]): Int32Array {
  const rows = new Int32Array(strand.length);
  const [forward, reverse, none] = ALL.map((sign) => strands.includes(sign));
  let count = 0;
  for (let row = 0; row < strand.length; row += 1) {
    const sign = strand[row]!;
    if (sign === 1 ? forward : sign === -1 ? reverse : sign === 0 && none) rows[count++] = row;
  }
  return rows.subarray(0, count);
}

function pickRows(from: Intervals, rows: Int32Array): Intervals {
  if (rows.length === from.start.length) return from;
  return { sequence: pick(from.sequence, rows), start: pick(from.start, rows), stop: pick(from.stop, rows) };
}

function pick(column: Uint32Array, rows: Int32Array): Uint32Array {
  const selected = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) selected[at] = column[rows[at]!]!;
  return selected;
}

function chosen(set: ResultSet, counts: Uint32Array, { invert = false }: ColocateParameters): ResultSet {
  const rows = new Int32Array(counts.length);
  const matches = new Uint32Array(counts.length);
  const ids: string[] = [];
  for (let row = 0; row < counts.length; row += 1) {
    if ((counts[row] === 0) !== invert) continue;
    rows[ids.length] = row;
    matches[ids.length] = counts[row]!;
    ids.push(set.ids[row]!);
  }
  if (ids.length === 0) return emptySet(set.recordType);
  return {
    recordType: set.recordType,
    ids,
    locations: takeLocations(rows.subarray(0, ids.length), set.locations, null),
    ...(!invert && { matches: matches.slice(0, ids.length) }),
  };
}

export const COLOCATE_WORDS = {
  strand: ['both', 'same', 'opposite'],
  operation: ['overlap', 'contains', 'within'],
  output: ['left', 'right'],
} as const satisfies { readonly [Field in keyof ColocateParameters]?: readonly ColocateParameters[Field][] };

function parameterProblem(parameters: ColocateParameters): string | undefined {
  for (const field of ['upstream', 'downstream'] as const) {
    const value = parameters[field];
    if (!Number.isSafeInteger(value) || value < 0) {
      return `COLOCATE: ${field} is ${briefJson(value)}; expected a number of bases, an integer >= 0.`;
    }
  }
  for (const field of ['strand', 'operation', 'output'] as const) {
    const words: readonly string[] = COLOCATE_WORDS[field];
    if (!words.includes(parameters[field]))
      return `COLOCATE: ${field} is ${briefJson(parameters[field])}; expected ${words.join(', ')}.`;
  }
  if (parameters.invert !== undefined && typeof parameters.invert !== 'boolean') {
    return `COLOCATE: invert is ${briefJson(parameters.invert)}; expected true or false.`;
  }
  return regionsProblem(parameters);
}

function regionsProblem({ upstream, downstream, left, right }: ColocateParameters): string | undefined {
  if (left === undefined && right === undefined) return undefined;
  if (left === undefined || right === undefined) {
    return `COLOCATE: there is a region for the ${left === undefined ? 'right' : 'left'} side alone; give one for each side ("exact" is the record itself).`;
  }
  if (upstream !== 0 || downstream !== 0) {
    return 'COLOCATE: there are regions for both sides and a window beside them; leave upstream and downstream out.';
  }
  for (const [side, region] of Object.entries({ left, right })) {
    const problem = regionProblem(region);
    if (problem !== undefined) return `COLOCATE: the ${side} region ${problem}.`;
  }
  return undefined;
}

function unlocatedRecord(side: 'left' | 'right', set: ResultSet): string | undefined {
  const row = set.locations === null ? 0 : set.locations.sequence.indexOf(-1);
  const id = set.ids[row];
  if (id === undefined) return undefined;
  return (
    `COLOCATE compares places, and the record ${quote(id)} of the ${side} set has none. ` +
    'Take the set from a source with locations (BED, GFF3, a search that returns them).'
  );
}
