/**
 * The places of entries in memory, 16 bytes each: a table with open addressing, by the first 8 bytes of a key. Two keys may
 * share those, so that the header on the disk tells which of the places found is meant.
 */

import type { NewEntry } from '../inventory.ts';

type EntryKind = NewEntry['kind'];

export interface Position {
  /** The number of the segment. */
  readonly segment: number;
  /** The begin of its header, in bytes. */
  readonly offset: number;
}

export interface Positions {
  /** Free of effect where the same position is there. */
  add(kind: EntryKind, key: Buffer, position: Position): void;
  /** In the order in which they were added. */
  find(kind: EntryKind, key: Buffer): readonly Position[];
  /** Bytes of memory. */
  readonly bytes: number;
}

/** Words of a slot: two of the key, segment and kind (0: free), offset. */
const WORDS = 4;
const FIRST_SLOTS = 64;
/** Fuller than this, and a search grows long. */
const MOST_FULL = 0.75;

export function createPositions(): Positions {
  let table = new Uint32Array(FIRST_SLOTS * WORDS);
  let count = 0;

  return {
    add(kind, key, { segment, offset }) {
      if (count + 1 > (table.length / WORDS) * MOST_FULL) table = doubled(table);
      if (insert(table, key.readUInt32LE(0), key.readUInt32LE(4), wordOf(segment, kind), offset)) count += 1;
    },
    find(kind, key) {
      const [high, low] = [key.readUInt32LE(0), key.readUInt32LE(4)];
      const found: Position[] = [];
      for (let at = home(table, high); table[at + 2] !== 0; at = after(table, at)) {
        const word = table[at + 2]!;
        if (table[at] !== high || table[at + 1] !== low || (word & 1) !== (kind === 'kept' ? 1 : 0)) continue;
        found.push({ segment: (word >>> 1) - 1, offset: table[at + 3]! });
      }
      return found;
    },
    get bytes() {
      return table.byteLength;
    },
  };
}

function wordOf(segment: number, kind: EntryKind): number {
  return (segment + 1) * 2 + (kind === 'kept' ? 1 : 0);
}

/** The number of slots is a power of two; digests are spread evenly. */
function home(table: Uint32Array, high: number): number {
  return (high & (table.length / WORDS - 1)) * WORDS;
}

function after(table: Uint32Array, at: number): number {
  return (at + WORDS) & (table.length - 1);
}

function insert(table: Uint32Array, high: number, low: number, word: number, offset: number): boolean {
  let at = home(table, high);
  for (; table[at + 2] !== 0; at = after(table, at)) {
    if (table[at] === high && table[at + 1] === low && table[at + 2] === word && table[at + 3] === offset) return false;
  }
  table[at] = high;
  table[at + 1] = low;
  table[at + 2] = word;
  table[at + 3] = offset;
  return true;
}

function doubled(table: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(table.length * 2);
  for (let at = 0; at < table.length; at += WORDS) {
    if (table[at + 2] !== 0) insert(larger, table[at]!, table[at + 1]!, table[at + 2]!, table[at + 3]!);
  }
  return larger;
}
