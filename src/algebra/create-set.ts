/** Building a result set from records in any order. */

import { createNumbering, locationId, MAX_POSITION, takeLocations } from './locations.ts';
import type { Locations, ResultLocation, ResultRecord, ResultSet, StrandSign } from './result-set.ts';

/**
 * `row` counts the distinct ids in the order in which they came. `repeated`: the id was there already, at the same
 * place or with one of the two without a place, and the located one stays.
 */
export type AddedRecord =
  | { readonly ok: true; readonly row: number; readonly repeated: boolean }
  | { readonly ok: false; readonly message: string; readonly conflict?: RecordConflict };

/** One id at two places: the row of the earlier record and its place. */
export interface RecordConflict {
  readonly row: number;
  readonly place: ResultLocation;
}

export interface SetBuilder {
  /** Takes a record, or says why not; a refused record leaves no trace. */
  add(record: ResultRecord): AddedRecord;
  /** The set of all records taken. */
  build(): ResultSet;
}

/**
 * A set of these records, sorted. A record that comes twice is one record.
 * Throws RangeError for a blank id, an id that is not one line, a location that is none, and one id at two places.
 */
export function createSet(records: Iterable<ResultRecord>, recordType: string | null = null): ResultSet {
  const builder = createSetBuilder(recordType);
  for (const record of records) {
    const added = builder.add(record);
    if (!added.ok) throw new RangeError(added.message);
  }
  return builder.build();
}

export function createSetBuilder(recordType: string | null = null): SetBuilder {
  const rows = new Map<string, number>();
  const numbering = createNumbering();
  const sequence: number[] = [];
  const start: number[] = [];
  const stop: number[] = [];
  const strand: number[] = [];

  function place(row: number, location: ResultLocation | undefined): void {
    sequence[row] = location === undefined ? -1 : numbering.number(location.sequence);
    start[row] = location?.start ?? 0;
    stop[row] = location?.stop ?? 0;
    strand[row] = location?.strand ?? 0;
  }

  function placeOf(row: number): ResultLocation {
    return {
      sequence: numbering.names[sequence[row]!]!,
      start: start[row]!,
      stop: stop[row]!,
      strand: strand[row] as StrandSign,
    };
  }

  function columns(): Locations {
    return {
      sequences: numbering.names,
      sequence: Int32Array.from(sequence),
      start: Int32Array.from(start),
      stop: Int32Array.from(stop),
      strand: Int8Array.from(strand),
    };
  }

  return {
    add(record) {
      const message = recordProblem(record);
      if (message !== undefined) return { ok: false, message };
      const { id, location } = record;
      const known = rows.get(id);
      if (known === undefined) {
        const row = rows.size;
        rows.set(id, row);
        place(row, location);
        return { ok: true, row, repeated: false };
      }
      if (location !== undefined) {
        if (sequence[known] === -1) place(known, location);
        else if (!samePlace(placeOf(known), location)) return conflictOf(id, location, known, placeOf(known));
      }
      return { ok: true, row: known, repeated: true };
    },
    build() {
      const ids = [...rows.keys()].sort();
      const picks = Int32Array.from(ids, (id) => rows.get(id)!);
      return { recordType, ids, locations: takeLocations(picks, columns(), null) };
    },
  };
}

function samePlace(a: ResultLocation, b: ResultLocation): boolean {
  return a.sequence === b.sequence && a.start === b.start && a.stop === b.stop && a.strand === b.strand;
}

function conflictOf(id: string, location: ResultLocation, row: number, place: ResultLocation): AddedRecord {
  const message = `The id "${id}" stands at two places, ${locationId(place)} and ${locationId(location)}. A record has one place.`;
  return { ok: false, message, conflict: { row, place } };
}

/** What is wrong with a record, or undefined. */
function recordProblem({ id, location }: ResultRecord): string | undefined {
  if (typeof id !== 'string' || id.trim() === '') return 'A record has no id: an id is a text that is not blank.';
  if (/[\n\r\t]/.test(id))
    return `The id ${JSON.stringify(id)} holds a tab or a line break: an id is one line without tabs.`;
  return location === undefined ? undefined : locationProblem(id, location);
}

function locationProblem(id: string, location: ResultLocation): string | undefined {
  const { sequence, start, stop, strand } = location;
  const where = `The location of "${id}"`;
  if (typeof sequence !== 'string' || sequence === '') return `${where} has no sequence name.`;
  if (!isPosition(start) || !isPosition(stop)) {
    return `${where} is ${start} to ${stop}: start and stop are integers from 1 to ${MAX_POSITION}.`;
  }
  if (start > stop)
    return `${where} starts at ${start} and stops before that, at ${stop}: start comes first on both strands.`;
  if (strand !== 1 && strand !== -1 && strand !== 0) {
    return `${where} has strand ${JSON.stringify(strand)}: expected 1 (forward), -1 (reverse) or 0 (none).`;
  }
  return undefined;
}

function isPosition(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_POSITION;
}
