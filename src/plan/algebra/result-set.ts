/** Result sets are columns, since as objects a million records would take ten times the memory and time. */

/** The strand of a record: +1 forward, -1 reverse, 0 none. */
export type StrandSign = 1 | -1 | 0;

/** The locations of the records of a set, 1-based, with both ends inclusive. Row i belongs to `ids[i]`. */
export interface Locations {
  /** The distinct sequence names in order of first use. */
  readonly sequences: readonly string[];
  /** For each row, the index of the sequence name in `sequences`, or -1 for a record without a location. */
  readonly sequence: Int32Array;
  readonly start: Int32Array;
  readonly stop: Int32Array;
  readonly strand: Int8Array;
}

/** A set of records of one type: their ids and, optionally, their locations. Row i of a column belongs to `ids[i]`. */
export interface ResultSet {
  /** The type of the records. A type of null fits any other type; a set that was read from a file has null. */
  readonly recordType: string | null;
  /** The ids of the records, unique and sorted by UTF-16 code units. */
  readonly ids: readonly string[];
  readonly locations: Locations | null;
  /** Only for a result of COLOCATE: for each record, how many records of the other side matched. */
  readonly matches?: Uint32Array;
  /** The file that the set was read from; absent for the result of an operator. */
  readonly source?: SetSource;
}

/** The file from which a set was read, as it was at that time. */
export interface SetSource {
  readonly path: string;
  /** The SHA-256 digest of the bytes of the file, before decompression: 64 lower-case hex digits. */
  readonly sha256: string;
  readonly bytes: number;
  /** Sentences about the values that were read differently from how the file writes them. */
  readonly notes: readonly string[];
}

/** One record of a result set. */
export interface ResultRecord {
  readonly id: string;
  readonly location?: ResultLocation;
}

/** The location of a record on a sequence, in bases: 1-based, both ends inclusive. */
export interface ResultLocation {
  readonly sequence: string;
  readonly start: number;
  readonly stop: number;
  readonly strand: StrandSign;
}
