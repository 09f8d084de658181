/** What a good token says, for how long, by which keys, and that no change of it is accepted. */

import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createVerifier, LEEWAY_SECONDS, LONGEST_LIFE_SECONDS } from '../../../src/protocol/identity/index.ts';
import { OPERATOR, KEYS, NOW, RUN, SECOND, SERVICE, token } from './tokens.ts';

const verifier = createVerifier({ keys: KEYS });
const accepted = (text: string, now = NOW) => verifier.verify(text, RUN, now).ok;

test('RFC 7519: claims: who speaks, the id and the message come back as they were signed', () => {
  expect(verifier.verify(token(), RUN, NOW)).toEqual({
    ok: true,
    by: 'operator',
    role: 'reviewer',
    id: '0001',
    signedAt: SECOND,
    until: SECOND + 300,
    message: { kind: 'approve', digest: '3fa9c1d2' },
  });
  expect(verifier.verify(token({ role: undefined, message: {} }), RUN, NOW)).toEqual({
    ok: true,
    by: 'operator',
    id: '0001',
    signedAt: SECOND,
    until: SECOND + 300,
    message: {},
  });
});

describe('RFC 7519: times: clocks may be apart by the leeway, and not by a second more', () => {
  const expired = SECOND + 300;
  test.each<[string, object, at: number, boolean]>([
    ['the last second of its life', {}, expired - 1, true],
    ['its end', {}, expired, true],
    ['the last second of the leeway after it', {}, expired + LEEWAY_SECONDS - 1, true],
    ['the end of the leeway', {}, expired + LEEWAY_SECONDS, false],
    ['made as late as a clock may be ahead', {}, SECOND - LEEWAY_SECONDS, true],
    ['made a second later', {}, SECOND - LEEWAY_SECONDS - 1, false],
    ['the leeway before nbf', { nbf: SECOND + 100 }, SECOND + 100 - LEEWAY_SECONDS, true],
    ['a second before that', { nbf: SECOND + 100 }, SECOND + 100 - LEEWAY_SECONDS - 1, false],
    ['the longest life', { exp: SECOND + LONGEST_LIFE_SECONDS }, SECOND, true],
    ['a second longer', { exp: SECOND + LONGEST_LIFE_SECONDS + 1 }, SECOND, false],
    ['the shortest life', { exp: SECOND + 1 }, SECOND, true],
  ])('%s', (_name, claims, at, ok) => {
    expect(accepted(token(claims), new Date(at * 1000))).toBe(ok);
    // The clock is read in whole seconds, as the claims are written.
    expect(accepted(token(claims), new Date(at * 1000 + 999))).toBe(ok);
  });
});

describe('a key', () => {
  test.each<[string, { subject?: string; roles?: string[] }, claims: object, boolean]>([
    ['of a person speaks for the person', { subject: 'operator' }, { role: undefined }, true],
    ['of a person speaks for nobody else', { subject: 'operator' }, { sub: 'deputy', role: undefined }, false],
    ['of a person without roles speaks in none', { subject: 'operator' }, {}, false],
    ['of a person speaks in each of the roles', { subject: 'operator', roles: ['lead', 'reviewer'] }, {}, true],
    ['of a person need not name a role', { subject: 'operator', roles: ['lead'] }, { role: undefined }, true],
    ['of an authority is believed', {}, { sub: 'deputy', role: 'anything' }, true],
    ['of an authority with roles names no other', { roles: ['reviewer'] }, { role: 'lead' }, false],
    ['of an authority with roles names one of them', { roles: ['reviewer'] }, { sub: 'deputy' }, true],
  ])('%s', (_name, rules, claims, ok) => {
    const one = createVerifier({ keys: { only: { publicKey: OPERATOR.publicKey, ...rules } } });
    // With one key, the header may leave it out.
    expect(one.verify(token(claims, { kid: undefined }), RUN, NOW).ok).toBe(ok);
    expect(one.verify(token(claims, { kid: 'only' }), RUN, NOW).ok).toBe(ok);
    expect(one.verify(token(claims, { kid: 'operator' }), RUN, NOW).ok).toBe(false);
  });

  test('that is none, or none at all, is a mistake of the program', () => {
    expect(() => createVerifier({ keys: {} })).toThrow(/at least one key/);
    expect(() => createVerifier({ keys: { operator: { publicKey: OPERATOR.privateKey } } })).toThrow(
      /operator.*THIS IS A PRIVATE KEY/,
    );
    const publicKey = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(() => createVerifier({ keys: { operator: { publicKey } } })).toThrow(/Ed25519 key, got one of type x25519/);
  });
});

describe('a changed token is refused', () => {
  const valid = token();
  const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');

  test('whatever character is changed, into whatever', () => {
    expect(accepted(valid)).toBe(true);
    const character = fc.oneof(
      fc.constantFrom(...base64url, '.', '=', ' ', '+', '/'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const changed = fc
      .tuple(fc.nat(valid.length - 1), character)
      .map(([at, to]) => valid.slice(0, at) + to + valid.slice(at + 1))
      .filter((text) => text !== valid);
    fc.assert(
      fc.property(changed, (text) => !accepted(text)),
      { seed: 7515, numRuns: 1000 },
    );
  });

  test('also in the bits of its last character that mean nothing', () => {
    const others = base64url.filter((last) => !valid.endsWith(last)).map((last) => valid.slice(0, -1) + last);
    const bytes = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('hex');
    expect(others.filter((text) => bytes(text) === bytes(valid))).toHaveLength(15);
    for (const text of others) expect(accepted(text)).toBe(false);
  });

  test('also where a character is missing or one too many', () => {
    for (let at = 0; at < valid.length; at += 1) {
      expect(accepted(valid.slice(0, at) + valid.slice(at + 1))).toBe(false);
      expect(accepted(`${valid.slice(0, at)}A${valid.slice(at)}`)).toBe(false);
    }
  });
});

test('no text at all makes it throw', () => {
  const some = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(fc.base64String(), { minLength: 2, maxLength: 4 }).map((parts) => parts.join('.')),
    fc.json().map((claims) => token(JSON.parse(`{"message":${claims}}`) as object)),
    fc.json().map((header) => token({}, JSON.parse(`{"kid":${header}}`) as object)),
    fc.anything(),
  );
  fc.assert(
    fc.property(some, fc.string(), (text, run) => {
      const verified = verifier.verify(text, run, NOW);
      return verified.ok ? run === RUN : verified.reason.length > 20;
    }),
    { seed: 8037, numRuns: 1000 },
  );
});

test('without a time the clock counts', () => {
  const now = Math.floor(Date.now() / 1000);
  expect(verifier.verify(token({ iat: now, exp: now + 300 }), RUN).ok).toBe(true);
  const byService = token({ iat: now - 3600, exp: now - 1800 }, { kid: 'service' }, SERVICE.privateKey);
  expect(verifier.verify(byService, RUN)).toMatchObject({
    ok: false,
    reason: expect.stringContaining('expired') as string,
  });
});
