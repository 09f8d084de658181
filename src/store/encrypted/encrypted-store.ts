/** A result store of which nothing stands in clear in the one below it: neither what it holds nor under which names. */

import { createHash } from 'node:crypto';
import { openKeyring, type EncryptionKeys } from '../../protocol/encryption/index.ts';
import { atOnce, type Steps } from '../../plan/algebra/index.ts';
import { keyOf } from '../grouped-store.ts';
import { inParallel } from '../in-parallel.ts';
import { inTurns } from '../in-steps.ts';
import type { Inventory, Item, ItemKind, OpenedStore } from '../inventory.ts';
import { TRIED_REF } from '../trial.ts';
import { isNamesMark } from '../names.ts';
import { normalRef, refOfBytes } from '../refs.ts';
import { StoreError } from '../store.ts';
import { isLong, isWhole, MORE_BYTES } from './sealed-bytes.ts';
import { isOfStoreKey, openStoreKey, type StoreKey } from './store-key.ts';

/** Values whose references are looked up at once. */
const AT_ONCE = 32;

/**
 * The store with everything encrypted (AES-256-GCM) in the one below, which may be of any kind. References stay what they are, the
 * SHA-256 of the bytes; below, they and all names are hidden. The one below is empty when the first process opens it so; each
 * process of the project has the keys, which are read with the first call.
 * @example const store = encryptedStore(createFileStore('.planwright/results'), { keys: { a: process.env.KEY_A ?? '' }, current: 'a' });
 */
export function encryptedStore(store: OpenedStore, keys: EncryptionKeys | (() => EncryptionKeys)): OpenedStore {
  const { place, inventory: below } = store;
  let opening: Promise<StoreKey> | undefined;
  const opened = (): Promise<StoreKey> =>
    (opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
  const open = async () => openStoreKey(place, below, openKeyring(typeof keys === 'function' ? keys() : keys), isEmpty);

  const isEmpty = async (): Promise<boolean> => {
    for await (const { kind, key } of below.items()) if (!isOwn(kind, key)) return false;
    return true;
  };

  /** Large ones that are encrypted just now: they are not below yet. */
  const underWay = new Map<string, Promise<unknown>>();
  /** Small ones go on in the same turn, so that they are written in one group. */
  const inSteps = <T>(bytes: Uint8Array, steps: Steps<T>): T | Promise<T> =>
    isLong(bytes) ? inTurns(steps) : atOnce(steps);

  const putAt = async (ref: string, bytes: Uint8Array): Promise<void> => {
    const key = await opened();
    const at = key.hide('object', ref);
    const sealing = inSteps(
      bytes,
      key.seal('object', { at, is: `object\n${ref}` }, Buffer.from(ref, 'base64url'), bytes),
    );
    if (!(sealing instanceof Promise)) return below.putAt(at, sealing);
    const handed = sealing.then((sealed) => ({ stored: below.putAt(at, sealed) }));
    underWay.set(ref, handed);
    const forget = () => void underWay.delete(ref);
    handed.then(forget, forget);
    await (
      await handed
    ).stored;
  };

  const getAt = async (ref: string): Promise<Uint8Array> => {
    const key = await opened();
    await underWay.get(ref)?.catch(() => undefined);
    const at = key.hide('object', ref);
    const sealed = await below.getAt(at, isWhole).catch((error: unknown) => {
      throw error instanceof StoreError
        ? new StoreError(error.code, error.message.replaceAll(at, ref), { cause: error })
        : error;
    });
    const bytes = await inSteps(sealed, key.unseal(`object\n${ref}`, sealed));
    if (bytes !== undefined) return bytes;
    throw new StoreError('corrupt', notSealed(`the result ${ref}`, place));
  };

  /** What is kept at a key below, by its reference there; undefined for what was not encrypted there. */
  const valuesAt = async (key: StoreKey, at: string): Promise<Map<string, Buffer | undefined>> => {
    const is = `kept\n${key.show('kept', at)}`;
    const values = new Map<string, Buffer | undefined>();
    for (const sealed of await below.keptAt(at)) {
      values.set(refOfBytes(sealed), await inSteps(sealed, key.unseal(is, sealed)));
    }
    return values;
  };

  const keptAt = async (name: string): Promise<readonly Uint8Array[]> => {
    const key = await opened();
    return Array.from((await valuesAt(key, key.hide('kept', name))).values(), (bytes) => {
      if (bytes === undefined) throw new StoreError('corrupt', notSealed('a kept value', place));
      return bytes;
    });
  };

  /** References of values that are kept, by those below. What is damaged has none. */
  const refsAt = async (key: StoreKey, at: string): Promise<ReadonlyMap<string, string>> => {
    const values = await valuesAt(key, at).catch((error: unknown) => {
      if (error instanceof StoreError && error.code === 'corrupt') return new Map<string, undefined>();
      throw error;
    });
    return new Map(Array.from(values, ([ref, bytes]) => [ref, bytes === undefined ? ref : refOfBytes(bytes)]));
  };

  const shown = async (key: StoreKey, item: Item): Promise<Item> => {
    const one = { ...item, key: key.show(item.kind, item.key) };
    if (item.kind === 'name') return item.value === undefined ? one : { ...one, value: key.show('object', item.value) };
    const bytes = item.bytes - MORE_BYTES;
    if (item.value === undefined) return { ...one, bytes };
    return { ...one, bytes, value: (await refsAt(key, item.key)).get(item.value) ?? item.value };
  };

  const hidden = async (key: StoreKey, item: Item): Promise<Item> => {
    const one = { ...item, key: key.hide(item.kind, item.key) };
    if (item.value === undefined) return one;
    if (item.kind === 'name') return { ...one, value: key.hide('object', item.value) };
    const found = [...(await refsAt(key, one.key))].find(([, ref]) => ref === item.value);
    return { ...one, value: found?.[0] ?? item.value };
  };

  const inventory: Inventory = {
    async *items() {
      const key = await opened();
      for await (const item of below.items()) if (!isOwn(item.kind, item.key)) yield shown(key, item);
    },
    async nameAt(name) {
      const key = await opened();
      const ref = await below.nameAt(key.hide('name', name));
      return ref && key.show('object', ref);
    },
    async bindAt(name, ref) {
      const key = await opened();
      return key.show('object', await below.bindAt(key.hide('name', name), key.hide('object', ref)));
    },
    putAt,
    getAt,
    keptAt,
    async keepAt(name, value) {
      const bytes = Buffer.from(value);
      const key = await opened();
      // It may name what was put before it.
      if (underWay.size > 0) await Promise.allSettled(underWay.values());
      const where = { at: key.hide('kept', name), is: `kept\n${name}` };
      const digest = createHash('sha256').update(where.is).update(bytes).digest();
      await below.keepAt(where.at, await inSteps(bytes, key.seal('kept', where, digest, bytes)));
    },
    async remove(items, usedBefore) {
      const key = await opened();
      return below.remove(await inParallel(AT_ONCE, items, (item) => hidden(key, item)), usedBefore);
    },
  };

  return {
    place,
    inventory,
    async probe() {
      await store.probe?.();
      await opened();
    },
    async put(given) {
      // A copy cannot be changed before it is encrypted.
      const bytes = isLong(given) ? given : Buffer.from(given);
      const ref = refOfBytes(bytes);
      await putAt(ref, bytes);
      return ref;
    },
    get: async (ref) => getAt(normalRef(ref)),
    bind: async (name, ref) => inventory.bindAt(keyOf(name), normalRef(ref)),
    bound: async (name) => inventory.nameAt(keyOf(name)),
    keep: async (name, value) => inventory.keepAt(keyOf(name), value),
    kept: async (name) => keptAt(keyOf(name)),
  };
}

/** Things that a store has in clear: its key, the mark that it has names, what it was tried with. They say nothing. */
function isOwn(kind: ItemKind, key: string): boolean {
  return isOfStoreKey(kind, key) || (kind === 'object' && (isNamesMark(key) || key === TRIED_REF));
}

function notSealed(what: string, place: string): string {
  return `The result store at ${place} has something else in place of ${what}: it is whole, and was not encrypted with this store's key.`;
}
