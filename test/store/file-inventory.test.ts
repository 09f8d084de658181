/** A store in a directory from which things are taken away while others use it. */

import { mkdir, mkdtemp, open, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createFileStore, type Item, type OpenedStore } from '../../src/store/index.ts';
import { refOfBytes } from '../../src/store/refs.ts';
import { FILES } from './stores.ts';

let dir: string;
let store: OpenedStore;

beforeEach(async ({ onTestFinished }) => {
  dir = join(await mkdtemp(join(tmpdir(), 'planwright-inventory-')), 'results');
  store = createFileStore(dir);
  onTestFinished(() => rm(join(dir, '..'), { recursive: true, force: true }));
});

const numbers = (many: number) => Array.from({ length: many }, (_, n) => n);
const thing = (n: number) => Buffer.from(`thing ${n}`);
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const segments = () => readdir(join(dir, 'segments'));
const itemsOf = async (by: OpenedStore) => {
  const items: Item[] = [];
  for await (const item of by.inventory.items()) items.push(item);
  return items;
};
const among = (items: readonly Item[], things: readonly number[]) => {
  const refs = new Set(things.map((n) => refOfBytes(thing(n))));
  return items.filter(({ key, value }) => refs.has(value ?? key));
};
/** In one segment, by `by`. */
const write = (things: readonly number[], by = store) =>
  Promise.all(things.flatMap((n) => [by.put(thing(n)), by.keep(`name ${n}`, thing(n))]));

test('an object that is put in the moment in which it is taken away is there, then and later', async () => {
  const [remover, bytes] = [createFileStore(dir), thing(1)];
  const ref = refOfBytes(bytes);
  for (let round = 0; round < 200; round += 1) {
    await store.put(bytes);
    const before = await FILES.age(dir);
    const removing = remover.inventory.remove(await itemsOf(remover), before);
    for (let turn = 0; turn < round % 12; turn += 1) await setImmediate();
    await store.put(bytes);
    expect(text(await store.get(ref))).toBe(text(bytes));
    await removing;
    expect(text(await store.get(ref))).toBe(text(bytes));
  }
});

test('an object that was put aside by somebody who was killed is read, and put back', async () => {
  const ref = await store.put(thing(1));
  await mkdir(join(dir, 'doomed'));
  await rename(join(dir, 'objects', ref.slice(0, 2), ref), join(dir, 'doomed', ref));
  expect(text(await store.get(ref))).toBe('thing 1');
  expect(await store.inventory.remove([], Date.now())).toEqual({ count: 0, bytes: 0 });
  expect(await readdir(join(dir, 'doomed'))).toEqual([]);
  expect(text(await createFileStore(dir).get(ref))).toBe('thing 1');
});

describe('a segment', () => {
  test('goes when at most half of it is needed, which stands in another one then, for those who know the old one too', async () => {
    await write(numbers(20));
    const before = await FILES.age(dir);
    const reader = createFileStore(dir);
    expect(text(await reader.get(refOfBytes(thing(0))))).toBe('thing 0');
    const [old] = await segments();
    const items = await itemsOf(store);
    expect(await store.inventory.remove(among(items, [0, 1]), before)).toEqual({ count: 0, bytes: 0 });
    expect(await segments()).toEqual([old]);
    const dead = numbers(15);
    expect((await store.inventory.remove(among(items, dead), before)).count).toBe(2 * dead.length);
    expect(await segments()).not.toContain(old);
    for (const by of [reader, store, createFileStore(dir)]) {
      for (const n of numbers(20)) {
        const kept = (await by.kept(`name ${n}`)).map(text);
        expect(kept).toEqual(n < 15 ? [] : [`thing ${n}`]);
        const found = await by.get(refOfBytes(thing(n))).then(text, ({ code }: { code: string }) => code);
        expect(found).toBe(n < 15 ? 'not-found' : `thing ${n}`);
      }
    }
  });

  test('that was written to since stays', async () => {
    await write(numbers(20));
    const before = await FILES.age(dir);
    const items = await itemsOf(store);
    const [name = ''] = await segments();
    await utimes(join(dir, 'segments', name), new Date(), new Date());
    expect(await store.inventory.remove(items, before)).toEqual({ count: 0, bytes: 0 });
    expect(await segments()).toEqual([name]);
  });

  test('that somebody changed stays for a person to look at', async () => {
    await write(numbers(20));
    const [name = ''] = await segments();
    const file = await open(join(dir, 'segments', name), 'r+');
    await file.write(Buffer.from('?'), 0, 1, 60);
    await file.close();
    const before = await FILES.age(dir);
    const items = await itemsOf(store);
    expect(await store.inventory.remove(among(items, numbers(20).slice(1)), before)).toEqual({ count: 0, bytes: 0 });
    expect(await segments()).toEqual([name]);
  });

  test('that went while it was written to fails that group, and the next one has another', async () => {
    await write(numbers(10));
    const [name = ''] = await segments();
    const path = join(dir, 'segments', name);
    const file = await open(path);
    const handle = Object.getPrototypeOf(file) as Pick<typeof file, 'datasync'>;
    await file.close();
    const { datasync } = handle;
    vi.spyOn(handle, 'datasync').mockImplementationOnce(async function (this: typeof file) {
      await datasync.call(this);
      await rename(path, join(dir, 'elsewhere'));
    });
    await expect(write(numbers(20).slice(10))).rejects.toMatchObject({ code: 'unwritable' });
    await write(numbers(20).slice(10));
    for (const n of numbers(20).slice(10))
      expect(text(await createFileStore(dir).get(refOfBytes(thing(n))))).toBe(`thing ${n}`);
  });

  test('is not written to an hour after the last time, and what it has does not count as stored then', async () => {
    await write(numbers(10));
    const [first] = await segments();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_700_000 });
    try {
      await write(numbers(10));
    } finally {
      vi.useRealTimers();
    }
    const both = await segments();
    expect(both).toHaveLength(2);
    expect(both).toContain(first);
  });

  test('is read whole while others like it go', async () => {
    const alive = numbers(400).filter((n) => n % 10 === 0);
    for (let from = 0; from < 400; from += 20)
      await write(
        numbers(20).map((n) => from + n),
        createFileStore(dir),
      );
    const before = await FILES.age(dir);
    const items = await itemsOf(store);
    const dead = new Set(numbers(400).filter((n) => n % 10 !== 0));
    const reader = createFileStore(dir);
    const [over, reading] = [{ is: false }, [] as string[]];
    const read = async () => {
      while (!over.is) {
        for (const n of alive) {
          reading.push(text(await reader.get(refOfBytes(thing(n)))), ...(await reader.kept(`name ${n}`)).map(text));
          expect(reading.splice(0)).toEqual([`thing ${n}`, `thing ${n}`]);
        }
      }
    };
    const readers = read();
    await store.inventory.remove(among(items, [...dead]), before);
    over.is = true;
    await readers;
    expect((await itemsOf(store)).length).toBe(2 * alive.length);
  });
});

test('files that are none of the store are not listed', async () => {
  await store.put(thing(1));
  await writeFile(join(dir, 'objects', 'notes.txt'), 'x').catch(() => undefined);
  await mkdir(join(dir, 'names', 'ab'), { recursive: true });
  await writeFile(join(dir, 'names', 'ab', '.half'), 'x');
  expect((await itemsOf(store)).map(({ kind }) => kind)).toEqual(['object']);
});
