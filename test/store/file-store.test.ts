import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileStore, digestOfRef, refOfDigest, StoreError } from '../../src/store/index.ts';
import type { ResultStore, StoreErrorCode } from '../../src/store/index.ts';

let dir: string;
let store: ResultStore;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'planwright-store-'));
  store = createFileStore(join(dir, 'results'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const refOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
const pathOf = (ref: string): string => join(store.place, 'objects', ref.slice(0, 2), ref);

describe('put and get', () => {
  test('the reference is the SHA-256 of the bytes, and the bytes come back', async () => {
    for (const text of ['', 'a', 'ä'.repeat(100_000)]) {
      const ref = await store.put(bytesOf(text));
      expect(ref).toBe(refOf(text));
      expect(Buffer.from(await store.get(ref)).toString()).toBe(text);
      expect(Buffer.from(await store.get(digestOfRef(ref))).toString()).toBe(text);
    }
  });

  test('another store on the same directory reads what was put', async () => {
    const ref = await store.put(bytesOf('shared'));
    expect(Buffer.from(await createFileStore(store.place).get(ref)).toString()).toBe('shared');
  });

  test('putting what is there writes nothing', async () => {
    const ref = await store.put(bytesOf('once'));
    const before = await stat(pathOf(ref), { bigint: true });
    await store.put(bytesOf('once'));
    const after = await stat(pathOf(ref), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  test('many writers of the same bytes at once leave one file', async () => {
    const stores = Array.from({ length: 20 }, () => createFileStore(store.place));
    const refs = await Promise.all(stores.map((one) => one.put(bytesOf('same'))));
    expect(new Set(refs)).toEqual(new Set([refOf('same')]));
    expect(await readdir(dirname(pathOf(refOf('same'))))).toEqual([refOf('same')]);
  });

  test('what a crash left half-written disturbs neither put nor get', async () => {
    const ref = refOf('whole');
    await mkdir(dirname(pathOf(ref)), { recursive: true });
    await writeFile(join(dirname(pathOf(ref)), '.leftover'), 'who');
    await expect(store.get(ref)).rejects.toThrow(StoreError);
    await store.put(bytesOf('whole'));
    expect(Buffer.from(await store.get(ref)).toString()).toBe('whole');
  });

  test('a file that was cut is corrupt, and putting its bytes again makes it whole', async () => {
    const ref = await store.put(bytesOf('to be cut'));
    await truncate(pathOf(ref), 3);
    await expectFailure(store.get(ref), 'corrupt', pathOf(ref));
    await store.put(bytesOf('to be cut'));
    expect(Buffer.from(await store.get(ref)).toString()).toBe('to be cut');
  });

  test('putting the bytes of a file in which one was flipped mends it', async () => {
    const ref = await store.put(bytesOf('intact'));
    await writeFile(pathOf(ref), 'intacT');
    await store.put(bytesOf('intact'));
    expect(Buffer.from(await store.get(ref)).toString()).toBe('intact');
  });

  test('what killed writes left is removed after a day, and nothing else is', async () => {
    const folder = dirname(pathOf(refOf('new')));
    await mkdir(folder, { recursive: true });
    const [old, young, other] = [`.${randomUUID()}`, `.${randomUUID()}`, '.keep'];
    for (const name of [old, young, other]) await writeFile(join(folder, name), 'half');
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    for (const name of [old, other]) await utimes(join(folder, name), longAgo, longAgo);
    await store.put(bytesOf('new'));
    expect((await readdir(folder)).toSorted()).toEqual([young, other, refOf('new')].toSorted());
  });

  test('a folder is looked through at the first write of a process alone', async () => {
    const ref = await store.put(bytesOf('new'));
    const left = join(dirname(pathOf(ref)), `.${randomUUID()}`);
    await writeFile(left, 'half');
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await utimes(left, longAgo, longAgo);
    const written = async (by: ResultStore) => {
      await rm(pathOf(ref));
      await by.put(bytesOf('new'));
      return (await readdir(dirname(left))).includes(basename(left));
    };
    expect([await written(store), await written(createFileStore(store.place))]).toEqual([true, false]);
  });
});

describe('failures', () => {
  test('a flipped byte is corrupt, and file and reference are named', async () => {
    const ref = await store.put(bytesOf('intact'));
    const bytes = await readFile(pathOf(ref));
    bytes[2]! ^= 1;
    await writeFile(pathOf(ref), bytes);
    await expectFailure(store.get(ref), 'corrupt', pathOf(ref), ref);
  });

  test('a missing result names the store and says that it must be shared', async () => {
    await expectFailure(store.get(refOf('nothing')), 'not-found', store.place, 'share');
  });

  test.each([
    '',
    'short',
    '../../etc/passwd',
    `${'a'.repeat(42)}/`,
    'a'.repeat(43),
    'g'.repeat(64),
    `${'A'.repeat(43)}\n`,
  ])('%j is no reference', async (ref) => {
    await expectFailure(store.get(ref), 'invalid-ref', '43 characters');
    await expectFailure(store.bind('name', ref), 'invalid-ref', '43 characters');
  });

  test('a directory that cannot be made is named', async () => {
    await writeFile(join(dir, 'file'), '');
    const blocked = createFileStore(join(dir, 'file', 'results'));
    await expectFailure(blocked.put(bytesOf('x')), 'unwritable', blocked.place);
    await expectFailure(blocked.bind('name', refOf('x')), 'unreadable', blocked.place);
  });

  test('what is there and cannot be read is not taken for missing', async () => {
    const ref = refOf('folder');
    await mkdir(pathOf(ref), { recursive: true });
    await expectFailure(store.get(ref), 'unreadable', store.place);
  });
});

describe('bind', () => {
  test('the first reference stays', async () => {
    expect(await store.bind('run/1', refOf('a'))).toBe(refOf('a'));
    expect(await store.bind('run/1', refOf('b'))).toBe(refOf('a'));
    expect(await store.bind('run/2', refOf('b'))).toBe(refOf('b'));
  });

  test('of many racers one wins and all are told the same', async () => {
    for (let round = 0; round < 40; round += 1) {
      const racers = Array.from({ length: 8 }, async (_, index) => {
        // Each starts some turns of the event loop after the one before, so that the steps of all interleave.
        for (let turn = 0; turn < index * (round % 5); turn += 1) await setImmediate();
        return createFileStore(store.place).bind(`race ${round}`, refOf(String(index)));
      });
      const bound = new Set(await Promise.all(racers));
      expect(bound.size).toBe(1);
      expect(await store.bind(`race ${round}`, refOf('late'))).toBe([...bound][0]);
    }
  });

  test('any text is a name, and none leads out of the store', async () => {
    for (const name of ['', '../../../escape', 'a/b', 'A/B', '\0', 'ö'.repeat(5000)]) {
      expect(await store.bind(name, refOf(name))).toBe(refOf(name));
    }
    expect(await readdir(dir)).toEqual(['results']);
    expect(await readdir(store.place)).toEqual(['names', 'objects']);
  });

  test('a name tells what it is bound to, in every process, and nothing while it is free', async () => {
    expect(await store.bound('run/1')).toBeUndefined();
    await store.bind('run/1', refOf('a'));
    await store.bind('run/1', refOf('b'));
    expect(await createFileStore(store.place).bound('run/1')).toBe(refOf('a'));
    expect(await store.bound('run/11')).toBeUndefined();
  });

  test('a binding that was changed is corrupt', async () => {
    await store.bind('name', refOf('a'));
    const [file] = (await readdir(join(store.place, 'names'), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile(),
    );
    await writeFile(join(file!.parentPath, file!.name), 'x');
    await expectFailure(store.bind('name', refOf('a')), 'corrupt', file!.name);
    await expectFailure(store.bound('name'), 'corrupt', file!.name);
  });
});

test('a digest and its reference are the same bytes', () => {
  const hex = createHash('sha256').update('plan').digest('hex');
  expect(refOfDigest(hex)).toBe(refOf('plan'));
  expect(refOfDigest(hex.toUpperCase())).toBe(refOf('plan'));
  expect(digestOfRef(refOf('plan'))).toBe(hex);
  expect(() => refOfDigest(refOf('plan'))).toThrow(/64 hex digits/);
});

async function expectFailure(
  promise: Promise<unknown>,
  code: StoreErrorCode,
  ...parts: readonly string[]
): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ code });
  for (const part of parts) expect((error as StoreError).message).toContain(part);
}
