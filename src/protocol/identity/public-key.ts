/** Parses a public key. For any other text, such as a private key, the error says what it is. */

import { createPublicKey, type JsonWebKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto';
import { cutCharacters } from '../../plan/text/index.ts';

/** A parsed public key, or why the text is invalid. */
export type ReadPublicKey =
  /** `pem` is the key as PEM text in its canonical form. */
  | { readonly ok: true; readonly key: KeyObject; readonly pem: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Parses a text with exactly one PEM block of an Ed25519 public key. Never throws.
 * @example
 * const read = readPublicKey(text);
 * if (!read.ok) throw new TypeError(read.reason);
 */
export function readPublicKey(text: string): ReadPublicKey {
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, label = '']) => label);
  // Without this check, Node would accept a private key and silently derive the public key.
  if (blocks.some((label) => label.endsWith('PRIVATE KEY'))) return refuse(PRIVATE);
  if (blocks.length !== 1 || blocks[0] !== 'PUBLIC KEY') {
    return refuse(
      `expected the PEM text of one public key, -----BEGIN PUBLIC KEY-----, got ${whatCame(blocks)}; ${MAKE}`,
    );
  }
  const key = parse(text);
  if (key === undefined)
    return refuse(`the PEM text cannot be read as a public key: it is cut off or changed; ${MAKE}`);
  if (key.asymmetricKeyType !== 'ed25519') {
    return refuse(`expected an Ed25519 key, got one of type ${key.asymmetricKeyType}; ${MAKE}`);
  }
  return { ok: true, key, pem: pemOf(key) };
}

/**
 * Parses the public half of an Ed25519 key as WebCrypto exports it (JWK, RFC 8037). Never throws.
 * @example
 * const read = readPublicJwk(JSON.parse(text));
 */
export function readPublicJwk(jwk: JsonWebKey): ReadPublicKey {
  if ('d' in jwk) return refuse(PRIVATE);
  const { kty, crv, x = '' } = jwk;
  const key = kty === 'OKP' && crv === 'Ed25519' ? parse({ key: { kty, crv, x }, format: 'jwk' }) : undefined;
  return key === undefined
    ? refuse('expected the JWK of an Ed25519 public key, { kty: "OKP", crv: "Ed25519", x }, with 32 bytes in x')
    : { ok: true, key, pem: pemOf(key) };
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

const MAKE = '`openssl pkey -in PRIVATE.pem -pubout` prints the public key of an Ed25519 private key';
const PRIVATE =
  'THIS IS A PRIVATE KEY. Only its owner may have it: take it out of here, regard it as known to others ' +
  '(whoever could read this could sign), make a new pair with `npx planwright init --key-pair`, and put the public key here';

function parse(source: string | JsonWebKeyInput): KeyObject | undefined {
  try {
    return createPublicKey(source);
  } catch {
    return undefined;
  }
}

function whatCame(blocks: readonly string[]): string {
  if (blocks.length === 0) return 'a text without PEM';
  return blocks.length === 1 ? `a block of ${cutCharacters(blocks[0] ?? '', 40)}` : `${blocks.length} blocks of PEM`;
}

function refuse(reason: string): ReadPublicKey {
  return { ok: false, reason };
}
