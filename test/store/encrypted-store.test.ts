/** Nothing of an encrypted store stands in clear below it, and a key of the project can come and go. */

import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createFileStore,
  encryptedStore,
  hasLostNames,
  isEncrypted,
  refOfBytes,
  type Item,
  type OpenedStore,
} from '../../src/store/index.ts';
import type { EncryptionKeys } from '../../src/protocol/encryption/index.ts';
import { keyOf } from '../../src/store/grouped-store.ts';
import { foundBelow } from '../support/found-in-clear.ts';

const key = () => randomBytes(32).toString('base64');
const [a, b] = [key(), key()];
const A = { keys: { a }, current: 'a' };
const BOTH = { keys: { a, b }, current: 'b' };
const B = { keys: { b }, current: 'b' };
const bytes = (text: string) => Buffer.from(text);
const text = (read: Uint8Array) => Buffer.from(read).toString();
const MEGABYTE = 1_048_576;

async function place(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-encrypted-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'results');
}
const open = (at: string, keys: EncryptionKeys = A) => encryptedStore(createFileStore(at), keys);
const itemsOf = async (store: OpenedStore) => {
  const items: Item[] = [];
  for await (const item of store.inventory.items()) items.push(item);
  return items.toSorted((one, other) => (one.at < other.at ? -1 : 1));
};

describe('below an encrypted store', () => {
  test('stands no text and no name, in no form, nor the digest of what was stored', async () => {
    const at = await place();
    const store = open(at);
    const secret = `secret${randomBytes(9).toString('hex')}`;
    const large = Buffer.concat([Buffer.alloc(3 * MEGABYTE, secret), bytes(secret)]);
    const many = Array.from({ length: 20 }, (_, n) => store.put(bytes(`${secret} ${n}`)));
    const refs = await Promise.all([store.put(bytes(secret)), store.put(large), ...many]);
    await store.keep(secret, bytes(`${secret} kept`));
    await store.bind(`name ${secret}`, refs[0]);
    expect((await readdir(at)).toSorted()).toEqual(['kept', 'names', 'objects', 'segments']);
    for (const sought of [secret, ...refs, keyOf(secret), keyOf(`name ${secret}`)])
      expect(await foundBelow(at, sought)).toEqual([]);
    for (const ref of refs) expect(await foundBelow(at, Buffer.from(ref, 'base64url').toString('hex'))).toEqual([]);
    expect(text(await open(at).get(refs[0]))).toBe(secret);
    expect(refOfBytes(await open(at).get(refs[1]))).toBe(refOfBytes(large));
    expect((await open(at).kept(secret)).map(text)).toEqual([`${secret} kept`]);
    expect(await open(at).bound(`name ${secret}`)).toBe(refs[0]);
  });

  test('the search finds it in a store that is not encrypted', async () => {
    const at = await place();
    await createFileStore(at).put(bytes('not so secret'));
    expect(await foundBelow(at, 'not so secret')).not.toEqual([]);
  });

  test('stands what is stored twice once, by any process and under any key that is current', async () => {
    const at = await place();
    for (const keys of [A, A, BOTH]) {
      const store = open(at, keys);
      await store.put(bytes('same'));
      await store.keep('name', bytes('same'));
    }
    const items = await itemsOf(open(at, BOTH));
    expect(items.map(({ kind, key: of }) => [kind, of]).toSorted()).toEqual([
      ['kept', keyOf('name')],
      ['object', refOfBytes(bytes('same'))],
    ]);
  });

  test('a large object is there at once, and before what is kept behind it', async () => {
    const at = await place();
    const store = open(at);
    const large = randomBytes(5 * MEGABYTE);
    const stored = store.put(large);
    const kept = store.keep('name', bytes(refOfBytes(large)));
    expect(refOfBytes(await store.get(refOfBytes(large)))).toBe(refOfBytes(large));
    await kept;
    expect(refOfBytes(await open(at).get(await stored))).toBe(refOfBytes(large));
  });

  test('what was moved to another place, or was written there by somebody without the key, is not taken', async () => {
    const at = await place();
    const below = createFileStore(at);
    const store = encryptedStore(below, A);
    const [one, other] = [await store.put(bytes('one')), await store.put(bytes('other'))];
    const [first, second] = (await itemsOf(below)).filter(({ kind, bytes: size }) => kind === 'object' && size > 60);
    await cp(first!.at, second!.at);
    const read = await Promise.allSettled([one, other].map((ref) => open(at).get(ref)));
    expect(read.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(read.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'corrupt' } });
    // Whoever can write there can compute the check sum as well.
    const sealed = (await below.inventory.getAt(first!.key, () => true)).subarray(0, -32);
    const sum = createHash('sha256').update(second!.key).update(sealed).digest();
    await below.inventory.putAt(second!.key, Buffer.concat([sealed, sum]));
    const again = await Promise.allSettled([one, other].map((ref) => open(at).get(ref)));
    expect(again.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'corrupt', message: expect.stringContaining("not encrypted with this store's key") as string },
    });
  });
});

describe('the things in it', () => {
  test('are listed by the keys of those who store them, and taken away by them', async () => {
    const at = await place();
    const store = open(at);
    const ref = await store.put(bytes('object'));
    await store.keep('kept', bytes('value'));
    await store.bind('name', ref);
    const listed = await itemsOf(store);
    expect(listed.map(({ kind, key: of }) => [kind, of]).toSorted()).toEqual([
      ['kept', keyOf('kept')],
      ['name', keyOf('name')],
      ['object', ref],
    ]);
    expect(await store.inventory.nameAt(keyOf('name'))).toBe(ref);
    const items = listed.map((item) => (item.kind === 'name' ? { ...item, value: ref } : item));
    expect(await store.inventory.remove(items, Date.now() + 1000)).toMatchObject({ count: 3 });
    expect(await store.bound('name')).toBeUndefined();
    expect(await store.kept('kept')).toEqual([]);
    await expect(store.get(ref)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(ref) as string,
    });
    expect(await itemsOf(store)).toEqual([]);
    expect(text(await open(at).get(await open(at).put(bytes('again'))))).toBe('again');
  });
});

describe('a key of the project', () => {
  test('that is taken away after another was current is not needed any more, and names stay bound', async () => {
    const at = await place();
    const before = open(at);
    const [one, two] = [await before.put(bytes('one')), await before.put(bytes('two'))];
    expect(await before.bind('effect', one)).toBe(one);
    expect(text(await open(at, BOTH).get(one))).toBe('one');
    const after = open(at, B);
    expect(text(await after.get(two))).toBe('two');
    expect(await after.bound('effect')).toBe(one);
    expect(await after.bind('effect', two)).toBe(one);
  });

  test('that was never current with the store does not open it, and the keys that do are named', async () => {
    const at = await place();
    const ref = await open(at).put(bytes('one'));
    const refused = open(at, B).get(ref);
    await expect(refused).rejects.toMatchObject({ name: 'StoreError', code: 'unreadable', cause: { code: 'NO_KEY' } });
    await expect(refused).rejects.toThrow('it opens with the key a, and here is the key b');
    const wrong = open(at, { keys: { a: b }, current: 'a' }).get(ref);
    await expect(wrong).rejects.toThrow('the key a that is here is another one');
    for (const secret of [a, b]) await expect(wrong).rejects.not.toThrow(secret);
    expect(text(await open(at).get(ref))).toBe('one');
  });

  test('is read anew after a failure', async () => {
    const at = await place();
    let there = false;
    const store = encryptedStore(createFileStore(at), () => {
      if (there) return A;
      throw new Error('not yet');
    });
    await expect(store.put(bytes('one'))).rejects.toThrow('not yet');
    there = true;
    expect(text(await store.get(await store.put(bytes('one'))))).toBe('one');
  });
});

describe('the key of the store', () => {
  test('is one, however many processes make it at once', async () => {
    const at = await place();
    const stores = Array.from({ length: 8 }, () => open(at));
    const refs = await Promise.all(stores.map((store, n) => store.put(bytes(`of ${n}`))));
    for (const ref of refs) expect(text(await open(at).get(ref))).toMatch(/^of \d$/);
    expect(await isEncrypted(createFileStore(at).inventory)).toBe(true);
  });

  test('is not made in a store that holds something in clear, nor in one that lost its names or the key', async () => {
    const clear = await place();
    await createFileStore(clear).put(bytes('clear'));
    await expect(open(clear).put(bytes('one'))).rejects.toMatchObject({ code: 'unwritable' });
    expect(await isEncrypted(createFileStore(clear).inventory)).toBe(false);

    const at = await place();
    const ref = await open(at).put(bytes('one'));
    const copy = `${at}-copy`;
    await cp(at, copy, { recursive: true });
    await rm(join(at, 'names'), { recursive: true });
    expect(await hasLostNames(at)).toBe(true);
    await expect(open(at).get(ref)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('names') as string,
    });
    await expect(open(at).bind('effect', ref)).rejects.toMatchObject({ code: 'corrupt' });
    await rm(join(copy, 'kept'), { recursive: true });
    await expect(open(copy).get(ref)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('has lost the key') as string,
    });
  });
});
