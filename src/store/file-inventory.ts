/** The things that a store in a directory has, and how they are taken away while others write. */

import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { inParallel } from './in-parallel.ts';
import { unreadable, unwritable, type Files } from './files.ts';
import { MARK } from './names.ts';
import { refOfBytes } from './refs.ts';
import { clearSegment, listSegment, SEGMENT_NAME } from './segments/index.ts';
import { doomedPath, nameSpot, objectSpot } from './spots.ts';
import type { Inventory, Item, ItemKind, NewEntry, Removed } from './inventory.ts';

const REF = /^[\w-]{43}$/;
const HASH = /^[0-9a-f]{64}$/;
const SHARD = /^[\w-]{2}$/;
/** Files that are looked at, or taken away, at once. */
const AT_ONCE = 32;

export function createFileInventory(
  place: string,
  files: Files,
  append: (entries: readonly NewEntry[]) => Promise<void>,
): Pick<Inventory, 'items' | 'remove'> {
  const segments = join(place, 'segments');

  return {
    async *items() {
      for await (const item of filesOf(place, files, 'object', 'objects', REF)) if (item.key !== MARK) yield item;
      yield* filesOf(place, files, 'name', 'names', HASH);
      for (const shard of await shardsOf(files, join(place, 'kept'))) {
        for (const hash of await files.list(join(place, 'kept', shard))) {
          if (HASH.test(hash)) yield* valuesOf(place, files, join(place, 'kept', shard, hash));
        }
      }
      for (const name of await files.list(segments))
        if (SEGMENT_NAME.test(name)) yield* entriesOf(place, segments, name);
    },

    async remove(items, usedBefore) {
      const [ofSegments, alone] = [[] as Item[], [] as Item[]];
      for (const item of items) (item.at.startsWith(`${segments}${sep}`) ? ofSegments : alone).push(item);
      try {
        // Somebody was killed who took them away.
        for (const name of await files.list(join(place, 'doomed'))) await putBack(place, name);
        const removeAlone = (isObject: boolean) =>
          inParallel(
            AT_ONCE,
            alone.filter(({ kind }) => (kind === 'object') === isObject),
            (item) => removeFile(place, files, item, usedBefore),
          );
        return sumOf([
          ...(await removeAlone(false)),
          ...(await removeAlone(true)),
          ...(await clear(segments, ofSegments, usedBefore, append)),
        ]);
      } catch (error) {
        throw unwritable(place, error);
      }
    },
  };
}

async function* filesOf(
  place: string,
  files: Files,
  kind: ItemKind,
  top: string,
  pattern: RegExp,
): AsyncGenerator<Item> {
  for (const shard of await shardsOf(files, join(place, top))) {
    const folder = join(place, top, shard);
    const names = (await files.list(folder)).filter((one) => pattern.test(one));
    yield* foundOf(
      place,
      names,
      (name) => join(folder, name),
      (name) => ({
        kind,
        key: kind === 'object' ? name : Buffer.from(name, 'hex').toString('base64url'),
      }),
    );
  }
}

/** Things lie in folders by the first two letters of their names. */
async function shardsOf(files: Files, folder: string): Promise<readonly string[]> {
  return (await files.list(folder)).filter((one) => SHARD.test(one));
}

async function* valuesOf(place: string, files: Files, folder: string): AsyncGenerator<Item> {
  const key = Buffer.from(basename(folder), 'hex').toString('base64url');
  const values = (await files.list(folder)).filter((one) => REF.test(one));
  yield* foundOf(
    place,
    values,
    (value) => join(folder, value),
    (value) => ({ kind: 'kept', key, value }),
  );
}

async function* foundOf(
  place: string,
  names: readonly string[],
  pathOf: (name: string) => string,
  what: (name: string) => Pick<Item, 'kind' | 'key' | 'value'>,
): AsyncGenerator<Item> {
  const found = await inParallel(AT_ONCE, names, async (name): Promise<Item | undefined> => {
    const at = pathOf(name);
    const told = await stat(at).catch(orGone(place));
    return told && { ...what(name), bytes: told.size, usedAt: told.mtimeMs, at };
  });
  for (const item of found) if (item !== undefined) yield item;
}

async function* entriesOf(place: string, folder: string, name: string): AsyncGenerator<Item> {
  const path = join(folder, name);
  const listed = await listSegment(path).catch(orGone(place));
  for (const { kind, key, bytes, offset } of listed?.entries ?? []) {
    const value = kind === 'kept' ? { value: refOfBytes(bytes) } : {};
    yield {
      ...{ kind, key: key.toString('base64url'), ...value },
      ...{ bytes: bytes.length, usedAt: listed?.writtenAt ?? 0, at: `${path}:${offset}` },
    };
  }
}

/**
 * An object is put aside first, where it is read meanwhile: a `put` that has found it stored has renewed its time before, or finds
 * it gone and writes it anew.
 */
async function removeFile(place: string, files: Files, item: Item, before: number): Promise<Removed | undefined> {
  const { kind, key, value, bytes } = item;
  const at = kind === 'name' ? nameSpot(place, key).path : item.at;
  const told = await stat(at).catch(orGone(place));
  if (told === undefined || told.mtimeMs >= before) return undefined;
  if (kind === 'name') {
    if ((await files.read(at))?.toString('latin1') !== value) return undefined;
  } else if (kind === 'object') {
    await mkdir(join(place, 'doomed'), { recursive: true });
    const aside = doomedPath(place, key);
    await rename(at, aside);
    if ((await stat(aside)).mtimeMs >= before) {
      await putBack(place, key);
      return undefined;
    }
    await rm(aside);
    return { count: 1, bytes };
  }
  await rm(at);
  if (kind === 'kept') await rmdir(dirname(at)).catch(() => undefined);
  return { count: 1, bytes };
}

/** A file that was written in its place meanwhile has the same bytes. */
async function putBack(place: string, ref: string): Promise<void> {
  if (REF.test(ref)) await rename(doomedPath(place, ref), objectSpot(place, ref).path);
}

async function clear(
  folder: string,
  items: readonly Item[],
  before: number,
  append: (entries: readonly NewEntry[]) => Promise<void>,
): Promise<readonly (Removed | undefined)[]> {
  const bySegment = new Map<string, Set<string>>();
  for (const { at } of items) {
    const name = basename(at.slice(0, at.lastIndexOf(':')));
    bySegment.set(name, (bySegment.get(name) ?? new Set()).add(at));
  }
  const removed: (Removed | undefined)[] = [];
  for (const [name, doomed] of bySegment) {
    const isNeeded = ({ offset }: { readonly offset: number }) => !doomed.has(`${join(folder, name)}:${offset}`);
    removed.push(await clearSegment(folder, name, before, isNeeded, append));
  }
  return removed;
}

function sumOf(removed: readonly (Removed | undefined)[]): Removed {
  return removed.reduce<Removed>(
    (sum, one) => ({ count: sum.count + (one?.count ?? 0), bytes: sum.bytes + (one?.bytes ?? 0) }),
    { count: 0, bytes: 0 },
  );
}

function orGone(place: string): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw unreadable(place, error);
  };
}
