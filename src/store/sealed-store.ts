/** Encrypts a store: the bytes, and the hashes in their keys. */

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { openKeyring, type EncryptionKeys } from '../protocol/encryption/index.ts';
import { MORE_BYTES, sealBytes, unsealBytes } from './sealed-bytes.ts';
import { isOfStoreKey, openStoreKey } from './store-key.ts';
import { checkKey, StoreError, type Store } from './store.ts';

const HASHES = /(?<![0-9a-f])(?:[0-9a-f]{32})+(?![0-9a-f])/g;

/**
 * Encrypts everything (AES-256-GCM) in the store below, of any kind, which must be empty at first. Each process of the
 * project needs the keys; the first call reads them.
 * @example const store = encryptedStore(createFileStore('.planwright/results'), { keys: { a: process.env.KEY_A ?? '' }, current: 'a' });
 */
export function encryptedStore(below: Store, keys: EncryptionKeys | (() => EncryptionKeys)): Store {
  const { place } = below;
  let opening: Promise<ReturnType<typeof derivedFrom>> | undefined;
  const opened = () =>
    (opening ??= openStoreKey(below, openKeyring(typeof keys === 'function' ? keys() : keys))
      .then(derivedFrom)
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      }));
  return {
    place,
    async get(key) {
      const { content, hide } = await opened();
      const sealed = await below.get(hide(checkKey(key)));
      if (sealed === undefined) return undefined;
      const bytes = await unsealBytes(content, key, sealed);
      if (bytes !== undefined) return bytes;
      const message = `The result store at ${place} has something else in place of ${key}: it was changed, or was not encrypted with this store's key. Remove it and run again what made it, or restore it from a copy.`;
      throw new StoreError('corrupt', message);
    },
    async put(key, bytes) {
      const { content, hide } = await opened();
      return below.put(hide(checkKey(key)), await sealBytes(content, key, bytes));
    },
    async *list(prefix, after) {
      const { hide, show } = await opened();
      for await (const { key, bytes, at } of below.list(hide(prefix), after && hide(after)))
        if (!isOfStoreKey(key)) yield { key: show(key), bytes: bytes - MORE_BYTES, at };
    },
    async remove(all) {
      const { hide } = await opened();
      await below.remove(all.map((key) => hide(checkKey(key))));
    },
    async probe() {
      await below.probe?.();
      await opened();
    },
  };
}

function derivedFrom(key: Buffer) {
  const derived = (purpose: string) => createHmac('sha256', key).update(purpose).digest();
  const names = derived('names');
  // ECB shows equal blocks, and no two hashes have one.
  const cipher = createCipheriv('aes-256-ecb', names, null).setAutoPadding(false);
  const decipher = createDecipheriv('aes-256-ecb', names, null).setAutoPadding(false);
  return {
    content: derived('content'),
    hide: (path: string) => path.replaceAll(HASHES, (hash) => cipher.update(hash, 'hex', 'hex')),
    show: (path: string) => path.replaceAll(HASHES, (hash) => decipher.update(hash, 'hex', 'hex')),
  };
}
