/** A result store in a directory: `objects/ab/<ref>` for bytes, `names/ab/<hash of the name>` for bindings. */

import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, unlink, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '../../language/text/index.ts';
import { normalRef, refOfBytes } from './refs.ts';
import { StoreError } from './store.ts';
import type { ResultStore } from './store.ts';

/**
 * A store in `dir`, which is made on the first write. Many processes may use it at once. A file appears under its final
 * name only when all of its bytes are on the disk; a crash leaves a file whose name starts with a dot, which is never
 * read, and which a later process that writes beside it removes after a day.
 * @example const ref = await createFileStore('.planwright/results').put(bytes);
 */
export function createFileStore(dir: string): ResultStore {
  const place = resolve(dir);
  const objectIn = (ref: string): Spot => spotOf(join(place, 'objects', ref.slice(0, 2)), ref);
  const nameIn = (name: string): Spot => {
    const hash = createHash('sha256').update(name).digest('hex');
    return spotOf(join(place, 'names', hash.slice(0, 2)), hash);
  };
  const swept = new Set<string>();
  const write = async (spot: Spot, bytes: Uint8Array, publish: Publish): Promise<void> => {
    await writeVia(spot, bytes, publish, place);
    if (swept.has(spot.folder)) return;
    swept.add(spot.folder);
    await removeLeftovers(spot.folder);
  };

  const put = async (bytes: Uint8Array): Promise<string> => {
    const ref = refOfBytes(bytes);
    const spot = objectIn(ref);
    if (!(await holds(spot.path, ref, bytes.length))) await write(spot, bytes, rename);
    return ref;
  };
  let isMarked = false;

  return {
    place,

    put,

    async get(ref) {
      const wanted = normalRef(ref);
      const { path } = objectIn(wanted);
      const bytes = await readIfThere(path, place);
      if (bytes === undefined) throw new StoreError('not-found', missing(wanted, place));
      if (refOfBytes(bytes) !== wanted) throw new StoreError('corrupt', changed(wanted, path));
      return bytes;
    },

    async bind(name, ref) {
      const wanted = normalRef(ref);
      const spot = nameIn(name);
      const bound = await readBinding(spot.path, place);
      if (bound !== undefined) return bound;
      if (!isMarked) await put(HAS_NAMES);
      isMarked = true;
      await write(spot, Buffer.from(wanted), linkIfFree);
      const winner = await readBinding(spot.path, place);
      if (winner === undefined) throw new StoreError('unreadable', forgotten(name, place));
      return winner;
    },

    bound: (name) => readBinding(nameIn(name).path, place),
  };
}

/** A file of the store, by its folder and its whole path. */
interface Spot {
  readonly folder: string;
  readonly path: string;
}

function spotOf(folder: string, file: string): Spot {
  return { folder, path: join(folder, file) };
}

/** Put into every store that has names, so that it can be told from one that has lost them. */
const HAS_NAMES = Buffer.from('this store keeps names');

/**
 * Whether the folder `names` of a store is gone: a copy was put back without it. Then an at-most-once effect that has
 * happened would happen again where a run is reset.
 * @example if (await hasLostNames('.planwright/results')) throw new Error('restore names');
 */
export async function hasLostNames(dir: string): Promise<boolean> {
  const place = resolve(dir);
  const mark = refOfBytes(HAS_NAMES);
  const isThere = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    );
  return (await isThere(join(place, 'objects', mark.slice(0, 2), mark))) && !(await isThere(join(place, 'names')));
}

/**
 * Whether the file is what it is named after. A file that was cut or changed is written anew: anybody who has its bytes
 * can mend it.
 */
async function holds(path: string, ref: string, size: number): Promise<boolean> {
  try {
    return (await stat(path)).size === size && refOfBytes(await readFile(path)) === ref;
  } catch {
    return false;
  }
}

/**
 * Writes the bytes to a file beside `path`, makes sure that they are on the disk, and lets `publish` give them their
 * name. The directory is synchronised too: a reference must not enter a history before a power cut can no longer
 * take its file away.
 */
async function writeVia({ folder, path }: Spot, bytes: Uint8Array, publish: Publish, place: string): Promise<void> {
  const temporary = join(folder, `.${randomUUID()}`);
  try {
    const file = await createIn(folder, temporary);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await publish(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const message = `The result store at ${place} cannot be written (${messageOf(error)}). Check that the directory exists on a disk with room and may be written by this user, or name another one.`;
    throw new StoreError('unwritable', message, { cause: error });
  }
}

/** Makes the folder where it is missing: but for the first write of each, it is there. */
async function createIn(folder: string, temporary: string): Promise<FileHandle> {
  try {
    return await open(temporary, 'wx');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true });
    return open(temporary, 'wx');
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

/** Gives a file its name, and takes its temporary one away. */
type Publish = (temporary: string, path: string) => Promise<void>;

/** A link fails where the name is taken, so that of many racers one wins and no reader sees half a file. */
async function linkIfFree(temporary: string, path: string): Promise<void> {
  await link(temporary, path).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await unlink(temporary).catch(() => undefined);
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a directory; its file system journals renames by itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readBinding(path: string, place: string): Promise<string | undefined> {
  const bytes = await readIfThere(path, place);
  if (bytes === undefined) return undefined;
  try {
    return normalRef(bytes.toString('latin1'));
  } catch (cause) {
    throw new StoreError(
      'corrupt',
      `The binding in ${path} is no reference: the file was changed after it was written.`,
      { cause },
    );
  }
}

async function readIfThere(path: string, place: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    const message = `The result store at ${place} cannot be read (${messageOf(error)}). Check the directory and its permissions.`;
    throw new StoreError('unreadable', message, { cause: error });
  }
}

function missing(ref: string, place: string): string {
  return `There is no result ${ref} in the store at ${place}. Client and workers must share one store: give them the same directory (results.dir of the config, or PLANWRIGHT_STORE).`;
}

function changed(ref: string, path: string): string {
  return `The file ${path} does not hold the bytes of ${ref}: it was changed or cut after it was written. Remove it and run again what made it, or restore it from a copy.`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Taking the own one for the winner would let an effect begin twice. */
function forgotten(name: string, place: string): string {
  return `${place} was told the name ${name} and does not have it a moment later; a store that several machines share needs a file system on which each sees at once what another has written`;
}
