/** A store in a directory, with one file for each key. A file is complete or absent. */

import { randomUUID } from 'node:crypto';
import fs, { type Stats } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../plan/text/index.ts';
import { inLines, inParallel } from './in-lines.ts';
import { checkKey, forgotten, StoreError, type Found, type Store } from './store.ts';

/** The folder for unfinished files, which are linked to their names once they are complete. */
const UNFINISHED = '.unfinished';
/** Age in ms after which an unfinished file counts as abandoned, because its process was killed. */
const LEFTOVER_MS = 24 * 60 * 60 * 1000;
const AT_ONCE = 64;
/** Maximum number of attempts to create a folder. Other processes may remove it, since they remove empty folders. */
const MAX_TRIES = 5;
const PROBE = 'probe/first';

/**
 * Creates a store in a directory. The first write creates the directory. Processes on one machine can share it;
 * processes on several machines need a file system on which each sees at once what another has written.
 * @example createWorker({ ...place, registry, store: createFileStore('.planwright/results') });
 */
export function createFileStore(dir: string): Store {
  const place = resolve(dir);
  const unfinished = join(place, UNFINISHED);
  const pathOf = (key: string) => join(place, ...checkKey(key).split('/'));
  let swept: Promise<void> | undefined;

  const writable = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((cause: unknown) => {
      const message = `The result store at ${place} cannot be written (${messageOf(cause)}). Check that the directory exists on a disk with room and may be written by this user, or name another one.`;
      throw new StoreError('unwritable', message, { cause });
    });
  const ifThere = async <T>(read: () => Promise<T>, instead: T): Promise<T> => {
    try {
      return await read();
    } catch (cause) {
      if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(cause))) return instead;
      const message = `The result store at ${place} cannot be read (${messageOf(cause)}). Check the directory and its permissions.`;
      throw new StoreError('unreadable', message, { cause });
    }
  };

  const store: Store = {
    place,

    async get(key) {
      const path = pathOf(key);
      return ifThere<Uint8Array | undefined>(() => readFile(path), undefined);
    },

    async put(key, bytes) {
      const [isFree = false] = await putUnder([key], bytes);
      return isFree;
    },

    putUnder,

    async *list(prefix, after = '') {
      const end = prefix.lastIndexOf('/') + 1;
      const below = prefix.slice(0, end).split('/').filter(Boolean);
      yield* filesIn(below, prefix.slice(end), after.split('/').slice(below.length));
    },

    remove: (keys) =>
      writable(async () => {
        for (let at = 0; at < keys.length; at += AT_ONCE) await unlinkAll(keys.slice(at, at + AT_ONCE).map(pathOf));
        const folders = new Set(keys.map((key) => dirname(pathOf(key))));
        await inParallel(AT_ONCE, [...folders], removeEmpty);
      }),

    async probe() {
      await store.put(PROBE, Buffer.from(PROBE));
      if ((await store.get(PROBE)) === undefined) throw forgotten(PROBE, place);
    },
  };
  return store;

  async function putUnder(keys: readonly string[], bytes: Uint8Array): Promise<readonly boolean[]> {
    const paths = keys.map(pathOf);
    return writable(async () => {
      const temporary = join(unfinished, randomUUID());
      await writeNew(temporary, bytes);
      try {
        return await publish(temporary, paths);
      } finally {
        await unlink(temporary).catch(() => undefined);
        await (swept ??= sweep(unfinished));
      }
    });
  }

  /**
   * Lists files, without nested generators, since each file would pass every level.
   * @param after only later keys are listed
   */
  async function* filesIn(below: readonly string[], begins: string, after: readonly string[]): AsyncGenerator<Found> {
    const folders = [await folderAt(below, begins, after)];
    for (let top = folders.at(-1); top !== undefined; top = folders.at(-1)) {
      const { path, entries, least, rest } = top;
      const from = top.at;
      const first = entries[from];
      top.at += 1;
      if (first === undefined) folders.pop();
      else if (first.isDirectory())
        folders.push(await folderAt([...path, first.name], '', first.name === least ? rest : []));
      else {
        while (top.at < from + AT_ONCE && entries[top.at]?.isDirectory() === false) top.at += 1;
        const some = entries.slice(from, top.at).filter((one) => one.isFile() && (one.name > least || rest.length > 0));
        const found = await ifThere(() => statAll(some.map(({ name }) => join(place, ...path, name))), []);
        for (const [index, { name }] of some.entries()) {
          const one = found[index];
          if (one !== undefined) yield { key: [...path, name].join('/'), bytes: one.size, at: one.mtimeMs };
        }
      }
    }
  }

  async function folderAt(path: readonly string[], begins: string, [first = '', ...rest]: readonly string[]) {
    const entries = await ifThere(() => readdir(join(place, ...path), { withFileTypes: true }), []);
    const there = entries.filter(({ name }) => name.startsWith(begins) && !name.startsWith('.') && name >= first);
    return { path, entries: there.toSorted((a, b) => (a.name < b.name ? -1 : 1)), at: 0, least: first, rest };
  }

  /** Removes empty folders, up to the folder of the store. Another process may add a file at the same time. */
  async function removeEmpty(folder: string): Promise<void> {
    for (let one = folder; one !== place && one.startsWith(place); one = dirname(one)) {
      const isGone = await rmdir(one).then(
        () => true,
        () => false,
      );
      if (!isGone) return;
    }
  }
}

const statAll = forAll<Stats>(fs.stat);
const unlinkAll = forAll<void>(fs.unlink);

/** Calls a function for many paths with one promise, since one for each costs twice. Missing files give undefined. */
function forAll<T>(call: (path: string, done: (error: Error | null, value: T) => void) => void) {
  return (paths: readonly string[]): Promise<(T | undefined)[]> =>
    new Promise((settle, fail) => {
      const values: (T | undefined)[] = [];
      let left = paths.length;
      let failed: Error | undefined;
      if (left === 0) settle(values);
      for (const [index, path] of paths.entries()) {
        call(path, (error, value) => {
          values[index] = value;
          left -= 1;
          if (error !== null && codeOf(error) !== 'ENOENT') failed ??= error;
          if (left > 0) return;
          if (failed === undefined) settle(values);
          else fail(failed);
        });
      }
    });
}

/** Writes a new file. Resolves when the bytes are on the disk. */
async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const write = () => writeFile(path, bytes, { flag: 'wx', flush: true });
  try {
    await write().catch(async (error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      await makeFolders([dirname(path)]);
      await write();
    });
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Links a file to its names. A link fails if the name exists, so exactly one writer succeeds, and no reader sees half a
 * file. After a crash, a later link exists only if the earlier ones do.
 * @returns which names were free
 */
async function publish(temporary: string, paths: readonly string[]): Promise<readonly boolean[]> {
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  for (let nth = 1; ; nth += 1) {
    try {
      const free: boolean[] = [];
      for (const path of paths) free.push(await link(temporary, path).then(() => true, unlessTaken));
      // After a power failure, a file that a history refers to must still exist, whoever wrote it.
      await Promise.all(folders.map(syncOnce));
      return free;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || nth === MAX_TRIES) throw error;
      await makeFolders(folders);
    }
  }
}

function unlessTaken(error: unknown): false {
  if (codeOf(error) === 'EEXIST') return false;
  throw error;
}

async function makeFolders(folders: readonly string[]): Promise<void> {
  const parents = new Set<string>();
  for (const folder of folders) {
    const first = await mkdir(folder, { recursive: true });
    if (first === undefined) continue;
    for (let made = folder; made.length >= first.length; made = dirname(made)) parents.add(dirname(made));
  }
  await Promise.all([...parents].map(syncFolder));
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a directory. Its file system journals renames in any case.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs a folder. Writers that link files during a sync share the next one. */
const syncOnce = inLines<string, undefined>(
  (folder) => folder,
  async (folders) => {
    await syncFolder(folders[0]!);
    return folders.map(() => undefined);
  },
);

/** Removes abandoned files. They are harmless, so failures are ignored. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > LEFTOVER_MS)
      await rm(path, { force: true }).catch(() => {});
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
