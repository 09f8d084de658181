/** Limits how many records of a file are read into memory. */

import v8 from 'node:v8';

/**
 * Applies even if there is enough memory.
 * @bound records of one file, including parts of records @beyond the file is rejected: choose a type, or split it
 */
const MAX_RECORDS = 6_000_000;
const SHARE = 0.75;
/** Measured heap use of a record in bytes, without its id: 80 for BED, 200 for GFF3. */
const RECORD_BYTES = 200;
/** Heap use of a part of a record in bytes: its line in a growing list, and in the columns. */
const PART_BYTES = 60;
/** How many times more memory JSON takes as values than as bytes. */
const JSON_TIMES = 8;

/** Counts records and parts of records. */
export interface RecordRoom {
  takeRecord(id: string): void;
  takePart(): void;
  /** Why no more records fit, and what to do; undefined as long as they fit. */
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

/** Why a JSON document of this size does not fit into memory, and what to do; undefined if it fits. */
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
