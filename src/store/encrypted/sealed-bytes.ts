/**
 * Bytes of an encrypted store: `PWS1`, 12 bytes of nonce, ciphertext and tag of AES-256-GCM, and a SHA-256 over the place and all of
 * that, by which anybody without a key knows whether they are whole.
 */

import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Steps } from '../../plan/algebra/index.ts';

const CIPHER = 'aes-256-gcm';
const MAGIC = Buffer.from('PWS1');
const [NONCE_BYTES, TAG_BYTES, DIGEST_BYTES] = [12, 16, 32];
const HEAD_BYTES = MAGIC.length + NONCE_BYTES;
/** So many more than what is sealed. */
export const MORE_BYTES = HEAD_BYTES + TAG_BYTES + DIGEST_BYTES;
/** A thousandth of a second or so. */
const STEP_BYTES = 1_048_576;

/** The place of bytes: where they stand, for all to see, and what they are, which only those with the key know. */
export interface SealedPlace {
  readonly at: string;
  readonly is: string;
}

/** @param unique whose first 12 bytes this key has seen with nothing but these bytes at this place: they are the nonce */
export function* sealSteps(key: Buffer, { at, is }: SealedPlace, unique: Uint8Array, bytes: Uint8Array): Steps<Buffer> {
  const sealed = Buffer.allocUnsafe(bytes.length + MORE_BYTES);
  MAGIC.copy(sealed);
  sealed.set(unique.subarray(0, NONCE_BYTES), MAGIC.length);
  const cipher = createCipheriv(CIPHER, key, sealed.subarray(MAGIC.length, HEAD_BYTES)).setAAD(Buffer.from(is));
  yield* inSteps(bytes, (piece, place) => sealed.set(cipher.update(piece), HEAD_BYTES + place));
  cipher.final();
  const end = HEAD_BYTES + bytes.length;
  sealed.set(cipher.getAuthTag(), end);
  sealed.set(digestOf(at, sealed), end + TAG_BYTES);
  return sealed;
}

/** Decrypts; undefined for anything that was not sealed as this by this key. */
export function* unsealSteps(key: Buffer, is: string, sealed: Uint8Array): Steps<Buffer | undefined> {
  if (sealed.length < MORE_BYTES || !MAGIC.equals(sealed.subarray(0, MAGIC.length))) return undefined;
  const end = sealed.length - DIGEST_BYTES - TAG_BYTES;
  const bytes = Buffer.allocUnsafe(end - HEAD_BYTES);
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(MAGIC.length, HEAD_BYTES)).setAAD(Buffer.from(is));
  decipher.setAuthTag(sealed.subarray(end, end + TAG_BYTES));
  yield* inSteps(sealed.subarray(HEAD_BYTES, end), (piece, place) => bytes.set(decipher.update(piece), place));
  try {
    decipher.final();
    return bytes;
  } catch {
    return undefined;
  }
}

/** Whether these are sealed bytes that were put at this place, and none was changed. */
export function isWhole(at: string, sealed: Uint8Array): boolean {
  return sealed.length >= MORE_BYTES && digestOf(at, sealed).equals(sealed.subarray(sealed.length - DIGEST_BYTES));
}

/** Whether it takes more than one step. */
export function isLong(bytes: Uint8Array): boolean {
  return bytes.length > STEP_BYTES;
}

function digestOf(at: string, sealed: Uint8Array): Buffer {
  return createHash('sha256')
    .update(at)
    .update(sealed.subarray(0, sealed.length - DIGEST_BYTES))
    .digest();
}

function* inSteps(bytes: Uint8Array, work: (piece: Uint8Array, place: number) => void): Steps<void> {
  for (let place = 0; place < bytes.length; place += STEP_BYTES) {
    if (place > 0) yield;
    work(bytes.subarray(place, place + STEP_BYTES), place);
  }
}
