/** A result store in a directory: files for what is written one by one, segments for what is written many at once. */

import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFiles, replace, unwritable, type Spot } from './files.ts';
import { createGroups } from './groups.ts';
import { createLookup } from './lookup.ts';
import { createNames } from './names.ts';
import { digestOf, normalRef, refOfBytes } from './refs.ts';
import { createSegments, createWriter, MAX_ENTRY_BYTES, type NewEntry } from './segments/index.ts';
import { keptSpot, objectSpot } from './spots.ts';
import type { ResultStore } from './store.ts';

/** Fewer entries of a group go as files, so that a process that writes little leaves no segment. */
const FEWEST_IN_SEGMENT = 8;
/** A group ends with the entry that brings it to as much. */
const MAX_GROUP_BYTES = 16_777_216;

/** An object or a kept value that is to be on the disk. */
interface Written extends NewEntry {
  /** Its file, where it is written as one. */
  spot(): Spot;
}

/**
 * A store in `dir`, which is made on the first write. Many processes may use it at once, and none waits for another. Calls of
 * one turn of the event loop are written as a group: fewer than 8 as a file each, more in one write to a segment of this
 * process. Each file appears under its final name only when all of its bytes are on the disk; a crash leaves a file whose name
 * starts with a dot, which is never read, and which a later process that writes beside it removes after a day, or a cut end of
 * a segment, before which readers stop.
 * @example const ref = await createFileStore('.planwright/results').put(bytes);
 */
export function createFileStore(dir: string): ResultStore {
  const place = resolve(dir);
  const files = createFiles(place);
  const segments = createSegments(join(place, 'segments'));
  const append = createWriter(segments);
  const lookup = createLookup(place, files, segments);
  const underWay = new Map<string, { readonly bytes: Uint8Array; readonly stored: Promise<void> }>();
  const large = new Set<Promise<void>>();

  const writeFile = async ({ spot, bytes }: Written): Promise<void> => {
    const own = spot();
    if (!(await isIntact(own.path, bytes))) await files.write(own, bytes, replace);
  };

  const commit = async (group: readonly Written[]): Promise<void> => {
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
  const joinGroup = createGroups(commit, MAX_GROUP_BYTES, ({ bytes }) => bytes.length);

  const write = (one: Written): Promise<void> => {
    if (one.bytes.length <= MAX_ENTRY_BYTES) return joinGroup(one);
    const stored = writeFile(one);
    large.add(stored);
    const forget = () => void large.delete(stored);
    stored.then(forget, forget);
    return stored;
  };

  return {
    place,
    ...createNames(place, files),

    async put(given) {
      // A copy cannot be changed before it is written; the bytes of a large one begin to be written at once.
      const bytes = given.length <= MAX_ENTRY_BYTES ? Buffer.from(given) : given;
      const key = digestOf(bytes);
      const ref = key.toString('base64url');
      const before = underWay.get(ref);
      const stored = before?.stored ?? write({ kind: 'object', key, bytes, spot: () => objectSpot(place, ref) });
      if (before === undefined) underWay.set(ref, { bytes, stored });
      try {
        await stored;
      } finally {
        if (underWay.get(ref)?.stored === stored) underWay.delete(ref);
      }
      return ref;
    },

    async get(ref) {
      const wanted = normalRef(ref);
      const bytes = underWay.get(wanted)?.bytes;
      return bytes === undefined ? lookup.object(wanted) : Buffer.from(bytes);
    },

    async keep(name, value) {
      const bytes = Buffer.from(value);
      // Those are no part of a group, and a value that is kept after them may name them.
      await Promise.all(large);
      await write({ kind: 'kept', key: digestOf(name), bytes, spot: () => keptSpot(place, name, refOfBytes(bytes)) });
    },

    kept: (name) => lookup.keptValues(name),
  };
}

function parted(group: readonly Written[]): readonly [objects: readonly Written[], kept: readonly Written[]] {
  return [group.filter(({ kind }) => kind === 'object'), group.filter(({ kind }) => kind === 'kept')];
}

/** Fails when all have ended, so that the group behind a failed one begins alone. */
async function allOf(writes: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/**
 * Whether the file has just these bytes. One that was cut or changed is written anew: anybody who has its bytes can mend it.
 */
async function isIntact(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    return (await stat(path)).size === bytes.length && (await readFile(path)).equals(bytes);
  } catch {
    return false;
  }
}
