/**
 * A result set: sorted unique record ids of one record type, optionally with locations, in columns.
 * Columns, because a set of a million records as objects costs ten times the memory and the time.
 */

/** The strand of a record: +1 forward, -1 reverse, 0 none. */
export type StrandSign = 1 | -1 | 0;

/** The locations of records. 1-based, both ends inclusive. Row i belongs to `ids[i]`. */
export interface Locations {
  /** The distinct sequence names, in order of first use. */
  readonly sequences: readonly string[];
  /** Index into `sequences`; -1 where the record has no location. */
  readonly sequence: Int32Array;
  readonly start: Int32Array;
  readonly stop: Int32Array;
  readonly strand: Int8Array;
  /** Absent where every record stands in one piece. */
  readonly parts?: Parts;
}

/**
 * The parts of the records that stand in several pieces, one line a part, in the order of rows and in each by start, stop and
 * phase. A row that is here is here at least twice, and its place reaches from its first base to its last.
 */
export interface Parts {
  readonly row: Int32Array;
  readonly start: Int32Array;
  readonly stop: Int32Array;
  /** -1 where a part has none. */
  readonly phase: Int8Array;
}

/**
 * A set of records of one type, in columns: their ids, each once, and where they have some, their locations. Row i of a
 * column belongs to `ids[i]`.
 */
export interface ResultSet {
  /** null fits any record type (a set from a file has none). */
  readonly recordType: string | null;
  /** Sorted by UTF-16 code units, each once. */
  readonly ids: readonly string[];
  readonly locations: Locations | null;
  /** After COLOCATE: how many records of the other side each record met. */
  readonly matches?: Uint32Array;
  /** The source of a set as it was read from a file; the result of an operator has none. */
  readonly source?: SetSource;
}

/** The file that a set was read from, as it was then. */
export interface SetSource {
  /** The path in the plan. */
  readonly path: string;
  /** The digest of its bytes as they stand there, compressed or not: 64 lower-case hex digits. */
  readonly sha256: string;
  readonly bytes: number;
  /** The values that were taken differently from how they stand there. */
  readonly notes: readonly string[];
}

/** One record, for building sets and for reading them one by one. */
export interface ResultRecord {
  readonly id: string;
  readonly location?: ResultLocation;
}

/** The place of a record on a sequence, in bases: 1-based, both ends inclusive. */
export interface ResultLocation {
  readonly sequence: string;
  readonly start: number;
  readonly stop: number;
  readonly strand: StrandSign;
  /**
   * The pieces of a record that has several: two or more, by start; they reach from `start` to `stop`. Absent
   * otherwise.
   */
  readonly parts?: readonly RecordPart[];
}

/** One piece of a record. 1-based, both ends inclusive. */
export interface RecordPart {
  readonly start: number;
  readonly stop: number;
  /** The phase of GFF3's column 8: bases from the start of the part to its first whole codon. */
  readonly phase?: Phase;
}

export type Phase = 0 | 1 | 2;
