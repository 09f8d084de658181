/**
 * Verifies the sender of a message to a run. A token is a compact JWS (RFC 7515) with Ed25519 (RFC 8037) that signs the
 * message. Pure and synchronous, so that a workflow can run it. The run ensures that each token is used once.
 */

import { hashes, verify as verifySignature } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import { jsonIn, repeatedKey, textOfBytes } from '../../../plan/text/index.ts';
import { TOKEN_FORM } from '../../ids.ts';
import { describe, isRecord } from '../../payload.ts';
import type { PublicKey, PublicKeys } from '../../project.ts';
import { readClaims, type Claims, LEEWAY_SECONDS, MAX_TOKEN_CHARACTERS } from './claims.ts';
import { readGrant } from './grant.ts';

hashes.sha512 = sha512;

/** The facts that a token is checked against. */
export interface TokenFacts {
  readonly keys: PublicKeys;
  /** The workflow id of the run that received the token. */
  readonly workflowId: string;
  readonly namespace?: string;
  /** The run id of the run's first execution, which the token must name. If absent, as for a start, not checked. */
  readonly firstRunId?: string;
  /** When the token arrived, ISO 8601. If absent, only the signature is checked and no times. */
  readonly at?: string;
  /** When the run began, ISO 8601. An earlier token was for an earlier run of the id. Default: not checked. */
  readonly startedAt?: string;
  /**
   * True: the token must be a grant, which is valid for any run of the namespace; `message` is then its `GrantTerms`.
   * Default: the token must be a message.
   */
  readonly isGrant?: true;
}

/** The sender and the message of a valid token, or the reason for its rejection. */
export type VerifiedToken =
  | {
      readonly ok: true;
      readonly by: string;
      readonly role?: string;
      /** The configuration marks the key as a person's. */
      readonly personKey?: true;
      readonly id: string;
      /** Seconds since 1970; `until` too. */
      readonly signedAt: number;
      readonly until: number;
      /** The message, without `by`, `role` and `token`. */
      readonly message: Readonly<Record<string, unknown>>;
    }
  | RefusedToken;

/** A rejected token, and the reason. */
export interface RefusedToken {
  readonly ok: false;
  /** The problem and what to do. If the signature is wrong, the reason contains no part of the token. */
  readonly reason: string;
  /** The key is unknown, or did not sign the token: a newer key may have the same name. */
  readonly isKeyUnknown?: true;
}

/**
 * Verifies a token: returns its sender and message, or the reason for its rejection. Never throws.
 * @example verifyToken(token, { keys: publicKeysOf(identity), workflowId: 'plan-1', at: new Date().toISOString() });
 */
export function verifyToken(token: unknown, facts: TokenFacts): VerifiedToken {
  try {
    return verify(token, facts);
  } catch (error) {
    return refuse(`the token could not be checked (${(error as Error).name}); make it again as docs/identity.md says`);
  }
}

function verify(token: unknown, { keys, at, startedAt, isGrant, ...place }: TokenFacts): VerifiedToken {
  const wrong = shapeProblem(token);
  if (wrong !== undefined) return refuse(wrong);
  const [header = '', payload = '', signature = ''] = (token as string).split('.');
  const parts = [header, payload].map((part) => textOfBytes(base64urlnopad.decode(part)) ?? '');
  const [head, claims] = parts.map(jsonIn);
  const chosen = chooseKey(keys, head);
  if (!chosen.ok) return chosen;
  const { kid, key } = chosen;
  const signed = new TextEncoder().encode(`${header}.${payload}`);
  // Strict as in RFC 8032: rejects keys and points of small order, since their signatures fit any message.
  if (!verifySignature(base64urlnopad.decode(signature), signed, base64urlnopad.decode(key.x), { zip215: false })) {
    return {
      ...refuse(
        `the signature does not fit the key "${kid}": it was made with another private key, or the token was ` +
          `changed on its way; sign again with the private key of "${kid}"`,
      ),
      isKeyUnknown: true,
    };
  }
  const now = at === undefined ? undefined : new Date(at);
  const read = isGrant === true ? readGrant(claims, place.namespace, now) : readClaims(claims, place, now);
  if (!read.ok) return read;
  const [twice] = parts.flatMap((part) => repeatedKey(part) ?? []);
  if (twice !== undefined) {
    const why = 'whoever signed it may have seen the other value. Write it once, and sign again';
    return refuse(`an object of the token has the key ${describe(twice)} more than once, and ${why}`);
  }
  const { sub, role, jti, iat, exp, message } = read.claims;
  const problem = speakerProblem(kid, key, read.claims) ?? earlierRunProblem(iat, startedAt);
  if (problem !== undefined) return refuse(problem);
  return {
    ok: true,
    by: sub,
    ...(role !== undefined && { role }),
    ...(key.person === true && { personKey: true }),
    id: jti,
    signedAt: iat,
    until: exp,
    message,
  };
}

function shapeProblem(token: unknown): string | undefined {
  if (typeof token !== 'string') return `token: expected a text, the compact JWS, got ${describe(token)}`;
  if (token.length > MAX_TOKEN_CHARACTERS) {
    return `the token has ${token.length} characters, at most ${MAX_TOKEN_CHARACTERS} are read; say less in one message`;
  }
  // The last character of each part has unused bits, so only the canonical text of a token is accepted.
  return TOKEN_FORM.test(token) && token.split('.').every(isBase64url) ? undefined : NO_TOKEN;
}

function isBase64url(part: string): boolean {
  try {
    base64urlnopad.decode(part);
    return true;
  } catch {
    return false;
  }
}

const NO_TOKEN =
  'the token is no compact JWS with Ed25519: three parts joined by dots, base64url without padding and without line ' +
  'breaks, the last of 86 characters; docs/identity.md makes one with openssl';

type ChosenKey = { readonly ok: true; readonly kid: string; readonly key: PublicKey } | RefusedToken;

function chooseKey(keys: PublicKeys, header: unknown): ChosenKey {
  if (!isRecord(header)) return refuse(NO_TOKEN);
  const { alg, kid } = header;
  if (alg !== 'EdDSA') {
    return refuse(
      'only EdDSA with Ed25519 is accepted; sign with an Ed25519 key and write "alg":"EdDSA" in the header',
    );
  }
  if ('crit' in header || 'b64' in header) {
    return refuse('the header asks for extensions ("crit" or "b64"), and there are none; leave them out');
  }
  const kids = Object.keys(keys);
  const named = kid === undefined && kids.length === 1 ? kids[0] : kid;
  const key = typeof named === 'string' && Object.hasOwn(keys, named) ? keys[named] : undefined;
  if (key !== undefined) return { ok: true, kid: named as string, key };
  const known = `write "kid" in its header, one of ${listed(kids)}`;
  return kid === undefined
    ? refuse(`the token does not say which key signed it, and there are ${kids.length}; ${known}`)
    : {
        ...refuse(`the token names a key that is not known here; ${known}. A worker reads its keys when it starts`),
        isKeyUnknown: true,
      };
}

function speakerProblem(kid: string, { subject, roles }: PublicKey, { sub, role }: Claims): string | undefined {
  if (subject !== undefined && sub !== subject) {
    return `the key "${kid}" speaks for ${describe(subject)} only, and the token says ${describe(sub)}`;
  }
  const allowed = roles ?? (subject === undefined ? undefined : []);
  if (role === undefined || allowed === undefined || allowed.includes(role)) return undefined;
  const may = allowed.length === 0 ? 'in no role' : `as ${listed(allowed)} only`;
  return `the key "${kid}" speaks ${may}, and the token says ${describe(role)}; a role is given to a key in the configuration`;
}

function earlierRunProblem(iat: number, startedAt: string | undefined): string | undefined {
  if (startedAt === undefined || iat >= Date.parse(startedAt) / 1000 - LEEWAY_SECONDS) return undefined;
  return (
    `the token was signed at ${new Date(iat * 1000).toISOString()}, before this run began at ${startedAt}; it was ` +
    'meant for an earlier run of the same id. Sign it again'
  );
}

const MOST_LISTED = 10;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  return `${names.slice(0, MOST_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function refuse(reason: string): RefusedToken {
  return { ok: false, reason };
}
