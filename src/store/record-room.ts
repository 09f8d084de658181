/** How many records of a file fit into memory. */

import v8 from 'node:v8';

/**
 * The limit per file, regardless of free memory.
 * @bound records of one file, and parts of them
 * @beyond refused: choose a type, or split it
 */
const MAX_RECORDS = 6_000_000;
const SHARE = 0.75;
/** Bytes of the heap per record beside the characters of its id, measured: 80 of BED, 200 of GFF3. */
const RECORD_BYTES = 200;
/** A part of a record: its line in a list that grows by half, and in the columns. */
const PART_BYTES = 60;
/** The factor between JSON as values and as bytes. */
const JSON_TIMES = 8;

/** Counts records; a part counts as one. */
export interface RecordRoom {
  takeRecord(id: string): void;
  takePart(): void;
  /** Why no more records fit, and what to do. */
  readonly problem: string | undefined;
}

export function createRecordRoom(): RecordRoom {
  const max = heapShare();
  let count = 0;
  let bytes = 0;
  return {
    takeRecord(id) {
      count += 1;
      bytes += RECORD_BYTES + id.length;
    },
    takePart() {
      count += 1;
      bytes += PART_BYTES;
    },
    get problem() {
      if (count > MAX_RECORDS) {
        return `There are more than ${MAX_RECORDS} records or parts of records, and no more are read from one file. Choose a type of GFF3, or split the file.`;
      }
      return bytes > max ? `Its records take more than ${memory(max)} ${GIVE_MORE}` : undefined;
    },
  };
}

/** Why a JSON document of this many bytes is not read, and what to do. */
export function jsonRoomProblem(bytes: number): string | undefined {
  const max = heapShare();
  return bytes * JSON_TIMES > max ? `As JSON it takes more than ${memory(max)} ${GIVE_MORE}` : undefined;
}

const GIVE_MORE =
  'of memory, three quarters of what this process may have. Give it more (NODE_OPTIONS=--max-old-space-size=8192 is 8 GiB), or split the file.';

function heapShare(): number {
  return v8.getHeapStatistics().heap_size_limit * SHARE;
}

function memory(bytes: number): string {
  return `${Math.floor(bytes / 1_048_576)} MiB`;
}
