/** The segments of a store as one process knows them: what it has seen of each, and where each entry stands. */

import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { RENEW_MS, type NewEntry } from '../inventory.ts';
import { HEADER_BYTES, headerAt } from './entry.ts';
import { createPositions, type Position } from './positions.ts';
import { readFully, scan } from './scan.ts';

/** An entry that was read. Its bytes may have been changed; its header was not. */
export interface Entry {
  readonly sum: number;
  readonly bytes: Buffer;
  readonly path: string;
  /**
   * This process has made sure that it is on the disk, so short ago that nobody takes its segment away. What another one writes may
   * not be there yet.
   */
  readonly isOwn: boolean;
}

export interface Segments {
  /** The folder that they are in. */
  readonly folder: string;
  /** Reads what has been written since; calls that come while one is under way share the next. */
  refresh(): Promise<void>;
  /** The entries under a key, of those that are known. */
  find(kind: NewEntry['kind'], key: Buffer): AsyncIterable<Entry>;
  /** Takes in entries that this process has appended at `from`, one behind the other. */
  took(name: string, entries: readonly NewEntry[], from: number): void;
  /** The first place known at which a header was changed, so that nobody can say what stood there. */
  damage(): { readonly path: string; readonly at: number } | undefined;
  /** How many segments that were known were not there any more. */
  gone(): number;
}

interface Segment {
  readonly name: string;
  readonly number: number;
  /** Entries before it are known. */
  end: number;
  /** Its size when it was looked at last. */
  size: number;
  /** The time of its last change when it was looked at last. */
  changedAt: number;
  damagedAt?: number | undefined;
  /** Entries before it were written by this process, and are on the disk. */
  ownEnd: number;
  /** When the last of them was written, in milliseconds since 1970. */
  ownAt: number;
  isGone?: true;
}

export const SEGMENT_NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Read at once with a header: most entries are shorter. */
const FIRST_BYTES = 4096;

/** Reads at the first `refresh`, and not before. */
export function createSegments(folder: string): Segments {
  const positions = createPositions();
  const byNumber: Segment[] = [];
  const byName = new Map<string, Segment>();
  let under: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let gone = 0;

  const hasGone = (segment: Segment): void => {
    if (segment.isGone !== true) gone += 1;
    segment.isGone = true;
    byName.delete(segment.name);
  };

  const known = (name: string): Segment => {
    const found = byName.get(name);
    if (found !== undefined) return found;
    const segment = { name, number: byNumber.length, end: 0, size: 0, changedAt: 0, ownEnd: 0, ownAt: 0 };
    byNumber.push(segment);
    byName.set(name, segment);
    return segment;
  };

  const read = async (segment: Segment): Promise<void> => {
    const isThere = await reading(join(folder, segment.name), async (file) => {
      const { size, ctimeMs: changedAt } = await file.stat();
      // A segment that was cut is read anew: after a failed write its writer puts other entries there. So is one that was mended.
      if (size < segment.end || segment.damagedAt !== undefined)
        Object.assign(segment, { end: 0, damagedAt: undefined });
      const { end, damagedAt } = await scan(file, segment.end, size, (header, offset) =>
        positions.add(header.kind, header.key, { segment: segment.number, offset }),
      );
      Object.assign(segment, { end, size, changedAt, damagedAt });
      return true;
    });
    if (isThere === undefined) hasGone(segment);
  };

  const look = async (): Promise<void> => {
    const names = (await readdir(folder).catch(orGone(() => []))).filter((name) => SEGMENT_NAME.test(name));
    const there = new Set(names);
    for (const segment of byName.values()) if (!there.has(segment.name)) hasGone(segment);
    for (const name of names) {
      const segment = known(name);
      const now = await stat(join(folder, name)).catch(orGone(() => undefined));
      const isSame =
        now?.size === segment.size && (segment.damagedAt === undefined || now.ctimeMs === segment.changedAt);
      if (!isSame) await read(segment);
    }
  };

  return {
    folder,

    refresh() {
      next ??= under
        .catch(() => undefined)
        .then(() => {
          [under, next] = [look(), undefined];
          return under;
        });
      return next;
    },

    async *find(kind, key) {
      for (const position of positions.find(kind, key)) {
        const segment = byNumber[position.segment]!;
        if (segment.isGone === true) continue;
        const path = join(folder, segment.name);
        const entry = await reading(path, async (file) => (await readEntry(file, position, kind, key)) ?? 'another');
        if (entry === undefined) hasGone(segment);
        else if (entry === 'changed') segment.damagedAt ??= position.offset;
        else if (entry !== 'another') {
          const isOwn = position.offset < segment.ownEnd && Date.now() - segment.ownAt < RENEW_MS;
          yield { ...entry, path, isOwn };
        }
      }
    },

    took(name, entries, from) {
      const segment = known(name);
      let offset = from;
      for (const { kind, key, bytes } of entries) {
        positions.add(kind, key, { segment: segment.number, offset });
        offset += HEADER_BYTES + bytes.length;
      }
      segment.ownEnd = offset;
      segment.ownAt = Date.now();
      segment.end = segment.size = Math.max(segment.end, offset);
    },

    damage() {
      for (const { name, damagedAt } of byName.values()) {
        if (damagedAt !== undefined) return { path: join(folder, name), at: damagedAt };
      }
      return undefined;
    },

    gone: () => gone,
  };
}

/** `changed`: a header stood there, and is none any more. Undefined where another entry, or none, stands there now. */
async function readEntry(
  file: FileHandle,
  { offset }: Position,
  kind: NewEntry['kind'],
  key: Buffer,
): Promise<{ readonly sum: number; readonly bytes: Buffer } | 'changed' | undefined> {
  const first = Buffer.allocUnsafe(FIRST_BYTES);
  const start = first.subarray(0, await readFully(file, first, offset));
  if (start.length < HEADER_BYTES) return undefined;
  const header = headerAt(start, 0);
  if (header === undefined) return 'changed';
  if (header.kind !== kind || !header.key.equals(key)) return undefined;
  const end = HEADER_BYTES + header.length;
  if (end <= start.length) return { sum: header.sum, bytes: start.subarray(HEADER_BYTES, end) };
  if (start.length < FIRST_BYTES) return undefined;
  const rest = Buffer.allocUnsafe(end - FIRST_BYTES);
  if ((await readFully(file, rest, offset + FIRST_BYTES)) < rest.length) return undefined;
  return { sum: header.sum, bytes: Buffer.concat([start.subarray(HEADER_BYTES), rest], header.length) };
}

/** Undefined where the file is gone. It is open while it is read, so that a store has nothing to close. */
export async function reading<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  const file = await open(path, 'r').catch(orGone(() => undefined));
  if (file === undefined) return undefined;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

function orGone<T>(instead: () => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return instead();
    throw error;
  };
}
