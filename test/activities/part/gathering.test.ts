/** Writes of a part that wait for each other, so that the store puts them into one commit. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { refOfBytes, type ResultStore } from '../../../src/store/index.ts';
import { gathering } from '../../../src/activities/part/gathering.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function heard() {
  const writes: string[] = [];
  const store = {
    put(bytes: Uint8Array) {
      writes.push(`put ${bytes.length}`);
      return Promise.resolve(refOfBytes(bytes));
    },
    keep(name: string) {
      writes.push(`keep ${name}`);
      return Promise.resolve();
    },
  } as unknown as ResultStore;
  return { writes, store: gathering(store) };
}

test('small ones go on together after 4 ms, in their order; larger ones go at once', async () => {
  const { writes, store } = heard();
  const first = store.put(new Uint8Array(1));
  await vi.advanceTimersByTimeAsync(3);
  const kept = store.keep('done', new Uint8Array(2));
  const large = store.put(new Uint8Array(16 * 1024 + 1));
  await large;
  expect(writes).toEqual(['put 16385']);
  await vi.advanceTimersByTimeAsync(1);
  expect(writes).toEqual(['put 16385', 'put 1', 'keep done']);
  expect(await first).toBe(refOfBytes(new Uint8Array(1)));
  await kept;
});

test('one that comes later waits anew', async () => {
  const { writes, store } = heard();
  void store.put(new Uint8Array(1));
  await vi.advanceTimersByTimeAsync(4);
  void store.put(new Uint8Array(2));
  await vi.advanceTimersByTimeAsync(3);
  expect(writes).toEqual(['put 1']);
  await vi.advanceTimersByTimeAsync(1);
  expect(writes).toEqual(['put 1', 'put 2']);
});
