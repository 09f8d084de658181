/** Nothing of an encrypted store stands in clear below it, and a key of the project can come and go. */

import { randomBytes } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFileStore, encryptedStore, hashOf, isEncrypted, resultsIn, runScope } from '../../src/store/index.ts';
import type { EncryptionKeys } from '../../src/protocol/encryption/index.ts';
import { foundBelow } from '../support/found-in-clear.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { testFolder } from '../support/folders.ts';

const key = () => randomBytes(32).toString('base64');
const [a, b] = [key(), key()];
const A = { keys: { a }, current: 'a' };
const BOTH = { keys: { a, b }, current: 'b' };
const B = { keys: { b }, current: 'b' };
const bytes = (text: string) => Buffer.from(text);
const text = (read: Uint8Array | undefined) => read && Buffer.from(read).toString();
const MEGABYTE = 1_048_576;

async function place(): Promise<string> {
  const folder = testFolder('encrypted');
  return join(folder, 'results');
}
const open = (at: string, keys: EncryptionKeys = A) => encryptedStore(createFileStore(at), keys);

describe('below an encrypted store', () => {
  test('stands no text and no hash, nor the digest of what was stored', async () => {
    const at = await place();
    const secret = `secret${randomBytes(9).toString('hex')}`;
    const scope = runScope({ namespace: 'default', workflowId: secret, firstRunId: 'c1' });
    const store = resultsIn(open(at), scope);
    const large = Buffer.concat([Buffer.alloc(3 * MEGABYTE, secret), bytes(secret)]);
    const refs = [await store.put(bytes(secret)), await store.put(large)];
    await store.enter(`root/done/${hashOf(secret)}-${hashOf('x')}`, bytes(`${secret} entered`));
    await store.putTogether([[bytes(`${secret} small`)], [bytes(secret), `root/done/${hashOf(`${secret} 2`)}`]]);
    const hashes = [scope.split('/')[1]!, hashOf(secret), hashOf('x'), hashOf(`${secret} 2`)];
    const digests = refs.flatMap((ref) => [ref, Buffer.from(ref, 'base64url').toString('hex')]);
    for (const sought of [secret, ...hashes, ...digests]) expect(await foundBelow(at, sought)).toEqual([]);
    const again = resultsIn(open(at), scope);
    expect(text(await again.get(refs[0]!))).toBe(secret);
    expect(Buffer.compare(await again.get(refs[1]!), large)).toBe(0);
    expect(await again.names('root/done/')).toHaveLength(2);
    expect(text(await again.entry(`root/done/${hashOf(secret)}-${hashOf('x')}`))).toBe(`${secret} entered`);
  });

  test('the search finds it in a store that is not encrypted', async () => {
    const at = await place();
    await resultsIn(createFileStore(at), 'runs/o/c').put(bytes('not so secret'));
    expect(await foundBelow(at, 'not so secret')).not.toEqual([]);
  });

  test('what was moved to another place, changed, or written there without the key, is not taken', async () => {
    const { store: below, kept } = createMemoryStore();
    const store = encryptedStore(below, A);
    await store.put('runs/o/one', bytes('one'));
    await store.put('runs/o/other', bytes('other'));
    const sealed = kept.get('runs/o/one')!;
    const flipped = Buffer.from(sealed);
    flipped[20]! ^= 1;
    for (const wrong of [sealed, flipped, bytes('in clear'), Buffer.alloc(0)]) {
      kept.set('runs/o/other', wrong);
      await expect(store.get('runs/o/other')).rejects.toMatchObject({ code: 'corrupt' });
    }
    expect(text(await store.get('runs/o/one'))).toBe('one');
  });
});

describe('a key of the project', () => {
  test('that is taken away after another was current is not needed any more', async () => {
    const at = await place();
    await open(at).put('runs/o/one', bytes('one'));
    expect(text(await open(at, BOTH).get('runs/o/one'))).toBe('one');
    const after = open(at, B);
    expect(text(await after.get('runs/o/one'))).toBe('one');
    expect(await after.put('runs/o/one', bytes('two'))).toBe(false);
  });

  test('that was never current with the store does not open it, and the keys that do are named', async () => {
    const at = await place();
    await open(at).put('runs/o/one', bytes('one'));
    const refused = open(at, B).get('runs/o/one');
    await expect(refused).rejects.toMatchObject({ name: 'StoreError', code: 'unreadable', cause: { code: 'NO_KEY' } });
    await expect(refused).rejects.toThrow('it opens with the key a, and here is the key b');
    const wrong = open(at, { keys: { a: b }, current: 'a' }).get('runs/o/one');
    await expect(wrong).rejects.toThrow('the key a that is here is another one');
    for (const secret of [a, b]) await expect(wrong).rejects.not.toThrow(secret);
    expect(text(await open(at).get('runs/o/one'))).toBe('one');
  });

  test('is read anew after a failure', async () => {
    let there = false;
    const store = encryptedStore(createMemoryStore().store, () => {
      if (there) return A;
      throw new Error('not yet');
    });
    await expect(store.put('runs/o/one', bytes('one'))).rejects.toThrow('not yet');
    there = true;
    expect(await store.put('runs/o/one', bytes('one'))).toBe(true);
  });
});

describe('the key of the store', () => {
  test('is one, however many processes make it at once', async () => {
    const at = await place();
    const stores = Array.from({ length: 8 }, () => open(at));
    await Promise.all(stores.map((store, n) => store.put(`runs/o/${n}`, bytes(`of ${n}`))));
    for (const n of stores.keys()) expect(text(await open(at).get(`runs/o/${n}`))).toBe(`of ${n}`);
    expect(await isEncrypted(createFileStore(at))).toBe(true);
  });

  test('is not made in a store that holds something in clear, nor in one that lost the key', async () => {
    const clear = await place();
    await createFileStore(clear).put('runs/o/one', bytes('clear'));
    await expect(open(clear).put('runs/o/two', bytes('one'))).rejects.toMatchObject({ code: 'unwritable' });
    expect(await isEncrypted(createFileStore(clear))).toBe(false);

    const at = await place();
    await open(at).put('runs/o/one', bytes('one'));
    await cp(at, `${at}-copy`, { recursive: true });
    await rm(join(at, 'sealed/slots'), { recursive: true });
    await expect(open(at).get('runs/o/one')).rejects.toMatchObject({ code: 'corrupt' });
    await rm(join(at, 'sealed'), { recursive: true });
    await expect(open(at).put('runs/o/two', bytes('two'))).rejects.toMatchObject({ code: 'unwritable' });
    expect(text(await open(`${at}-copy`).get('runs/o/one'))).toBe('one');
  });
});
