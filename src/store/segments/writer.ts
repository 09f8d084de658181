/** Appends groups of entries to a segment of this process alone: one write and one `fdatasync` each. */

import { randomUUID } from 'node:crypto';
import { open, rm, stat, truncate, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, syncFolder } from '../files.ts';
import { RENEW_MS, type NewEntry } from '../inventory.ts';
import { encodeEntry } from './entry.ts';
import type { Segments } from './segments.ts';

/** A segment that has reached it is followed by a new one. */
const MAX_SEGMENT_BYTES = 268_435_456;

/** The segment being written. Its size is known here: nobody else writes to it. */
interface Own {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Gives a function that appends entries, in their order; they are on the disk when it resolves. One call at a time.
 * After a failed write the segment ends where it did before, or a new one is begun. So it is after an hour without a write:
 * segments that nobody writes to are taken away when little of them is needed (`clear.ts`), under another name first.
 */
export function createWriter(segments: Segments): (entries: readonly NewEntry[]) => Promise<void> {
  let own: Own | undefined;

  return async (entries) => {
    const bytes = Buffer.concat(entries.map(encodeEntry));
    const isOver = own === undefined || own.size >= MAX_SEGMENT_BYTES || Date.now() - own.at > RENEW_MS;
    const found = isOver ? undefined : await reopened(own!);
    const [file, at] = found === undefined ? await begun(segments.folder) : [found, own!];
    try {
      await append(file, bytes, at.size);
      if (at.size === 0) await syncFolder(segments.folder);
      await checkName(file, at.path);
    } catch (error) {
      own = await cutBack(at);
      throw error;
    } finally {
      await file.close();
    }
    own = { ...at, size: at.size + bytes.length, at: Date.now() };
    segments.took(own.name, entries, at.size);
  };
}

/** Undefined where it is not what it was: somebody moved or changed it, or a failed write could not be cut off. */
async function reopened({ path, size }: Own): Promise<FileHandle | undefined> {
  const file = await open(path, 'r+').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    if ((await file.stat()).size === size) return file;
  } catch {
    // It is closed below.
  }
  await file.close();
  return undefined;
}

async function begun(folder: string): Promise<[FileHandle, Own]> {
  await makeFolder(folder);
  const name = randomUUID();
  const path = join(folder, name);
  return [await open(path, 'wx'), { name, path, size: 0, at: Date.now() }];
}

/** A process that stood still for a day may write to what is being taken away. */
async function checkName(file: FileHandle, path: string): Promise<void> {
  if ((await stat(path)).ino === (await file.stat()).ino) return;
  throw new Error(`${path} was taken away while it was written`);
}

async function append(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
  await file.datasync();
}

/** Takes a failed write away; the next group begins a segment of its own where that fails too. */
async function cutBack(own: Own): Promise<Own | undefined> {
  try {
    if (own.size > 0) await truncate(own.path, own.size);
    else await rm(own.path, { force: true });
  } catch {
    return undefined;
  }
  return own.size > 0 ? own : undefined;
}
