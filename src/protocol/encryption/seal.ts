/** AES-256-GCM through WebCrypto, which works beside the event loop. The form is that of Temporal's samples: 12 bytes of nonce, then the rest. */

import { webcrypto } from 'node:crypto';

export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Sealing {
  /** 12 bytes that this key has seen with nothing else. Default: random ones. */
  readonly nonce?: Uint8Array;
  /** What it belongs to: with any other it does not open. */
  readonly belongsTo?: Uint8Array;
}

/** Encrypts: nonce, ciphertext, tag of 16 bytes. */
export async function seal(
  key: webcrypto.CryptoKey,
  bytes: Uint8Array,
  { nonce = webcrypto.getRandomValues(new Uint8Array(NONCE_BYTES)), belongsTo }: Sealing = {},
): Promise<Buffer> {
  const sealed = await webcrypto.subtle.encrypt(algorithm(nonce, belongsTo), key, bytes);
  return Buffer.concat([nonce, Buffer.from(sealed)]);
}

/** Decrypts what `seal` gave; undefined for anything that this key has not sealed, or that was changed since. */
export async function unseal(
  key: webcrypto.CryptoKey,
  sealed: Uint8Array,
  { belongsTo }: Pick<Sealing, 'belongsTo'> = {},
): Promise<Buffer | undefined> {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  try {
    return Buffer.from(await webcrypto.subtle.decrypt(algorithm(nonce, belongsTo), key, sealed.subarray(NONCE_BYTES)));
  } catch {
    return undefined;
  }
}

function algorithm(iv: Uint8Array, additionalData: Uint8Array | undefined): webcrypto.AesGcmParams {
  return { name: 'AES-GCM', iv, ...(additionalData !== undefined && { additionalData }) };
}
