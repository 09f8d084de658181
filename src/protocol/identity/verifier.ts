/** The people who may send messages to the runs of a project. Tokens are verified exactly as a run verifies them. */

import { DEFAULT_NAMESPACE } from '../messages.ts';
import type { PublicKeys } from '../project.ts';
import { verifyToken, type VerifiedToken } from './token/index.ts';
import { createPublicKey, type JsonWebKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto';
import { cutCharacters } from '../../plan/text/index.ts';

/** A public key, with the names and roles that its signatures may claim. */
export interface IdentityKey {
  /** PEM text of an Ed25519 public key (SPKI: `-----BEGIN PUBLIC KEY-----`). */
  readonly publicKey: string;
  /** The only person for whom the key signs. Default: the key is an authority that may name any sender. */
  readonly subject?: string;
  /** The roles that the key may claim. Default: none for a key with a subject, any for an authority. */
  readonly roles?: readonly string[];
  /** Whether the key is a person's, as the project declares. Rules with `person: true` count only keys of people. */
  readonly person?: true;
}

/** The people who may send messages to the runs of a project, by their keys. */
export interface IdentityConfig {
  /** The keys by the `kid` in a token's header. If there is only one key, a token may omit `kid`. */
  readonly keys: { readonly [kid: string]: IdentityKey };
  /** The keys with which workers sign receipts, by name. Runs accept no messages signed with them. */
  readonly receiptKeys?: { readonly [keyid: string]: Pick<IdentityKey, 'publicKey'> };
}

/** Verifies tokens with the keys of a configuration, exactly as a run does. */
export interface Verifier {
  /**
   * Verifies a token that was sent to the run `workflowId`. Never throws.
   * @param startedAt when the run began; a token that was signed earlier was for an earlier run of the same id
   */
  verify(token: unknown, workflowId: string, now?: Date, startedAt?: Date): VerifiedToken;
}

/**
 * Makes a verifier for tokens that people send to runs.
 * @param namespace the namespace of these runs
 * @throws TypeError if there is no key, or if one is not an Ed25519 public key. `loadConfig` finds both earlier.
 * @example createVerifier({ keys: { ops: { publicKey } } }).verify(token, 'plan-1')
 */
export function createVerifier(identity: IdentityConfig, namespace = DEFAULT_NAMESPACE): Verifier {
  const keys = publicKeysOf(identity);
  return {
    verify: (token, workflowId, now = new Date(), startedAt = undefined) =>
      verifyToken(token, {
        keys,
        workflowId,
        namespace,
        at: now.toISOString(),
        ...(startedAt !== undefined && { startedAt: startedAt.toISOString() }),
      }),
  };
}

/**
 * The keys of a project in the form that runs use. @throws TypeError in the same cases as `createVerifier`
 * @example publicKeysOf({ keys: { operator: { publicKey, subject: 'operator' } } }); // with x in place of publicKey
 */
export function publicKeysOf({ keys }: IdentityConfig): PublicKeys {
  const entries = Object.entries(keys).map(([kid, { publicKey, ...speaker }]) => {
    const read = readPublicKey(publicKey);
    if (!read.ok) throw new TypeError(`identity.keys.${kid}.publicKey: ${read.reason}`);
    const { x = '' } = read.key.export({ format: 'jwk' });
    return [kid, { x, ...speaker }] as const;
  });
  if (entries.length === 0)
    throw new TypeError('identity.keys: expected at least one key; without one nobody could speak');
  return Object.fromEntries(entries);
}

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
  // Without this check, Node would accept a private key and silently derive its public key.
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
