/** Encrypts a store: the bytes, and the hashes in the keys. */

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { openKeyring, type EncryptionKeys, type EncryptionKey, type Keyring } from '../protocol/encryption/index.ts';
import { checkKey, StoreError, type Store } from './store.ts';
import { isRecord } from '../protocol/index.ts';
import { jsonIn } from '../plan/text/index.ts';
import { hashOf } from './owners.ts';
import { atOnce, type Steps } from '../plan/algebra/index.ts';
import { inTurns } from './in-lines.ts';

const CIPHER = 'aes-256-gcm';
const MAGIC = Buffer.from('PWS1');
const [NONCE_BYTES, TAG_BYTES] = [12, 16];
const HEAD_BYTES = MAGIC.length + NONCE_BYTES;
const MORE_BYTES = HEAD_BYTES + TAG_BYTES;
/** Bytes that are encrypted in one step, which takes about a millisecond. */
const STEP_BYTES = 1_048_576;

/** Encrypts bytes. @param is the name of the bytes; decryption needs the same name */
function sealBytes(key: Buffer, is: string, bytes: Uint8Array): Promise<Buffer> {
  return inSteps(sealSteps(key, is, bytes), bytes);
}

/** Decrypts bytes; undefined if they were not encrypted with this key and name. */
function unsealBytes(key: Buffer, is: string, sealed: Uint8Array): Promise<Buffer | undefined> {
  return inSteps(unsealSteps(key, is, sealed), sealed);
}

async function inSteps<T>(steps: Steps<T>, { length }: Uint8Array): Promise<T> {
  return length > STEP_BYTES ? inTurns(steps) : atOnce(steps);
}

function* sealSteps(key: Buffer, is: string, bytes: Uint8Array): Steps<Buffer> {
  const sealed = Buffer.allocUnsafe(bytes.length + MORE_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  MAGIC.copy(sealed);
  nonce.copy(sealed, MAGIC.length);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(is));
  yield* pieces(bytes, (piece, place) => sealed.set(cipher.update(piece), HEAD_BYTES + place));
  cipher.final();
  sealed.set(cipher.getAuthTag(), HEAD_BYTES + bytes.length);
  return sealed;
}

function* unsealSteps(key: Buffer, is: string, sealed: Uint8Array): Steps<Buffer | undefined> {
  if (sealed.length < MORE_BYTES || !MAGIC.equals(sealed.subarray(0, MAGIC.length))) return undefined;
  const end = sealed.length - TAG_BYTES;
  const bytes = Buffer.allocUnsafe(end - HEAD_BYTES);
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(MAGIC.length, HEAD_BYTES)).setAAD(Buffer.from(is));
  decipher.setAuthTag(sealed.subarray(end));
  yield* pieces(sealed.subarray(HEAD_BYTES, end), (piece, place) => bytes.set(decipher.update(piece), place));
  try {
    decipher.final();
    return bytes;
  } catch {
    return undefined;
  }
}

function* pieces(bytes: Uint8Array, work: (piece: Uint8Array, place: number) => void): Steps<void> {
  for (let place = 0; place < bytes.length; place += STEP_BYTES) {
    if (place > 0) yield;
    work(bytes.subarray(place, place + STEP_BYTES), place);
  }
}

const BELOW = 'sealed/';
/** The entry that decides which key the store uses, if several processes have made one. */
const CHOSEN = `${BELOW}key`;
const SLOTS = `${BELOW}slots/`;
const PURPOSE = 'planwright store key';
const KEY_BYTES = 32;

function isOfStoreKey(key: string): boolean {
  return key.startsWith(BELOW);
}

/** Whether a store is encrypted. Needs no keys. @example await isEncrypted(createFileStore('.planwright/results')); */
export async function isEncrypted(store: Pick<Store, 'list'>): Promise<boolean> {
  for await (const _ of store.list(BELOW)) return true;
  return false;
}

/**
 * Loads the key of the store, or makes one if the store is empty. @throws StoreError `unreadable` if no given key opens
 * the store (the message names the keys that would), `corrupt` if the store's key was lost, `unwritable`
 */
async function openStoreKey(store: Store, keyring: Keyring): Promise<Buffer> {
  let chosen = await store.get(CHOSEN);
  if (chosen === undefined) {
    await checkEmpty(store);
    const made = randomBytes(KEY_BYTES);
    await storeSlot(store, keyring.current, made);
    // If several processes make a key, this entry decides which of them all use.
    await store.put(CHOSEN, Buffer.from(nameOf(made)));
    chosen = await store.get(CHOSEN);
  }
  const name = Buffer.from(chosen ?? '').toString();
  const slots: Slot[] = [];
  for await (const { key } of store.list(`${SLOTS}${name}-`)) slots.push(...slotIn(await store.get(key)));
  for (const { key: id, sealed } of slots) {
    const key = keyring.key(id);
    const bytes = key && (await unsealBytes(key.derive(PURPOSE), id, Buffer.from(sealed, 'base64')));
    if (bytes === undefined || nameOf(bytes) !== name) continue;
    // If this process may not write, the next process that may write stores the key.
    if (!slots.some((slot) => slot.key === keyring.current.id))
      await storeSlot(store, keyring.current, bytes).catch(() => {});
    return bytes;
  }
  throw lacksKey(store.place, slots, keyring);
}

interface Slot {
  readonly key: string;
  readonly sealed: string;
}

async function storeSlot(store: Store, key: EncryptionKey, bytes: Buffer): Promise<void> {
  const sealed = (await sealBytes(key.derive(PURPOSE), key.id, bytes)).toString('base64');
  const slot = Buffer.from(JSON.stringify({ key: key.id, sealed } satisfies Slot));
  await store.put(`${SLOTS}${nameOf(bytes)}-${hashOf(slot)}`, slot);
}

function slotIn(bytes: Uint8Array | undefined): Slot[] {
  const slot = jsonIn(bytes ?? '');
  return isRecord(slot) && typeof slot['key'] === 'string' && typeof slot['sealed'] === 'string'
    ? [{ key: slot['key'], sealed: slot['sealed'] }]
    : [];
}

function nameOf(bytes: Buffer): string {
  return hashOf(Buffer.concat([Buffer.from(`${PURPOSE}\n`), bytes]));
}

async function checkEmpty(store: Store): Promise<void> {
  for await (const { key } of store.list('')) {
    if (isOfStoreKey(key) || key.startsWith('probe/')) continue;
    // Another process may have just made the key and used it.
    if ((await store.get(CHOSEN)) !== undefined) return;
    const message = `The result store at ${store.place} holds what is not encrypted. Encrypt into an empty store: copy it there (planwright store copy), or name another one.`;
    throw new StoreError('unwritable', message);
  }
}

function lacksKey(place: string, slots: readonly Slot[], keyring: Keyring): StoreError {
  if (slots.length === 0) {
    const message = `The result store at ${place} is encrypted, and has lost the key that opens it, which it keeps itself. Restore what is below ${BELOW} from a copy.`;
    return new StoreError('corrupt', message);
  }
  const [ids, here] = [slots.map(({ key }) => key), keyring.all.map(({ id }) => id)];
  const wrong = ids.find((id) => here.includes(id));
  const why =
    wrong === undefined
      ? `it opens with ${listed(ids)}, and here is ${listed(here)}`
      : `the key ${wrong} that is here is another one than the one of this id that it was encrypted with`;
  const message = `The result store at ${place} is encrypted, and cannot be opened: ${why}. Give it the key, under "encryption" of planwright.config.ts.`;
  return new StoreError('unreadable', message, { cause: Object.assign(new Error(why), { code: 'NO_KEY' }) });
}

function listed(ids: readonly string[]): string {
  return `the key ${[...new Set(ids)].join(' or ')}`;
}

const HASHES = /(?<![0-9a-f])(?:[0-9a-f]{32})+(?![0-9a-f])/g;

/**
 * Wraps any store and encrypts (AES-256-GCM) everything that is written. The wrapped store must be empty at first use.
 * Every process of the project needs the keys.
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
  // ECB reveals only equal blocks, and different hashes never have equal blocks.
  const cipher = createCipheriv('aes-256-ecb', names, null).setAutoPadding(false);
  const decipher = createDecipheriv('aes-256-ecb', names, null).setAutoPadding(false);
  return {
    content: derived('content'),
    hide: (path: string) => path.replaceAll(HASHES, (hash) => cipher.update(hash, 'hex', 'hex')),
    show: (path: string) => path.replaceAll(HASHES, (hash) => decipher.update(hash, 'hex', 'hex')),
  };
}
