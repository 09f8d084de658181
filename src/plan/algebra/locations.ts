import { everyRow } from './position-order.ts';
import type { Locations, ResultLocation, StrandSign, ResultRecord, ResultSet } from './result-set.ts';

/** Maximum position of a record in bases. The next position must also fit into a signed 32-bit integer. */
export const MAX_POSITION = 2_147_483_646;

export const STRAND_SYMBOLS = { 1: '+', [-1]: '-', 0: '.' } as const;
export const STRAND_OF_SYMBOL: ReadonlyMap<string, StrandSign> = new Map([
  ['+', 1],
  ['-', -1],
  ['.', 0],
]);

/**
 * The location of a record as text: `sequence:start-stop:strand`, 1-based, both ends inclusive, with `.` for no strand.
 * A record without a name has this text as its id.
 * @example locationId({ sequence: 'chr1', start: 1, stop: 9, strand: -1 }); // 'chr1:1-9:-'
 */
export function locationId(location: ResultLocation): string {
  return `${location.sequence}:${location.start}-${location.stop}:${STRAND_SYMBOLS[location.strand]}`;
}

export function locationAt(locations: Locations | null, row: number): ResultLocation | undefined {
  const sequence = locations?.sequences[locations.sequence[row] ?? -1];
  if (locations === null || sequence === undefined) return undefined;
  return {
    sequence,
    start: locations.start[row]!,
    stop: locations.stop[row]!,
    strand: locations.strand[row] as StrandSign,
  };
}

/**
 * Returns the rows in `picks`, in normal form. A pick >= 0 is a row of `left`; a pick < 0 is the row `~pick` of
 * `right`. In normal form, sets with the same records have the same columns: sequence names in order of first use, and
 * zeros for missing locations.
 */
export function takeLocations(picks: Int32Array, left: Locations | null, right: Locations | null): Locations | null {
  const numbering = createNumbering();
  const fromLeft = new Int32Array(left?.sequences.length ?? 0).fill(-1);
  const fromRight = new Int32Array(right?.sequences.length ?? 0).fill(-1);
  const sequence = new Int32Array(picks.length).fill(-1);
  const start = new Int32Array(picks.length);
  const stop = new Int32Array(picks.length);
  const strand = new Int8Array(picks.length);
  for (let to = 0; to < picks.length; to += 1) {
    const pick = picks[to]!;
    const from = pick >= 0 ? left : right;
    const row = pick >= 0 ? pick : ~pick;
    const index = from === null ? -1 : from.sequence[row]!;
    if (from === null || index < 0) continue;
    const known = pick >= 0 ? fromLeft : fromRight;
    if (known[index] === -1) known[index] = numbering.number(from.sequences[index]!);
    sequence[to] = known[index]!;
    start[to] = from.start[row]!;
    stop[to] = from.stop[row]!;
    strand[to] = from.strand[row]!;
  }
  if (numbering.names.length === 0) return null;
  return { sequences: numbering.names, sequence, start, stop, strand };
}

export function normalLocations(locations: Locations | null): Locations | null {
  if (locations === null) return null;
  return takeLocations(everyRow(locations.sequence.length), locations, null);
}

export interface Numbering {
  readonly names: string[];
  number(name: string): number;
}

export function createNumbering(): Numbering {
  const names: string[] = [];
  const numbers = new Map<string, number>();
  return {
    names,
    number(name) {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      numbers.set(name, names.length);
      return names.push(name) - 1;
    },
  };
}

/**
 * A set without records. A `recordType` of null fits any record type.
 * @example emptySet('gene').ids; // []
 */
export function emptySet(recordType: string | null = null): ResultSet {
  return { recordType, ids: [], locations: null };
}

/**
 * Returns the record in a row of the set.
 * @throws RangeError if the set has no such row
 */
export function recordAt(set: ResultSet, row: number): ResultRecord {
  const id = set.ids[row];
  if (id === undefined) throw new RangeError(`The set has ${set.ids.length} records; there is no row ${row}.`);
  const location = locationAt(set.locations, row);
  return location === undefined ? { id } : { id, location };
}

/**
 * Iterates over all records of a set, in the order of their ids.
 * @example for (const { id, location } of records(set)) console.log(id, location?.sequence);
 */
export function* records(set: ResultSet): Generator<ResultRecord, void, undefined> {
  for (let row = 0; row < set.ids.length; row += 1) yield recordAt(set, row);
}
