import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLately, writeBehind } from '../../src/activities/part/write-behind.ts';
import { createFileStore, refOfBytes, type ResultStore } from '../../src/store/index.ts';

const bytes = Buffer.from('a result');
const ref = refOfBytes(bytes);

async function openStore(): Promise<ResultStore> {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-behind-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return createFileStore(folder);
}

test('what was written is read at once, and a name is bound when the disk has what it leads to', async () => {
  const store = await openStore();
  let goOn: () => void = () => undefined;
  const isFree = new Promise<void>((resolve) => (goOn = resolve));
  const put = async (given: Uint8Array) => {
    await isFree;
    return store.put(given);
  };
  const { store: behind, settled } = writeBehind({ ...store, put }, createLately());
  expect(await behind.put(bytes)).toBe(ref);
  expect(await behind.get(ref)).toEqual(bytes);
  const bound = behind.bind('done', ref);
  expect(await store.bound('done')).toBeUndefined();
  goOn();
  expect(await bound).toBe(ref);
  await settled();
  expect(await store.get(ref)).toEqual(bytes);
});

test('a write that fails binds nothing, and is told to whoever waits for all of them', async () => {
  const store = await openStore();
  const { store: behind, settled } = writeBehind(
    { ...store, put: () => Promise.reject(new Error('no room')) },
    createLately(),
  );
  expect(await behind.put(bytes)).toBe(ref);
  await expect(behind.bind('done', ref)).rejects.toThrow('no room');
  await expect(settled()).rejects.toThrow('no room');
  expect(await store.bound('done')).toBeUndefined();
});
