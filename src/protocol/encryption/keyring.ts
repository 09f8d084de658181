/** The AES-256 keys of a project, by id. One key encrypts; all keys decrypt. */

import { createHmac, webcrypto } from 'node:crypto';

/** The keys by id, each 32 bytes in base64. `current` is the id of the key that encrypts. */
export interface EncryptionKeys {
  readonly keys: { readonly [id: string]: string };
  readonly current: string;
}

/** `no-key`: the key is missing. `wrong-key`: the key with this id does not decrypt. `invalid-keys`: malformed keys. */
export type EncryptionErrorCode = 'no-key' | 'wrong-key' | 'invalid-keys';

/**
 * Thrown if data cannot be encrypted or decrypted. The message names the id of the key, never the key.
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
/** The form of a key id. It is no secret: it is stored unencrypted beside the data. */
const KEY_ID = /^[\w.-]{1,64}$/;
/** Maximum number of keys. If it is unknown with which key a store was made, all are tried. */
const MAX_KEYS = 50;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** One encryption key. The class returns only keys that are derived from it, never its own bytes. */
export class EncryptionKey {
  readonly id: string;
  readonly #bytes: Buffer;
  #forPayloads: Promise<webcrypto.CryptoKey> | undefined;

  constructor(id: string, bytes: Buffer) {
    this.id = id;
    this.#bytes = bytes;
  }

  /** The key for payloads. It is the original key, so that other programs with that key can decrypt them. */
  forPayloads(): Promise<webcrypto.CryptoKey> {
    return (this.#forPayloads ??= cryptoKey(this.#bytes));
  }

  /** Derives 32 bytes for one purpose (HMAC-SHA-256). Nobody can compute the key from them. */
  derive(purpose: string): Buffer {
    return createHmac('sha256', this.#bytes).update(purpose).digest();
  }
}

/** Imports a key for AES-GCM. @param bytes exactly 32 bytes */
export function cryptoKey(bytes: Uint8Array): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/** The keys of a process, as `openKeyring` makes them. */
export interface Keyring {
  readonly current: EncryptionKey;
  readonly all: readonly EncryptionKey[];
  key(id: string): EncryptionKey | undefined;
}

/**
 * Parses the configured keys.
 * @throws EncryptionError `invalid-keys`, with the id of every malformed key
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

export function keyProblem(id: string, text: string): string | undefined {
  if (!isKeyId(id)) return `keys: an id is 1 to 64 letters, digits, dots, hyphens and underscores`;
  const trimmed = text.trim();
  const isKey = BASE64.test(trimmed) && Buffer.from(trimmed, 'base64').length === KEY_BYTES;
  return isKey ? undefined : `key ${id}: expected 32 bytes in base64, as "openssl rand -base64 32" writes them`;
}

export function isKeyId(id: string): boolean {
  return KEY_ID.test(id);
}
