/** A store in a directory: a file for each key, whole or not there. */

import { randomUUID } from 'node:crypto';
import fs, { type Stats } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../plan/text/index.ts';
import { inLines } from './in-lines.ts';
import { inParallel } from './in-parallel.ts';
import { checkKey, forgotten, StoreError, type Found, type Store } from './store.ts';

/** The folder for files that are being written: one has its name when it is whole. No key begins so. */
const UNFINISHED = '.unfinished';
/** No write takes as long; a file that is older was left by a process that was killed. */
const LEFTOVER_MS = 24 * 60 * 60 * 1000;
/** Files that are looked at, or taken away, at once. */
const AT_ONCE = 64;
/** Folders that somebody takes away because they are empty are made again, so often at most. */
const MOST_TRIES = 5;
const PROBE = 'probe/first';

/**
 * A store in a directory, which is made when something is put. Processes of one machine share it, and of many where the file
 * system is one that shows at once what another has written.
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
   * One generator for all folders below: in nested ones each file would pass through every level.
   * @param begins what the names have to begin with
   * @param after the rest of a key, of which only what is behind it is told
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

  async function folderAt(path: readonly string[], begins: string, [least = '', ...rest]: readonly string[]) {
    const entries = await ifThere(() => readdir(join(place, ...path), { withFileTypes: true }), []);
    const there = entries.filter(({ name }) => name.startsWith(begins) && !name.startsWith('.') && name >= least);
    return { path, entries: there.toSorted((a, b) => (a.name < b.name ? -1 : 1)), at: 0, least, rest };
  }

  /** Up to the folder of the store. Somebody may put something there in this very moment. */
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

/**
 * One promise for the calls of many paths: one for each costs twice as much as the call. It is settled when all calls have ended.
 * @returns what came of each; undefined if there is no such file
 */
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

/** Its bytes are on the disk when it resolves. */
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
 * A link fails if the name is taken, so that of many racers one wins and no reader sees half a file. The links are made in order: after
 * a crash, a later one is there only if those before it are.
 * @returns which names were free
 */
async function publish(temporary: string, paths: readonly string[]): Promise<readonly boolean[]> {
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  for (let nth = 1; ; nth += 1) {
    try {
      const free: boolean[] = [];
      for (const path of paths) free.push(await link(temporary, path).then(() => true, unlessTaken));
      // A reference must not enter a history before a power cut can no longer take its file away, whoever has put it there.
      await Promise.all(folders.map(syncOnce));
      return free;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || nth === MOST_TRIES) throw error;
      await makeFolders(folders);
    }
  }
}

function unlessTaken(error: unknown): false {
  if (codeOf(error) === 'EEXIST') return false;
  throw error;
}

/** A folder that was made is on the disk once its parent is synced. */
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
  // Windows cannot open a directory; its file system journals renames by itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Who links a file while its folder is being synced shares the sync after that. */
const syncOnce = inLines<string, undefined>(
  (folder) => folder,
  async (folders) => {
    await syncFolder(folders[0]!);
    return folders.map(() => undefined);
  },
);

/** Leftovers do not harm the store, so that failing to remove them is no failure. */
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
