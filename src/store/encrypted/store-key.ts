/**
 * The key of a store: made at random with the store, and kept in it under each key of the project that was ever current. So a key
 * of the project can be taken away without reading and writing everything anew.
 */

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { EncryptionKey, Keyring } from '../../protocol/encryption/index.ts';
import { isRecord } from '../../protocol/index.ts';
import { jsonIn } from '../../plan/text/index.ts';
import { keyOf } from '../grouped-store.ts';
import type { Inventory, ItemKind } from '../inventory.ts';
import { refOfBytes } from '../refs.ts';
import { StoreError } from '../store.ts';
import { atOnce, type Steps } from '../../plan/algebra/index.ts';
import { sealSteps, unsealSteps, type SealedPlace } from './sealed-bytes.ts';

/** The one name of an encrypted store that is not hidden. Its binding tells which key is the store's, should two have been made. */
const NAME = 'planwright store key';
const KEY_BYTES = 32;

export class StoreKey {
  readonly #content: Buffer;
  readonly #nonces: Readonly<Record<Sealed, BlockCipher>>;
  readonly #blocks: Readonly<Record<ItemKind, BlockCipher>>;

  constructor(bytes: Buffer) {
    const derived = (purpose: string) => createHmac('sha256', bytes).update(purpose).digest();
    this.#content = derived('content');
    this.#nonces = { object: blockCipher(derived('nonces of objects')), kept: blockCipher(derived('nonces of kept')) };
    this.#blocks = {
      object: blockCipher(derived('object')),
      name: blockCipher(derived('name')),
      kept: blockCipher(derived('kept')),
    };
  }

  /**
   * The key under which something stands, for the one by which it is asked for, and back. Both are 32 bytes, of which nobody
   * without the store's key can tell what they stand for.
   */
  hide(kind: ItemKind, key: string): string {
    return this.#blocks[kind].encrypt(Buffer.from(key, 'base64url')).toString('base64url');
  }

  show(kind: ItemKind, key: string): string {
    return this.#blocks[kind].decrypt(Buffer.from(key, 'base64url')).toString('base64url');
  }

  /**
   * The same bytes come out the same, so that they are stored once: their nonce is computed from their digest, and two different
   * ones have the same no sooner than if it were random. Each kind has nonces of its own: what is stored as one can be chosen so
   * that its digest is that of another.
   * @param digest of the bytes; of a kept value also of its name
   */
  seal(kind: Sealed, place: SealedPlace, digest: Uint8Array, bytes: Uint8Array): Steps<Buffer> {
    return sealSteps(this.#content, place, this.#nonces[kind].encrypt(digest), bytes);
  }

  unseal(is: string, sealed: Uint8Array): Steps<Buffer | undefined> {
    return unsealSteps(this.#content, is, sealed);
  }
}

/** The kinds that have bytes. */
type Sealed = Exclude<ItemKind, 'name'>;

interface BlockCipher {
  encrypt(blocks: Uint8Array): Buffer;
  decrypt(blocks: Uint8Array): Buffer;
}

/** AES block by block, for digests alone: no two of them have an equal block, which is what this mode shows. */
function blockCipher(key: Buffer): BlockCipher {
  const [cipher, decipher] = [createCipheriv('aes-256-ecb', key, null), createDecipheriv('aes-256-ecb', key, null)];
  cipher.setAutoPadding(false);
  decipher.setAutoPadding(false);
  return { encrypt: (blocks) => cipher.update(blocks), decrypt: (blocks) => decipher.update(blocks) };
}

/** Whether a thing in a store is the store's key, or which one that is. */
export function isOfStoreKey(kind: ItemKind, key: string): boolean {
  return kind !== 'object' && key === keyOf(NAME);
}

/**
 * Whether a store is an encrypted one, which can be told without the keys of its project.
 * @example await isEncrypted(createFileStore('.planwright/results').inventory);
 */
export async function isEncrypted(inventory: Pick<Inventory, 'nameAt' | 'keptAt'>): Promise<boolean> {
  return (await inventory.nameAt(keyOf(NAME))) !== undefined || (await inventory.keptAt(keyOf(NAME))).length > 0;
}

/**
 * Opens the store's key; makes it where the store is empty.
 * @throws StoreError `unreadable` that names the keys one of which is needed, `corrupt` where names of the store were lost,
 * `unwritable` where it holds something that is not encrypted
 */
export async function openStoreKey(
  place: string,
  inventory: Inventory,
  keyring: Keyring,
  isEmpty: () => Promise<boolean>,
): Promise<StoreKey> {
  const at = keyOf(NAME);
  const read = async () => ({ ref: await inventory.nameAt(at), slots: (await inventory.keptAt(at)).flatMap(slotIn) });
  let { ref, slots } = await read();
  // Another process may make it, and go on to use it, between two looks.
  if (ref === undefined && !(await isEmpty())) {
    ({ ref, slots } = await read());
    if (ref === undefined) throw slots.length > 0 ? lostNames(place) : holdsClear(place);
  }
  if (ref === undefined) {
    const made = randomBytes(KEY_BYTES);
    await inventory.keepAt(at, slotOf(keyring.current, made));
    // Of several processes at once one has its key bound, and the others take that one.
    await inventory.bindAt(at, refOf(made));
    ({ ref, slots } = await read());
  }
  const bytes = slots.flatMap((slot) => opened(slot, keyring)).find((one) => refOf(one) === ref);
  if (bytes === undefined) throw lacksKey(place, slots, keyring);
  const isKept = slots.some(
    (slot) => slot.key === keyring.current.id && opened(slot, keyring).some((one) => refOf(one) === ref),
  );
  // Without the right to write the next process that has it keeps it.
  if (!isKept) await inventory.keepAt(at, slotOf(keyring.current, bytes)).catch(() => undefined);
  return new StoreKey(bytes);
}

/** The store's key under one key of the project. */
interface Slot {
  readonly key: string;
  readonly sealed: string;
}

function wrappingKey(key: EncryptionKey): Buffer {
  return key.derive(NAME);
}

const placeOf = (id: string) => ({ at: NAME, is: `${NAME}\n${id}` });

function slotOf(key: EncryptionKey, bytes: Buffer): Uint8Array {
  const sealed = atOnce(sealSteps(wrappingKey(key), placeOf(key.id), randomBytes(KEY_BYTES), bytes));
  return Buffer.from(JSON.stringify({ key: key.id, sealed: sealed.toString('base64') } satisfies Slot));
}

function slotIn(bytes: Uint8Array): Slot[] {
  const slot = jsonIn(bytes);
  return isRecord(slot) && typeof slot['key'] === 'string' && typeof slot['sealed'] === 'string'
    ? [{ key: slot['key'], sealed: slot['sealed'] }]
    : [];
}

function opened({ key: id, sealed }: Slot, keyring: Keyring): Buffer[] {
  const key = keyring.key(id);
  const bytes = key && atOnce(unsealSteps(wrappingKey(key), placeOf(id).is, Buffer.from(sealed, 'base64')));
  return bytes?.length === KEY_BYTES ? [bytes] : [];
}

/** Which of several keys is the store's can be told by it, and not the key. */
function refOf(bytes: Buffer): string {
  return refOfBytes(Buffer.concat([Buffer.from(`${NAME}\n`), bytes]));
}

function lacksKey(place: string, slots: readonly Slot[], keyring: Keyring): StoreError {
  if (slots.length === 0) return new StoreError('corrupt', lostKey(place));
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

function lostKey(place: string): string {
  return `The result store at ${place} is encrypted, and has lost the key that opens it, which it keeps itself. Restore what is kept in it from a copy.`;
}

function lostNames(place: string): StoreError {
  return new StoreError(
    'corrupt',
    `The result store at ${place} has lost its names, which say which effects have begun. Restore them from a copy.`,
  );
}

function holdsClear(place: string): StoreError {
  return new StoreError(
    'unwritable',
    `The result store at ${place} holds what is not encrypted. Encrypt into an empty store: copy it there (planwright store copy), or name another one.`,
  );
}
