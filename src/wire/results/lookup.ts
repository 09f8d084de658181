/** Finds what a store in a directory holds: in segments that are known, in files, then in what has been written since. */

import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { unreadable, type Files } from './files.ts';
import { digestOf, refOfBytes } from './refs.ts';
import type { NewEntry, Segments } from './segments/index.ts';
import { keptFolder, objectSpot } from './spots.ts';
import { StoreError } from './store.ts';

export interface Lookup {
  /** @throws StoreError `not-found`, `corrupt`, `unreadable` */
  object(ref: string): Promise<Uint8Array>;
  /** @throws StoreError `corrupt`, `unreadable` */
  keptValues(name: string): Promise<readonly Uint8Array[]>;
  /** Whether this process has it whole in a segment, on the disk. */
  isInOwnSegment(one: NewEntry): Promise<boolean>;
}

/** Distinct values under one name that are read. */
const MAX_KEPT = 100;
const REF = /^[\w-]{43}$/;

export function createLookup(place: string, files: Files, segments: Segments): Lookup {
  const inSegments = async <T>(look: () => Promise<T>): Promise<T> => {
    try {
      return await look();
    } catch (error) {
      throw unreadable(place, error);
    }
  };

  /** The bytes, or the path of a copy that was changed. */
  const objectInSegments = (ref: string): Promise<Uint8Array | string | undefined> =>
    inSegments(async () => {
      let changedIn: string | undefined;
      for await (const { bytes, path } of segments.find('object', Buffer.from(ref, 'base64url'))) {
        if (refOfBytes(bytes) === ref) return bytes;
        changedIn = path;
      }
      return changedIn;
    });

  const objectInFile = async (ref: string): Promise<Uint8Array | string | undefined> => {
    const { path } = objectSpot(place, ref);
    const bytes = await files.read(path);
    return bytes === undefined || refOfBytes(bytes) === ref ? bytes : path;
  };

  const objectSince = async (ref: string): Promise<Uint8Array | string | undefined> => {
    await inSegments(() => segments.refresh());
    return objectInSegments(ref);
  };

  const keptFiles = async (name: string): Promise<readonly { readonly path: string; readonly ref: string }[]> => {
    const folder = keptFolder(place, name);
    const refs = (await files.list(folder)).filter((one) => REF.test(one)).slice(0, MAX_KEPT);
    return refs.map((ref) => ({ path: join(folder, ref), ref }));
  };

  return {
    async object(ref) {
      let changedIn: string | undefined;
      for (const look of [objectInSegments, objectInFile, objectSince]) {
        const found = await look(ref);
        if (found instanceof Uint8Array) return found;
        changedIn ??= found;
      }
      if (changedIn !== undefined) throw new StoreError('corrupt', changed(ref, changedIn));
      throw lost(ref) ?? new StoreError('not-found', missing(ref, place));
    },

    async keptValues(name) {
      const what = `a value kept under ${name}`;
      const values = new Map<string, Uint8Array>();
      const whole = new Set<string>();
      const changedIn = new Map<string, string>();
      const take = (bytes: Buffer, sum: number) => {
        values.set(refOfBytes(bytes), bytes);
        whole.add(copyOf(sum, bytes));
      };
      for (const { path, ref } of await keptFiles(name)) {
        const bytes = await files.read(path);
        if (bytes !== undefined && refOfBytes(bytes) !== ref) throw new StoreError('corrupt', changed(what, path));
        if (bytes !== undefined) take(bytes, crc32(bytes));
      }
      await inSegments(async () => {
        await segments.refresh();
        for await (const { sum, bytes, path } of segments.find('kept', digestOf(name))) {
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
    },

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

function missing(ref: string, place: string): string {
  return `There is no result ${ref} in the store at ${place}. Client and workers must share one store: give them the same directory (results.dir of the config, or PLANWRIGHT_STORE).`;
}

function changed(what: string, path: string): string {
  return `The file ${path} does not hold the bytes of ${what}: it was changed or cut after it was written. Remove it and run again what made it, or restore it from a copy.`;
}

function unsure(what: string, { path, at }: { readonly path: string; readonly at: number }): string {
  return `The store does not have ${what}, and may have lost it: the file ${path} was changed at byte ${at} after it was written. Restore the file from a copy, or move it out of the store; then what only it held counts as never stored, and is run again.`;
}
