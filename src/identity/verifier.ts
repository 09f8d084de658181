/**
 * Says who speaks to a run. A token is a compact JWS (RFC 7515) with Ed25519 (RFC 8037); whatever is said stands in what
 * is signed. That a token is used once is for the run to see: it remembers the ids.
 */

import type { KeyObject } from 'node:crypto';
import { describe, isRecord, TOKEN_FORM } from '../run/index.ts';
import { readClaims, type Claims } from './claims.ts';
import type { IdentityConfig, IdentityKey } from './identity-config.ts';
import { LEEWAY_SECONDS, MAX_TOKEN_CHARACTERS } from './limits.ts';
import { readPublicKey } from './public-key.ts';

export interface Verifier {
  /**
   * Checks a token that was sent to the run `workflowId`. Never throws: whatever is wrong with any input is a reason,
   * which says what to do and holds no part of a token whose signature was not good. `startedAt` is when the run began:
   * what was signed before it was meant for an earlier run of the same id. `now` is for tests.
   */
  verify(token: unknown, workflowId: string, now?: Date, startedAt?: Date): Promise<VerifiedMessage | RefusedMessage>;
}

export interface VerifiedMessage {
  readonly ok: true;
  readonly by: string;
  readonly role?: string;
  /** Of the message, as its sender named it. */
  readonly id: string;
  readonly signedAt: Date;
  /** What is said, without `by`, `role` and `token`. */
  readonly message: Record<string, unknown>;
}

export interface RefusedMessage {
  readonly ok: false;
  readonly reason: string;
}

interface TrustedKey extends IdentityKey {
  readonly kid: string;
  readonly key: KeyObject;
}

type Keys = ReadonlyMap<string, TrustedKey>;

/**
 * @throws TypeError when there is no key, or one that is no Ed25519 public key. `loadConfig` finds both before.
 */
export function createVerifier(identity: IdentityConfig): Verifier {
  const keys: Keys = new Map(Object.entries(identity.keys).map(([kid, key]) => [kid, trust(kid, key)]));
  if (keys.size === 0) throw new TypeError('identity.keys: expected at least one key; without one nobody could speak');
  return {
    async verify(token, workflowId, now = new Date(), startedAt = undefined) {
      try {
        const verified = await verifyToken(keys, token, workflowId, now);
        return verified.ok ? (earlierRun(verified, startedAt) ?? verified) : verified;
      } catch (error) {
        return refuse(
          `the token could not be checked (${(error as Error).name}); make it again as docs/identity.md says`,
        );
      }
    },
  };
}

function trust(kid: string, identityKey: IdentityKey): TrustedKey {
  const read = readPublicKey(identityKey.publicKey);
  if (!read.ok) throw new TypeError(`identity.keys.${kid}.publicKey: ${read.reason}`);
  return { ...identityKey, kid, key: read.key };
}

async function verifyToken(
  keys: Keys,
  token: unknown,
  workflowId: string,
  now: Date,
): Promise<VerifiedMessage | RefusedMessage> {
  const wrong = shapeProblem(token);
  if (wrong !== undefined) return refuse(wrong);
  const chosen = chooseKey(keys, headerOf(token as string));
  if (!chosen.ok) return chosen;
  const { trusted } = chosen;
  const payload = await signedPayload(token as string, trusted.key);
  if (payload === undefined) {
    return refuse(
      `the signature does not fit the key "${trusted.kid}": it was made with another private key, or the token was ` +
        `changed on its way; sign again with the private key of "${trusted.kid}"`,
    );
  }
  const read = readClaims(parse(payload), workflowId, now);
  if (!read.ok) return read;
  const { sub, role, jti, iat, message } = read.claims;
  const forbidden = speakerProblem(trusted, read.claims);
  if (forbidden !== undefined) return refuse(forbidden);
  return { ok: true, by: sub, ...(role !== undefined && { role }), id: jti, signedAt: new Date(iat * 1000), message };
}

function earlierRun({ signedAt }: VerifiedMessage, startedAt: Date | undefined): RefusedMessage | undefined {
  if (startedAt === undefined || signedAt.getTime() >= startedAt.getTime() - LEEWAY_SECONDS * 1000) return undefined;
  return refuse(
    `the token was signed at ${signedAt.toISOString()}, before this run began at ${startedAt.toISOString()}; it was ` +
      'meant for an earlier run of the same id. Sign it anew',
  );
}

function shapeProblem(token: unknown): string | undefined {
  if (typeof token !== 'string') return `token: expected a text, the compact JWS, got ${describe(token)}`;
  if (token.length > MAX_TOKEN_CHARACTERS) {
    return `the token has ${token.length} characters, at most ${MAX_TOKEN_CHARACTERS} are read; say less in one message`;
  }
  const [, signature] = TOKEN_FORM.exec(token) ?? [];
  // The last character holds four bits that mean nothing and that decoders pass over, so that they could be changed: only
  // the one text that an encoder writes is a token.
  const canonical = signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
  return canonical ? undefined : NO_TOKEN;
}

const NO_TOKEN =
  'the token is no compact JWS with Ed25519: three parts joined by dots, base64url without padding and without line ' +
  'breaks, the last of 86 characters; docs/identity.md makes one with openssl';

/** The header, before anything in it can be believed. */
function headerOf(token: string): unknown {
  return parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url'));
}

type ChosenKey = { readonly ok: true; readonly trusted: TrustedKey } | RefusedMessage;

function chooseKey(keys: Keys, header: unknown): ChosenKey {
  if (!isRecord(header)) return refuse(NO_TOKEN);
  const { alg, kid } = header;
  if (alg !== 'EdDSA') {
    return refuse(
      'only EdDSA with Ed25519 is accepted; sign with an Ed25519 key and write "alg":"EdDSA" in the header',
    );
  }
  const [only] = keys.values();
  const trusted = kid === undefined && keys.size === 1 ? only : keys.get(kid as string);
  if (trusted !== undefined) return { ok: true, trusted };
  const known = `write "kid" in its header, one of ${listed([...keys.keys()])}`;
  return refuse(
    kid === undefined
      ? `the token does not say which key signed it, and there are ${keys.size}; ${known}`
      : `the token names a key that is not known here; ${known}. A worker reads its keys when it starts`,
  );
}

/** What was signed, or undefined when this key did not sign it. */
async function signedPayload(token: string, key: KeyObject): Promise<Uint8Array | undefined> {
  // Loaded with the first token: who only reads a configuration need not wait for it.
  const { compactVerify, errors } = await import('jose');
  try {
    return (await compactVerify(token, key, { algorithms: ['EdDSA'] })).payload;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return undefined;
    throw error;
  }
}

function speakerProblem({ kid, subject, roles }: TrustedKey, { sub, role }: Claims): string | undefined {
  if (subject !== undefined && sub !== subject) {
    return `the key "${kid}" speaks for ${describe(subject)} only, and the token says ${describe(sub)}`;
  }
  const allowed = roles ?? (subject === undefined ? undefined : []);
  if (role === undefined || allowed === undefined || allowed.includes(role)) return undefined;
  const may = allowed.length === 0 ? 'in no role' : `as ${listed(allowed)} only`;
  return `the key "${kid}" speaks ${may}, and the token says ${describe(role)}; a role is given to a key in the configuration`;
}

const MOST_LISTED = 10;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  return `${names.slice(0, MOST_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

function refuse(reason: string): RefusedMessage {
  return { ok: false, reason };
}
