import { createSetBuilder, locationId } from '../../plan/algebra/index.ts';
import type { ResultLocation, Steps } from '../../plan/algebra/index.ts';
import { createIssueList, repeatNote, SKIP, unreadable, type ReadSet, createRecordRoom } from '../read-set.ts';

/** The options of a reader of BED or GFF3. */
export interface TrackOptions {
  /**
   * The id of a record. `name`: the name (BED) or ID attribute (GFF3) of the line, otherwise the location. `location`:
   * the location, `sequence:start-stop:strand`, 1-based, with `.` if there is no strand.
   */
  readonly id: 'name' | 'location';
  /** For GFF3: only features of this type (column 3, case-sensitive), or of several with commas. Default: all. */
  readonly type?: string | undefined;
  /** For GFF3: the attribute that has the name of a feature, such as `Name`. Default `ID`. */
  readonly attribute?: string | undefined;
  /**
   * Omit lines that cannot be read or that a set cannot represent (length 0, a name at a second location), and count
   * them in a note. If no line can be read, each is an issue anyway. Default: each is an issue.
   */
  readonly skip?: boolean | undefined;
}

/** The feature of a line. Lines with the same ID and type are one record. */
export interface Feature {
  readonly id: string;
  readonly type: string;
}

interface Elsewhere {
  readonly row: number;
  readonly place: ResultLocation;
}

export interface TrackCollector {
  add(line: number, name: string | undefined, location: ResultLocation, feature?: Feature): void;
  /** Reports a line that cannot be read: omits it with `skip`, otherwise adds an issue. */
  refuse(line: number, message: string): void;
  /** Like `refuse`, for a line that the format allows. */
  omit(line: number, message: string): void;
  /** Reports a line that is read in a simplified form. All lines of a kind share one note. */
  simplify(line: number, what: string): void;
  /** True if there are more records than allowed, so that the rest need not be read. */
  readonly isFull: boolean;
  /** Ends the collection, builds the set. @param read the number of readable lines; default: the number of records */
  finish(read?: number): Steps<ReadSet>;
}

/**
 * @param called the format's word for a name
 * @param why the problem with a name at two locations, and advice
 */
export function createTrackCollector(
  { id, attribute, skip = false }: TrackOptions,
  called: string,
  why: string,
): TrackCollector {
  const builder = createSetBuilder();
  const issues = createIssueList(skip);
  const room = createRecordRoom();
  const reportedNames = new Set<string>();
  const lineOfRow: number[] = [];
  const featureOfRow: (Feature | undefined)[] = [];
  const spans = new Set<number>();
  const simplified = new Map<string, { readonly first: number; count: number }>();
  let repeats = 0;
  let unnamed = 0;

  function remember(own: string, row: number, before: number, line: number, isNamed: boolean): void {
    if (row < before) {
      repeats += 1;
      return;
    }
    lineOfRow.push(line);
    room.takeRecord(own);
    if (!isNamed) unnamed += 1;
  }

  /** Adds a record. Returns the earlier record if it has the same id at another location; otherwise undefined. */
  function take(
    own: string,
    line: number,
    isNamed: boolean,
    location: ResultLocation,
    feature: Feature | undefined,
  ): Elsewhere | undefined {
    const before = builder.count;
    const added = builder.add({ id: own, location });
    if (added.ok) {
      // A line that spans all other lines of its feature has the location of the whole record.
      if (spans.has(added.row) && isOneFeature(featureOfRow[added.row], feature)) return undefined;
      remember(own, added.row, before, line, isNamed);
      if (feature !== undefined && builder.count > before) featureOfRow[added.row] = feature;
      return undefined;
    }
    if (added.conflict === undefined) {
      issues.add(line, added.message);
      return undefined;
    }
    const { row, place } = added.conflict;
    const first = featureOfRow[row];
    if (first === undefined || !isOneFeature(first, feature) || !isOneStrand(place, location)) return added.conflict;
    spans.add(row);
    builder.extend(row, location.start, location.stop);
    return undefined;
  }

  return {
    add(line, name, location, feature) {
      const isNamed = id === 'name' && name !== undefined;
      const own = isNamed ? name : locationId(location);
      const conflict = take(own, line, isNamed, location, feature);
      if (conflict === undefined || (!skip && reportedNames.has(own))) return;
      reportedNames.add(own);
      const earlier = `${locationId(conflict.place)} (line ${lineOfRow[conflict.row]})`;
      const here = `${locationId(location)} (line ${line})`;
      issues.addAllowed(
        line,
        `The ${called} "${own}" stands at ${earlier} and at ${here}. ${why} (id: location); or ${SKIP}.`,
      );
    },
    refuse: issues.add,
    omit: issues.addAllowed,
    simplify(line, what) {
      const known = simplified.get(what);
      if (known === undefined) simplified.set(what, { first: line, count: 1 });
      else known.count += 1;
    },
    get isFull() {
      return room.problem !== undefined;
    },
    *finish(read = builder.count) {
      if (room.problem !== undefined) return unreadable(room.problem);
      const refusal = issues.refusal(read);
      if (refusal !== undefined) return refusal;
      const set = yield* builder.buildSteps();
      const notes = [...repeatNote(repeats, 'id and the place')];
      if (spans.size > 0) {
        const [feature, its] = spans.size === 1 ? ['feature stands', 'it is'] : ['features stand', 'each is'];
        notes.push(
          `${spans.size} ${feature} on several lines; ${its} one record from its first base to its last, gaps included. With id: location each line is a record.`,
        );
      }
      notes.push(...issues.notes());
      for (const [what, { first, count }] of simplified) {
        notes.push(`${count === 1 ? `line ${first}` : `${count} lines, the first is line ${first}`}: ${what}`);
      }
      if (id === 'name' && unnamed > 0 && (unnamed < set.ids.length || attribute !== undefined)) {
        notes.push(`${unnamed} of ${set.ids.length} records have no ${called}; their place is their id.`);
      }
      return { ok: true, set, notes };
    },
  };
}

/** Whether two lines are one feature. In GFF3, the lines of a feature have one ID. */
function isOneFeature(one: Feature | undefined, other: Feature | undefined): boolean {
  return one !== undefined && one.id === other?.id && one.type === other.type;
}

function isOneStrand(one: ResultLocation, other: ResultLocation): boolean {
  return one.sequence === other.sequence && one.strand === other.strand;
}
