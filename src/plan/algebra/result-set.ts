/**
 * A result set: sorted unique record ids of one record type, optionally with locations, in columns. As objects, a
 * million records would cost ten times the memory and time.
 */

/** The strand of a record: +1 forward, -1 reverse, 0 none. */
export type StrandSign = 1 | -1 | 0;

/** The locations of records. 1-based, both ends inclusive. Row i belongs to `ids[i]`. */
export interface Locations {
  /** The distinct sequence names, in order of first use. */
  readonly sequences: readonly string[];
  /** Index into `sequences`; -1 without location. */
  readonly sequence: Int32Array;
  readonly start: Int32Array;
  readonly stop: Int32Array;
  readonly strand: Int8Array;
  readonly parts?: Parts;
}

/**
 * The parts of the records in several pieces, ordered by row, start, stop and phase. A row has at least two parts, and
 * its place reaches from its first base to its last.
 */
export interface Parts {
  readonly row: Int32Array;
  readonly start: Int32Array;
  readonly stop: Int32Array;
  /** -1 without phase. */
  readonly phase: Int8Array;
}

/**
 * A set of records of one type, in columns: their ids and, optionally, their locations. Row i of a column belongs to
 * `ids[i]`.
 */
export interface ResultSet {
  /** null fits any record type, as of a set from a file. */
  readonly recordType: string | null;
  /** Sorted by UTF-16 code units, each once. */
  readonly ids: readonly string[];
  readonly locations: Locations | null;
  /** After COLOCATE: how many records of the other side each record met. */
  readonly matches?: Uint32Array;
  /** The file that the set was read from; absent for the result of an operator. */
  readonly source?: SetSource;
}

/** The file that a set was read from, in the state at that time. */
export interface SetSource {
  readonly path: string;
  /** The digest of its bytes as stored, compressed or not: 64 lower-case hex digits. */
  readonly sha256: string;
  readonly bytes: number;
  /** The values that were read differently from how the file has them. */
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
  /** The pieces of a record that has several, sorted by start. They reach from `start` to `stop`. */
  readonly parts?: readonly RecordPart[];
}

/** One piece of a record. 1-based, both ends inclusive. */
export interface RecordPart {
  readonly start: number;
  readonly stop: number;
  /** The phase of GFF3's column 8: bases from the start of the part to its first whole codon. */
  readonly phase?: CodonPhase;
}

export type CodonPhase = 0 | 1 | 2;
