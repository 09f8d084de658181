/**
 * The key of an encrypted store: random, and stored encrypted under each key of the project that was ever current. So a
 * project key can be removed without rewriting the store.
 */

import { randomBytes } from 'node:crypto';
import type { EncryptionKey, Keyring } from '../protocol/encryption/index.ts';
import { isRecord } from '../protocol/index.ts';
import { jsonIn } from '../plan/text/index.ts';
import { hashOf } from './owners.ts';
import { sealBytes, unsealBytes } from './sealed-bytes.ts';
import { StoreError, type Store } from './store.ts';

const BELOW = 'sealed/';
/** Which key is the store's, if two were made. */
const CHOSEN = `${BELOW}key`;
const SLOTS = `${BELOW}slots/`;
const PURPOSE = 'planwright store key';
const KEY_BYTES = 32;

export function isOfStoreKey(key: string): boolean {
  return key.startsWith(BELOW);
}

/**
 * Whether a store is encrypted; needs no keys.
 * @example await isEncrypted(createFileStore('.planwright/results'));
 */
export async function isEncrypted(store: Pick<Store, 'list'>): Promise<boolean> {
  for await (const _ of store.list(BELOW)) return true;
  return false;
}

/**
 * Opens the store's key, or makes it in an empty store.
 * @throws StoreError `unreadable` (names the keys of which one is needed), `corrupt` (the key was lost), `unwritable`
 */
export async function openStoreKey(store: Store, keyring: Keyring): Promise<Buffer> {
  let chosen = await store.get(CHOSEN);
  if (chosen === undefined) {
    await checkEmpty(store);
    const made = randomBytes(KEY_BYTES);
    await keep(store, keyring.current, made);
    // If several processes make a key, all take the one that is chosen here.
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
    // Without the right to write, the next process that has it stores the key.
    if (!slots.some((slot) => slot.key === keyring.current.id))
      await keep(store, keyring.current, bytes).catch(() => {});
    return bytes;
  }
  throw lacksKey(store.place, slots, keyring);
}

interface Slot {
  readonly key: string;
  readonly sealed: string;
}

async function keep(store: Store, key: EncryptionKey, bytes: Buffer): Promise<void> {
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

/** Identifies a key without revealing it. */
function nameOf(bytes: Buffer): string {
  return hashOf(Buffer.concat([Buffer.from(`${PURPOSE}\n`), bytes]));
}

async function checkEmpty(store: Store): Promise<void> {
  for await (const { key } of store.list('')) {
    if (isOfStoreKey(key) || key.startsWith('probe/')) continue;
    // Another process may have made the key at this moment and used it.
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
