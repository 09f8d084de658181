/** The keys of a project: AES-256 keys by id. One encrypts and all decrypt. */

import { createHmac, webcrypto } from 'node:crypto';

/** Keys by id, each 32 bytes in base64, and the id of the key that encrypts. */
export interface EncryptionKeys {
  readonly keys: { readonly [id: string]: string };
  readonly current: string;
}

/** `no-key`: the key that it was encrypted with is not here. `wrong-key`: the key of that id does not open it. `invalid-keys`: they are none. */
export type EncryptionErrorCode = 'no-key' | 'wrong-key' | 'invalid-keys';

/**
 * Something cannot be encrypted or decrypted. It has the id of the key; no message contains a key.
 * @example if (error instanceof EncryptionError && error.code === 'no-key') console.warn(error.message);
 */
export class EncryptionError extends Error {
  override readonly name = 'EncryptionError';
  readonly code: EncryptionErrorCode;
  constructor(code: EncryptionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const KEY_BYTES = 32;
/** Everybody who reads the server or the store sees the id: it is beside the encrypted data. */
const KEY_ID = /^[\w.-]{1,64}$/;
/**
 * Each is tried on a store that was made with an unknown one.
 * @bound [operating] keys of an `encryption`
 * @beyond an error of the config
 */
const MAX_KEYS = 50;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** One key. Its bytes leave it for nothing but a key that is derived from them. */
export class EncryptionKey {
  readonly id: string;
  readonly #bytes: Buffer;
  #forPayloads: Promise<webcrypto.CryptoKey> | undefined;

  constructor(id: string, bytes: Buffer) {
    this.id = id;
    this.#bytes = bytes;
  }

  /** The key itself, as other programs with the same key have it. */
  forPayloads(): Promise<webcrypto.CryptoKey> {
    return (this.#forPayloads ??= cryptoKey(this.#bytes));
  }

  /** 32 bytes for a single purpose, from which nobody can compute the key (HMAC-SHA-256 as a function of the key). */
  derive(purpose: string): Buffer {
    return createHmac('sha256', this.#bytes).update(purpose).digest();
  }
}

/** For AES-GCM. @param bytes 32 of them */
export function cryptoKey(bytes: Uint8Array): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/** The keys of a process. `openKeyring` makes one. */
export interface Keyring {
  /** It encrypts. */
  readonly current: EncryptionKey;
  /** In the order of the configuration. */
  readonly all: readonly EncryptionKey[];
  /** undefined if there is no key with this id. */
  key(id: string): EncryptionKey | undefined;
}

/**
 * Reads keys.
 * @throws EncryptionError `invalid-keys` that names the id of each that is none
 * @example openKeyring({ keys: { '2026-11': process.env.PLANNING_KEY ?? '' }, current: '2026-11' });
 */
export function openKeyring({ keys, current }: EncryptionKeys): Keyring {
  const problems = keyProblems({ keys, current });
  if (problems.length > 0) throw new EncryptionError('invalid-keys', problems.join('; '));
  const all = Object.entries(keys).map(([id, text]) => new EncryptionKey(id, Buffer.from(text.trim(), 'base64')));
  const byId = new Map(all.map((key) => [key.id, key]));
  return { current: byId.get(current)!, all, key: (id) => byId.get(id) };
}

function keyProblems({ keys, current }: EncryptionKeys): readonly string[] {
  const ids = Object.keys(keys);
  return [
    ...(ids.length > MAX_KEYS ? [`keys: expected at most ${MAX_KEYS}, got ${ids.length}`] : []),
    ...Object.entries(keys).flatMap(([id, text]) => keyProblem(id, text) ?? []),
    ...(ids.includes(current) ? [] : [`current: there is no key ${current}; there are ${ids.join(', ') || 'none'}`]),
  ];
}

/** Why this is not a key, as text that does not contain it; undefined if it is one. */
export function keyProblem(id: string, text: string): string | undefined {
  if (!isKeyId(id)) return `keys: an id is 1 to 64 letters, digits, dots, hyphens and underscores`;
  const trimmed = text.trim();
  const isKey = BASE64.test(trimmed) && Buffer.from(trimmed, 'base64').length === KEY_BYTES;
  return isKey ? undefined : `key ${id}: expected 32 bytes in base64, as "openssl rand -base64 32" writes them`;
}

export function isKeyId(id: string): boolean {
  return KEY_ID.test(id);
}
