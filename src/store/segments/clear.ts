/** Looks a whole segment through, and takes away one of which little is needed. */

import { randomUUID } from 'node:crypto';
import { rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { digestOf } from '../refs.ts';
import type { NewEntry } from '../inventory.ts';
import { HEADER_BYTES } from './entry.ts';
import { readFully, scan } from './scan.ts';
import { reading } from './segments.ts';

/** An entry of a segment with its place. */
export interface PlacedEntry extends NewEntry {
  readonly bytes: Buffer;
  readonly offset: number;
  /** Its bytes are those that were written. */
  readonly isWhole: boolean;
}

/** A segment as it stands. */
export interface ListedSegment {
  readonly entries: readonly PlacedEntry[];
  readonly size: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly writtenAt: number;
  /** Somebody changed it, so that nobody knows what stood at some place. */
  readonly isDamaged: boolean;
}

/** Entries that stand together are read together. */
const WINDOW_BYTES = 1_048_576;

/** Everything that can be read of a segment, in its order; undefined where there is none any more. */
export function listSegment(path: string): Promise<ListedSegment | undefined> {
  return reading(path, async (file) => {
    const { size, mtimeMs: writtenAt } = await file.stat();
    const places: { readonly kind: NewEntry['kind']; readonly key: Buffer; length: number; sum: number; at: number }[] =
      [];
    const { damagedAt } = await scan(file, 0, size, ({ kind, key, length, sum }, at) => {
      places.push({ kind, key: Buffer.from(key), length, sum, at });
    });
    const entries: PlacedEntry[] = [];
    let window: { readonly from: number; readonly bytes: Buffer } = { from: 0, bytes: Buffer.alloc(0) };
    for (const { kind, key, length, sum, at } of places) {
      const from = at + HEADER_BYTES;
      if (from < window.from || from + length > window.from + window.bytes.length)
        window = { from, bytes: await bytesAt(file, from, Math.max(length, Math.min(WINDOW_BYTES, size - from))) };
      const bytes = window.bytes.subarray(from - window.from, from - window.from + length);
      const isWhole = kind === 'object' ? digestOf(bytes).equals(key) : crc32(bytes) === sum;
      entries.push({ kind, key, bytes, offset: at, isWhole });
    }
    return { entries, size, writtenAt, isDamaged: damagedAt !== undefined };
  });
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, await readFully(file, bytes, at));
}

/** A segment of which more is needed is left as it stands, so that nothing is copied again and again. */
const MOST_NEEDED = 0.5;

/**
 * Takes a segment away that nobody has written to since `before`, if at most half of it is needed, which is appended elsewhere
 * first. Nobody can append to it meanwhile: it gets another name, under which it is read like any segment, and whoever has it
 * open under the old one finds that gone.
 * @returns how many of the entries that are not needed went with it, and their bytes
 */
export async function clearSegment(
  folder: string,
  name: string,
  before: number,
  isNeeded: (entry: PlacedEntry) => boolean,
  append: (entries: readonly NewEntry[]) => Promise<void>,
): Promise<{ readonly count: number; readonly bytes: number } | undefined> {
  const path = join(folder, name);
  const now = await stat(path).catch(() => undefined);
  if (now === undefined || now.mtimeMs >= before) return undefined;
  const planned = await listSegment(path);
  if (planned === undefined || !isWorthIt(planned, isNeeded)) return undefined;
  const aside = join(folder, randomUUID());
  await rename(path, aside);
  const last = await listSegment(aside);
  if (last === undefined || last.writtenAt >= before || !isWorthIt(last, isNeeded)) return undefined;
  const needed = last.entries.filter(isNeeded);
  if (needed.length > 0) await append(needed);
  await rm(aside);
  const gone = last.entries.filter((entry) => !isNeeded(entry));
  return { count: gone.length, bytes: gone.reduce((sum, { bytes }) => sum + bytes.length, 0) };
}

/** What is needed and was changed is for a person to look at. */
function isWorthIt({ entries, size, isDamaged }: ListedSegment, isNeeded: (entry: PlacedEntry) => boolean): boolean {
  const needed = entries.filter(isNeeded);
  const bytes = needed.reduce((sum, entry) => sum + HEADER_BYTES + entry.bytes.length, 0);
  return !isDamaged && needed.every(({ isWhole }) => isWhole) && bytes <= size * MOST_NEEDED;
}
