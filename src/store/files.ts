/** Files that are whole or not there: written beside their name, synchronised, and then given it. */

import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../plan/text/index.ts';
import { StoreError } from './store.ts';

/** A file of the store. */
export interface Spot {
  /** The folder in which it is written before it has its name. */
  readonly beside: string;
  readonly path: string;
}

/** Gives a file its name, and takes its temporary one away. */
export type Publish = (temporary: string, path: string) => Promise<void>;

export interface Files {
  /**
   * Writes the bytes to a temporary file, makes sure that they are on the disk, and lets `publish` give them their name.
   * Folders are synchronised too: a reference must not enter a history before a power cut can no longer take its file away.
   * @throws StoreError `unwritable`
   */
  write(spot: Spot, bytes: Uint8Array, publish: Publish): Promise<void>;
  /**
   * Undefined where there is no such file.
   * @throws StoreError `unreadable`
   */
  read(path: string): Promise<Buffer | undefined>;
  /**
   * The names in a folder; none where there is no such folder.
   * @throws StoreError `unreadable`
   */
  list(folder: string): Promise<readonly string[]>;
}

/** @param place the folder of the store, for messages */
export function createFiles(place: string): Files {
  const swept = new Set<string>();
  return {
    async write(spot, bytes, publish) {
      await writeVia(spot, bytes, publish).catch((error: unknown) => {
        throw unwritable(place, error);
      });
      if (swept.has(spot.beside)) return;
      swept.add(spot.beside);
      await removeLeftovers(spot.beside);
    },
    read: (path) => ifThere(() => readFile(path), undefined, place),
    list: (folder) => ifThere(() => readdir(folder), [], place),
  };
}

/** Takes the name from a file that has it: a file under the digest of its bytes has the same ones, or is mended. */
export const replace: Publish = rename;

/** A link fails where the name is taken, so that of many racers one wins and no reader sees half a file. */
export const linkIfFree: Publish = async (temporary, path) => {
  await link(temporary, path).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await unlink(temporary).catch(() => undefined);
};

async function writeVia({ beside, path }: Spot, bytes: Uint8Array, publish: Publish): Promise<void> {
  const temporary = join(beside, `.${randomUUID()}`);
  const folder = dirname(path);
  try {
    const file = await createIn(beside, temporary);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    if (folder !== beside) await makeFolder(folder);
    await publish(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Makes the folder where it is missing: but for the first write of each, it is there. */
async function createIn(folder: string, temporary: string): Promise<FileHandle> {
  try {
    return await open(temporary, 'wx');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await makeFolder(folder);
    return open(temporary, 'wx');
  }
}

/** A folder that is made stands on the disk when its parent does. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a directory; its file system journals renames by itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** No write takes as long; a file of its kind that is older was left by one that was killed. */
const LEFTOVER_MS = 24 * 60 * 60 * 1000;
const LEFTOVER = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Leftovers do not harm the store, so that failing to remove them is no failure. */
async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => LEFTOVER.test(one))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > LEFTOVER_MS) {
      await rm(path, { force: true }).catch(() => undefined);
    }
  }
}

async function ifThere<T>(read: () => Promise<T>, instead: T, place: string): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return instead;
    throw unreadable(place, error);
  }
}

export function unwritable(place: string, cause: unknown): StoreError {
  const message = `The result store at ${place} cannot be written (${messageOf(cause)}). Check that the directory exists on a disk with room and may be written by this user, or name another one.`;
  return new StoreError('unwritable', message, { cause });
}

export function unreadable(place: string, cause: unknown): StoreError {
  const message = `The result store at ${place} cannot be read (${messageOf(cause)}). Check the directory and its permissions.`;
  return new StoreError('unreadable', message, { cause });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
