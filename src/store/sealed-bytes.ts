/** Sealed bytes: `PWS1`, a nonce of 12 bytes, ciphertext and tag of AES-256-GCM. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { atOnce, type Steps } from '../plan/algebra/index.ts';
import { inTurns } from './in-steps.ts';

const CIPHER = 'aes-256-gcm';
const MAGIC = Buffer.from('PWS1');
const [NONCE_BYTES, TAG_BYTES] = [12, 16];
const HEAD_BYTES = MAGIC.length + NONCE_BYTES;
export const MORE_BYTES = HEAD_BYTES + TAG_BYTES;
/** About a millisecond. */
const STEP_BYTES = 1_048_576;

/** @param is what the bytes are: they can be opened only as this */
export function sealBytes(key: Buffer, is: string, bytes: Uint8Array): Promise<Buffer> {
  return inSteps(sealSteps(key, is, bytes), bytes);
}

/** Decrypts; undefined if this key did not seal these bytes for this name. */
export function unsealBytes(key: Buffer, is: string, sealed: Uint8Array): Promise<Buffer | undefined> {
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
