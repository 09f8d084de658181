/** Finds what a store in a directory holds: in segments that are known, in files, then in what has been written since. */

import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { unreadable, type Files } from './files.ts';
import type { IsWhole, NewEntry } from './inventory.ts';
import { refOfBytes } from './refs.ts';
import type { Segments } from './segments/index.ts';
import { doomedPath, keptFolder, objectSpot } from './spots.ts';
import { MAX_KEPT, StoreError } from './store.ts';

export interface Lookup {
  /** @throws StoreError `not-found`, `corrupt`, `unreadable` */
  object(key: string, isWhole: IsWhole): Promise<Uint8Array>;
  /** @throws StoreError `corrupt`, `unreadable` */
  keptAt(key: string): Promise<readonly Uint8Array[]>;
  /** Whether this process has put it whole into a segment, on the disk, a short while ago. */
  isInOwnSegment(one: NewEntry): Promise<boolean>;
}

const REF = /^[\w-]{43}$/;
/** Segments are taken away when what they had stands in another one; nobody does so more often during one search. */
const MOST_LOOKS = 10;

/** Looks in one place: gives the bytes, or the path of a copy that was changed. */
type Look = (ref: string, isWhole: IsWhole) => Promise<Uint8Array | string | undefined>;

export function createLookup(place: string, files: Files, segments: Segments): Lookup {
  const inSegments = async <T>(look: () => Promise<T>): Promise<T> => {
    try {
      return await look();
    } catch (error) {
      throw unreadable(place, error);
    }
  };

  /** Looks again for as long as segments go meanwhile: what they had is in others then. */
  const untilStill = async <T>(look: () => Promise<T>, isFound: (found: T) => boolean): Promise<T> => {
    for (let nth = 1; ; nth += 1) {
      const before = segments.gone();
      const found = await look();
      if (isFound(found) || segments.gone() === before || nth === MOST_LOOKS) return found;
      await inSegments(() => segments.refresh());
    }
  };

  const objectInSegments: Look = (ref, isWhole) =>
    inSegments(async () => {
      let changedIn: string | undefined;
      for await (const { bytes, path } of segments.find('object', Buffer.from(ref, 'base64url'))) {
        if (isWhole(ref, bytes)) return bytes;
        changedIn = path;
      }
      return changedIn;
    });

  const objectIn =
    (pathOf: (ref: string) => string): Look =>
    async (ref, isWhole) => {
      const bytes = await files.read(pathOf(ref));
      return bytes === undefined || isWhole(ref, bytes) ? bytes : pathOf(ref);
    };
  const objectInFile = objectIn((ref) => objectSpot(place, ref).path);
  const objectDoomed = objectIn((ref) => doomedPath(place, ref));

  const objectSince: Look = async (ref, isWhole) => {
    await inSegments(() => segments.refresh());
    return objectInSegments(ref, isWhole);
  };

  /** A file may be on its way to be taken away, and back. */
  const looks = [objectInSegments, objectInFile, objectSince, objectDoomed, objectInFile];

  const objectOrChanged: Look = async (ref, isWhole) => {
    let changedIn: string | undefined;
    for (const look of looks) {
      const found = await look(ref, isWhole);
      if (found instanceof Uint8Array) return found;
      changedIn ??= found;
    }
    return changedIn;
  };

  const keptFiles = async (key: string): Promise<readonly { readonly path: string; readonly ref: string }[]> => {
    const folder = keptFolder(place, key);
    const refs = (await files.list(folder)).filter((one) => REF.test(one)).slice(0, MAX_KEPT);
    return refs.map((ref) => ({ path: join(folder, ref), ref }));
  };

  const keptNow = async (key: string): Promise<readonly Uint8Array[]> => {
    const what = `a value kept under the name ${key}`;
    const values = new Map<string, Uint8Array>();
    const whole = new Set<string>();
    const changedIn = new Map<string, string>();
    const take = (bytes: Buffer, sum: number) => {
      values.set(refOfBytes(bytes), bytes);
      whole.add(copyOf(sum, bytes));
    };
    for (const { path, ref } of await keptFiles(key)) {
      const bytes = await files.read(path);
      if (bytes !== undefined && refOfBytes(bytes) !== ref) throw new StoreError('corrupt', changed(what, path));
      if (bytes !== undefined) take(bytes, crc32(bytes));
    }
    await inSegments(async () => {
      await segments.refresh();
      for await (const { sum, bytes, path } of segments.find('kept', Buffer.from(key, 'base64url'))) {
        if (crc32(bytes) === sum) take(bytes, sum);
        else changedIn.set(copyOf(sum, bytes), path);
        if (values.size >= MAX_KEPT) break;
      }
    });
    // Another copy of the same value makes up for one that was changed.
    for (const [copy, path] of changedIn) {
      if (!whole.has(copy)) throw new StoreError('corrupt', changed(what, path));
    }
    const error = values.size === 0 ? lost(what) : undefined;
    if (error !== undefined) throw error;
    return [...values.values()];
  };

  return {
    async object(ref, isWhole) {
      const found = await untilStill(
        () => objectOrChanged(ref, isWhole),
        (one) => one instanceof Uint8Array,
      );
      if (found instanceof Uint8Array) return found;
      if (found !== undefined) throw new StoreError('corrupt', changed(ref, found));
      throw lost(ref) ?? new StoreError('not-found', missing(ref, place));
    },

    keptAt: (key) =>
      untilStill(
        () => keptNow(key),
        () => false,
      ),

    async isInOwnSegment({ kind, key, bytes: wanted }) {
      try {
        for await (const { bytes, isOwn } of segments.find(kind, key)) if (isOwn && bytes.equals(wanted)) return true;
      } catch {
        // A copy that cannot be read now is written again.
      }
      return false;
    },
  };

  function lost(what: string): StoreError | undefined {
    const damage = segments.damage();
    return damage && new StoreError('corrupt', unsure(what, damage));
  }
}

/** Check sum and length by the header: the copies of one value have the same, also one that was changed. */
function copyOf(sum: number, { length }: Uint8Array): string {
  return `${sum} ${length}`;
}

export function missing(ref: string, place: string): string {
  return `There is no result ${ref} in the store at ${place}. Client and workers must share one store: give them the same one (results of the config, or PLANWRIGHT_STORE).`;
}

function changed(what: string, path: string): string {
  return `The file ${path} does not hold the bytes of ${what}: it was changed or cut after it was written. Remove it and run again what made it, or restore it from a copy.`;
}

function unsure(what: string, { path, at }: { readonly path: string; readonly at: number }): string {
  return `The store does not have ${what}, and may have lost it: the file ${path} was changed at byte ${at} after it was written. Restore the file from a copy, or move it out of the store; then what only it held counts as never stored, and is run again.`;
}
