/** A result store in a directory: files for what is written one by one, segments for what is written many at once. */

import { readFile, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFileInventory } from './file-inventory.ts';
import { createFiles, replace, unwritable } from './files.ts';
import { createGroupedStore } from './grouped-store.ts';
import { RENEW_MS, type NewEntry, type OpenedStore } from './inventory.ts';
import { createLookup } from './lookup.ts';
import { createNames } from './names.ts';
import { refOfBytes } from './refs.ts';
import { createSegments, createWriter, MAX_ENTRY_BYTES } from './segments/index.ts';
import { keptSpot, objectSpot } from './spots.ts';

/** Fewer entries of a group go as files, so that a process that writes little leaves no segment. */
const FEWEST_IN_SEGMENT = 8;

/**
 * A store in `dir`, which is made on the first write. Many processes may use it at once, and none waits for another. Calls of
 * one turn of the event loop are written as a group: fewer than 8 as a file each, more in one write to a segment of this
 * process. Each file appears under its final name only when all of its bytes are on the disk; a crash leaves a file whose name
 * starts with a dot, which is never read, and which a later process that writes beside it removes after a day, or a cut end of
 * a segment, before which readers stop.
 * @example const ref = await createFileStore('.planwright/results').put(bytes);
 */
export function createFileStore(dir: string): OpenedStore {
  const place = resolve(dir);
  const files = createFiles(place);
  const segments = createSegments(join(place, 'segments'));
  const append = createWriter(segments);
  const lookup = createLookup(place, files, segments);

  const writeFile = async ({ kind, key, bytes }: NewEntry): Promise<void> => {
    const name = key.toString('base64url');
    const own = kind === 'object' ? objectSpot(place, name) : keptSpot(place, name, refOfBytes(bytes));
    if (!(await isStored(own.path, bytes))) await files.write(own, bytes, replace);
  };

  const write = async (group: readonly NewEntry[]): Promise<void> => {
    const known = await Promise.all(group.map((one) => lookup.isInOwnSegment(one)));
    const [objects, kept] = parted(group.filter((_, at) => known[at] !== true));
    if (objects.length + kept.length >= FEWEST_IN_SEGMENT) {
      await append([...objects, ...kept]).catch((error: unknown) => {
        throw unwritable(place, error);
      });
      return;
    }
    // A kept value names objects, and must not outlast them.
    for (const part of [objects, kept]) await allOf(part.map(writeFile));
  };

  return createGroupedStore({
    place,
    largest: MAX_ENTRY_BYTES,
    write,
    object: lookup.object,
    keptAt: lookup.keptAt,
    ...createNames(place, files),
    ...createFileInventory(place, files, append),
  });
}

function parted(group: readonly NewEntry[]): readonly [objects: readonly NewEntry[], kept: readonly NewEntry[]] {
  return [group.filter(({ kind }) => kind === 'object'), group.filter(({ kind }) => kind === 'kept')];
}

/** Fails when all have ended, so that the group behind a failed one begins alone. */
async function allOf(writes: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/**
 * Whether the file has just these bytes, and will stay. One that was cut or changed is written anew: anybody who has its bytes can
 * mend it. So is one whose time cannot be renewed: it is being taken away, or belongs to somebody else.
 */
async function isStored(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const { size, mtimeMs } = await stat(path);
    if (size !== bytes.length || !(await readFile(path)).equals(bytes)) return false;
    const now = new Date();
    if (now.getTime() - mtimeMs > RENEW_MS) await utimes(path, now, now);
    return true;
  } catch {
    return false;
  }
}
