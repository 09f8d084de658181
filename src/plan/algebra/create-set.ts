import { quote } from '../text/index.ts';
import { createNumbering, locationId, takeLocations } from './locations.ts';
import { everyRow } from './position-order.ts';
import { recordProblem } from './record-problem.ts';
import { sortTexts, atOnce, type Steps } from './sort-texts.ts';
import type { Locations, ResultLocation, ResultRecord, ResultSet, StrandSign } from './result-set.ts';

/**
 * The result of adding a record. `row` is the index of its id. `repeated` is true if the set has the id already, with
 * the same location, or if one of the two records has no location.
 */
export type AddedRecord =
  | { readonly ok: true; readonly row: number; readonly repeated: boolean }
  | { readonly ok: false; readonly message: string; readonly conflict?: RecordConflict };

/** An id that arrived with two different locations: the row and the location of the earlier record. */
export interface RecordConflict {
  readonly row: number;
  readonly place: ResultLocation;
}

export interface SetBuilder {
  /** Adds a record, or returns a message that says why the record is invalid. An invalid record changes nothing. */
  add(record: ResultRecord): AddedRecord;
  /** Extends the location of a row so that it includes these positions. */
  extend(row: number, start: number, stop: number): void;
  readonly count: number;
  build(): ResultSet;
  /** Builds the set like `build`, but in steps, since sorting a large set takes long. */
  buildSteps(): Steps<ResultSet>;
}

/**
 * Builds a sorted set of records. A record that occurs twice counts once.
 * @throws RangeError if an id is blank or has a tab or a line break, a location is invalid, or one id has two locations
 * @example createSet([{ id: 'b' }, { id: 'a' }], 'gene').ids; // ['a', 'b']
 */
export function createSet(records: Iterable<ResultRecord>, recordType: string | null = null): ResultSet {
  const builder = createSetBuilder(recordType);
  for (const record of records) {
    const added = builder.add(record);
    if (!added.ok) throw new RangeError(added.message);
  }
  return builder.build();
}

/**
 * Builds a set from single records, as readers of files need it. An invalid record gets a message instead of an
 * exception.
 * @example
 * const builder = createSetBuilder('gene');
 * builder.add({ id: 'a', location: { sequence: 'chr1', start: 1, stop: 9, strand: 1 } });
 * builder.build().ids; // ['a']
 */
export function createSetBuilder(recordType: string | null = null): SetBuilder {
  const index = createIdIndex();
  const numbering = createNumbering();
  let places = new Int32Array(PLACE * 1024);

  function place(row: number, sequence: number, start: number, stop: number, strand: StrandSign): void {
    const at = row * PLACE;
    if (at === places.length) places = grown(places);
    places[at] = sequence;
    places[at + 1] = start;
    places[at + 2] = stop;
    places[at + 3] = strand;
  }

  function isAt(row: number, sequence: number, start: number, stop: number, strand: StrandSign): boolean {
    const at = row * PLACE;
    return places[at] === sequence && places[at + 1] === start && places[at + 2] === stop && places[at + 3] === strand;
  }

  function placeOf(row: number): ResultLocation {
    const [sequence, start, stop, strand] = places.subarray(row * PLACE, (row + 1) * PLACE);
    return { sequence: numbering.names[sequence!]!, start: start!, stop: stop!, strand: strand as StrandSign };
  }

  function addChecked(id: string, sequence: number, start: number, stop: number, strand: StrandSign): number {
    const before = index.ids.length;
    const row = index.rowOf(id);
    if (row === before || (sequence !== -1 && places[row * PLACE] === -1)) place(row, sequence, start, stop, strand);
    else if (sequence !== -1 && !isAt(row, sequence, start, stop, strand)) return -1;
    return row;
  }

  return {
    get count() {
      return index.ids.length;
    },
    extend(row, start, stop) {
      const at = row * PLACE;
      places[at + 1] = Math.min(places[at + 1]!, start);
      places[at + 2] = Math.max(places[at + 2]!, stop);
    },
    add(record) {
      const message = recordProblem(record);
      if (message !== undefined) return { ok: false, message };
      const { id, location } = record;
      const before = index.ids.length;
      const row =
        location === undefined
          ? addChecked(id, -1, 0, 0, 0)
          : addChecked(id, numbering.number(location.sequence), location.start, location.stop, location.strand);
      if (row !== -1) return { ok: true, row, repeated: row < before };
      const known = index.rowOf(id);
      return conflictOf(id, location!, known, placeOf(known));
    },
    build: () => atOnce(buildSteps()),
    buildSteps,
  };

  function* buildSteps(): Steps<ResultSet> {
    const { ids, rows } = yield* index.sorted();
    const columns = columnsOf(places, ids.length, numbering.names);
    return { recordType, ids, locations: takeLocations(rows, columns, null) };
  }
}

/** Numbers that a row takes: sequence (-1 without a location), start, stop and strand. */
const PLACE = 4;

function columnsOf(places: Int32Array, count: number, sequences: readonly string[]): Locations {
  const [sequence, start, stop] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const strand = new Int8Array(count);
  for (let row = 0, at = 0; row < count; row += 1, at += PLACE) {
    sequence[row] = places[at]!;
    start[row] = places[at + 1]!;
    stop[row] = places[at + 2]!;
    strand[row] = places[at + 3]!;
  }
  return { sequences, sequence, start, stop, strand };
}

function grown(places: Int32Array): Int32Array<ArrayBuffer> {
  const twice = new Int32Array(places.length * 2);
  twice.set(places);
  return twice;
}

interface IdIndex {
  readonly ids: readonly string[];
  rowOf(id: string): number;
  sorted(): Steps<{ readonly ids: readonly string[]; readonly rows: Int32Array }>;
}

/** If ids arrive in order, no lookup table is needed. This halves the time to read a sorted file. */
function createIdIndex(): IdIndex {
  const ids: string[] = [];
  let last = '';
  let rows: Map<string, number> | null = null;
  return {
    ids,
    rowOf(id) {
      if (rows === null) {
        if (last < id) {
          last = id;
          return ids.push(id) - 1;
        }
        if (last === id) return ids.length - 1;
        rows = new Map();
        for (let row = 0; row < ids.length; row += 1) rows.set(ids[row]!, row);
      }
      const known = rows.get(id);
      if (known !== undefined) return known;
      rows.set(id, ids.length);
      return ids.push(id) - 1;
    },
    *sorted() {
      if (rows === null) return { ids: ids.slice(), rows: everyRow(ids.length) };
      const order = yield* sortTexts(ids);
      const sorted = new Array<string>(order.length);
      for (let at = 0; at < order.length; at += 1) sorted[at] = ids[order[at]!]!;
      return { ids: sorted, rows: order };
    },
  };
}

function conflictOf(id: string, location: ResultLocation, row: number, place: ResultLocation): AddedRecord {
  const [before, here] = [locationId(place), locationId(location)];
  const message = `The id ${quote(id)} stands at two places, ${before} and ${here}. A record has one place.`;
  return { ok: false, message, conflict: { row, place } };
}
