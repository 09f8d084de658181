/** Tokens as anybody could write them, by Node's own signatures and not by the library that reads them. */

import { createHmac, createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createKeyPair } from '../../../src/protocol/identity/index.ts';

export const NOW = new Date('2026-03-04T05:06:07Z');
export const SECOND = NOW.getTime() / 1000;
export const RUN = 'plan-1';

/** Operator may be a reviewer; the service is believed whatever it says. */
export const OPERATOR = createKeyPair();
export const SERVICE = createKeyPair();
export const STRANGER = createKeyPair();
export const KEYS = {
  operator: { publicKey: OPERATOR.publicKey, subject: 'operator', roles: ['reviewer'] },
  service: { publicKey: SERVICE.publicKey },
};

export const HEADER = { alg: 'EdDSA', kid: 'operator' };
export const CLAIMS = {
  sub: 'operator',
  role: 'reviewer',
  aud: RUN,
  iat: SECOND,
  exp: SECOND + 300,
  jti: '0001',
  message: { kind: 'approve', digest: '3fa9c1d2' },
};

/** A token of Operator's with these changes; a claim that is undefined is left out. */
export function token(claims: object = {}, header: object = {}, key: string = OPERATOR.privateKey): string {
  return signed(JSON.stringify({ ...HEADER, ...header }), JSON.stringify({ ...CLAIMS, ...claims }), key);
}

export function signed(header: string, claims: string | Uint8Array, key: string | KeyObject): string {
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${sign(null, Buffer.from(text), typeof key === 'string' ? createPrivateKey(key) : key).toString('base64url')}`;
}

/** Signed with a secret: here the public key's bytes, which everybody has (RFC 8725, 2.1). */
export function signedWithHmac(secret: string): string {
  const text = `${base64url('{"alg":"HS256","kid":"operator"}')}.${base64url(JSON.stringify(CLAIMS))}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

export function signedWithOther(alg: 'RS256' | 'ES256', claimed: string = alg): string {
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const text = `${base64url(JSON.stringify({ alg: claimed, kid: 'operator' }))}.${base64url(JSON.stringify(CLAIMS))}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

export function base64url(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64url');
}
