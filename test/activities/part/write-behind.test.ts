/** Results that are read before the disk has them: what failed is told, and memory has a bound. */

import { describe, expect, test } from 'vitest';
import { refOfBytes, StoreError, type Piece, type ResultStore } from '../../../src/store/index.ts';
import {
  createRecentResults,
  openWriteBatch,
  type RecentResults,
  writeBehind as behindStore,
} from '../../../src/activities/part/write-behind.ts';

const KIB = 1024;
const bytesOf = (size: number, fill = 1) => new Uint8Array(size).fill(fill);

/** A disk that writes when the test says so. */
function slowDisk() {
  const writes: { readonly ref: string; resolve(): void; reject(error: Error): void }[] = [];
  const reads: string[] = [];
  const store = {
    put(bytes: Uint8Array) {
      const ref = refOfBytes(bytes);
      return new Promise<string>((resolve, reject) => writes.push({ ref, resolve: () => resolve(ref), reject }));
    },
    get(ref: string) {
      reads.push(ref);
      return Promise.resolve(bytesOf(1, 9));
    },
  } as unknown as ResultStore;
  return { store, writes, reads };
}

async function isSettled(work: Promise<unknown>): Promise<boolean> {
  let done = false;
  const note = () => void (done = true);
  work.then(note, note);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  return done;
}

const writeBehind = (store: ResultStore, lately: RecentResults, givenUp = new AbortController().signal) =>
  behindStore(store, openWriteBatch(store), lately, givenUp);

describe('a store that writes behind', () => {
  test('gives a result its reference and its bytes before the disk has it', async () => {
    const { store, writes, reads } = slowDisk();
    const behind = writeBehind(store, createRecentResults());
    const bytes = bytesOf(256 * KIB);
    const ref = await behind.store.put(bytes);
    expect(ref).toBe(refOfBytes(bytes));
    expect(await behind.store.get(ref)).toBe(bytes);
    expect([writes.length, reads]).toEqual([1, []]);
    const all = behind.settled();
    expect(await isSettled(all)).toBe(false);
    writes[0]?.resolve();
    await all;
  });

  test('waits for a result above 256 KiB, and keeps it out of memory', async () => {
    const { store, writes, reads } = slowDisk();
    const behind = writeBehind(store, createRecentResults());
    const put = behind.store.put(bytesOf(256 * KIB + 1));
    expect(await isSettled(put)).toBe(false);
    writes[0]?.resolve();
    await behind.store.get(await put);
    expect(reads).toEqual([await put]);
    await behind.settled();
  });

  test('tells of a write that failed, when it is asked whether all are there', async () => {
    const { store, writes } = slowDisk();
    const behind = writeBehind(store, createRecentResults());
    await behind.store.put(bytesOf(17 * KIB));
    await behind.store.put(bytesOf(18 * KIB));
    const full = new StoreError('unwritable', 'ENOSPC');
    writes[1]?.reject(full);
    writes[0]?.resolve();
    await expect(behind.settled()).rejects.toBe(full);
  });

  test('writes nothing once its node is given up', async () => {
    const { store, writes } = slowDisk();
    const givenUp = new AbortController();
    const { store: behind } = writeBehind(store, createRecentResults(), givenUp.signal);
    givenUp.abort(new Error('it lasts'));
    await expect(behind.put(bytesOf(17 * KIB))).rejects.toThrow('it lasts');
    await expect(behind.enter('done/node', bytesOf(1))).rejects.toThrow('it lasts');
    expect(writes).toEqual([]);
  });

  test('of one node does not wait for the writes of another, and reads its results', async () => {
    const { store, writes, reads } = slowDisk();
    const lately = createRecentResults();
    const [one, other] = [writeBehind(store, lately), writeBehind(store, lately)];
    const ref = await one.store.put(bytesOf(17 * KIB));
    expect((await other.store.get(ref)).length).toBe(17 * KIB);
    await other.settled();
    expect(await isSettled(one.settled())).toBe(false);
    expect([writes.length, reads.length]).toEqual([1, 0]);
  });
});

describe('what was written lately', () => {
  test('is at most 64 MiB, and the oldest is forgotten first', () => {
    const lately = createRecentResults();
    const piece = bytesOf(256 * KIB);
    for (let at = 0; at < 257; at += 1) lately.add(`r${at}`, piece);
    expect([lately.get('r0'), lately.get('r1'), lately.get('r256')]).toEqual([undefined, piece, piece]);
  });

  test('counts a result once', () => {
    const lately = createRecentResults(10);
    for (let at = 0; at < 5; at += 1) lately.add('a', bytesOf(6));
    lately.add('b', bytesOf(4));
    expect([lately.get('a')?.length, lately.get('b')?.length]).toEqual([6, 4]);
    lately.add('c', bytesOf(1));
    expect([lately.get('a'), lately.get('b')?.length]).toEqual([undefined, 4]);
  });
});

describe('what is written together', () => {
  function heard() {
    const writes: [contents: number, names: readonly string[]][] = [];
    const store = {
      putTogether(pieces: readonly Piece[]) {
        const names = pieces.flatMap(([, name]) => name ?? []);
        writes.push([pieces.length - names.length, names]);
        return Promise.resolve();
      },
    } as unknown as ResultStore;
    return { writes, gathered: openWriteBatch(store) };
  }

  test('is what has come within some milliseconds, a result and what is kept of its node', async () => {
    const { writes, gathered } = heard();
    await Promise.all([gathered.put(bytesOf(1)), gathered.enter('done', bytesOf(2)), gathered.put(bytesOf(3))]);
    expect(writes).toEqual([[2, ['done']]]);
    await gathered.put(bytesOf(4));
    expect(writes.slice(1)).toEqual([[1, []]]);
  });

  test('is at most 256', async () => {
    const { writes, gathered } = heard();
    await Promise.all(Array.from({ length: 300 }, () => gathered.put(bytesOf(1))));
    expect(writes.map(([contents]) => contents)).toEqual([256, 44]);
  });
});
