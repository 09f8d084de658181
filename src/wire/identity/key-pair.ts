/** Ed25519 keys as PEM texts, and the error where one cannot be used. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

/**
 * A key or a message that cannot be used for signing. The message says what is wrong and what to do.
 * @example if (error instanceof IdentityError) console.error(error.message);
 */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
}

/** An Ed25519 key pair as PEM texts, as `createKeyPair` makes it. */
export interface KeyPair {
  /** PEM, PKCS8: `-----BEGIN PRIVATE KEY-----`. */
  readonly privateKey: string;
  /** PEM, SPKI: `-----BEGIN PUBLIC KEY-----`. */
  readonly publicKey: string;
}

/**
 * An Ed25519 key pair, both parts as PEM texts. The private one stays with the person it belongs to.
 * @example const { privateKey, publicKey } = createKeyPair();
 */
export function createKeyPair(): KeyPair {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/**
 * The public key that belongs to a private one, both as PEM texts.
 * @throws IdentityError when the text is no Ed25519 private key.
 * @example publicKeyOf(await readFile('operator.key.pem', 'utf8')); // '-----BEGIN PUBLIC KEY-----\n...'
 */
export function publicKeyOf(privateKey: string): string {
  return createPublicKey(readPrivateKey(privateKey)).export({ type: 'spki', format: 'pem' }).toString();
}

/** @throws IdentityError that never holds a part of the text. */
export function readPrivateKey(text: string): KeyObject {
  const key = parse(text);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  const got = key === undefined ? whatCame(text) : `a private key of type ${key.asymmetricKeyType}`;
  throw new IdentityError(
    `the key to sign with: expected the PEM text of an Ed25519 private key, -----BEGIN PRIVATE KEY-----, got ${got}; ` +
      'make one with `npx planwright init --key-pair` or `openssl genpkey -algorithm ed25519`',
  );
}

function parse(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

function whatCame(text: string): string {
  if (text.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----')) {
    return 'one that is locked with a passphrase (`openssl pkey -in KEY.pem` unlocks it)';
  }
  return text.includes('-----BEGIN PUBLIC KEY-----') ? 'a public key' : 'a text that cannot be read as one';
}
