/** A locked private key is a standard file, and the public half of a browser's key is a key. */

import { spawnSync } from 'node:child_process';
import { createPublicKey, webcrypto } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkConfig } from '../../../src/config/index.ts';
import {
  createKeyPair,
  createLockedKeyPair,
  createVerifier,
  IdentityError,
  isLocked,
  publicKeyOf,
  readPublicJwk,
  unlockKey,
} from '../../../src/protocol/identity/index.ts';

const PASSPHRASE = 'vier Wörter, oder mehr';
const MESSAGE = { kind: 'approve', digest: '3fa9c1d2'.repeat(8) };

describe('a locked key', () => {
  test('RFC 7914: PBES2-scrypt: opens with its passphrase alone, here and with openssl, which tells its scheme', async (context) => {
    const { privateKey, publicKey } = await createLockedKeyPair(PASSPHRASE);
    expect([isLocked(privateKey), isLocked(createKeyPair().privateKey)]).toEqual([true, false]);
    expect(publicKeyOf(unlockKey(privateKey, PASSPHRASE))).toBe(publicKey);
    for (const wrong of ['', 'vier Worter, oder mehr', `${PASSPHRASE} `])
      expect(() => unlockKey(privateKey, wrong)).toThrow('the passphrase is not the one that the key is locked with');
    expect(() => publicKeyOf(privateKey)).toThrow('locked with a passphrase');

    const version = spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout;
    context.skip(!/^OpenSSL [3-9]/.test(version ?? ''), 'needs OpenSSL 3');
    const openssl = (...args: string[]) => spawnSync('openssl', args, { input: privateKey, encoding: 'utf8' }).stdout;
    expect(openssl('pkey', '-passin', `pass:${PASSPHRASE}`, '-pubout')).toBe(publicKey);
    expect(openssl('asn1parse')).toMatch(/:PBES2[\s\S]*:scrypt[\s\S]*:4000[\s\S]*:08[\s\S]*:05[\s\S]*:aes-256-cbc/);
  });

  test('of two pairs with one passphrase has nothing in common with the other', async () => {
    const [one, other] = await Promise.all([createLockedKeyPair(PASSPHRASE), createLockedKeyPair(PASSPHRASE)]);
    const bodyOf = ({ privateKey }: { privateKey: string }) => privateKey.split('\n')[2];
    expect(bodyOf(one)).not.toBe(bodyOf(other));
  });

  test('wants 12 characters', async () => {
    await expect(createLockedKeyPair('eleven char')).rejects.toThrow(IdentityError);
    await expect(createLockedKeyPair('twelve chars')).resolves.toBeDefined();
  });
});

describe('a key of a browser', () => {
  /** As a page makes it: the private part cannot be taken out. */
  async function browserKey() {
    const pair = (await webcrypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
    const jwk = await webcrypto.subtle.exportKey('jwk', pair.publicKey);
    return { pair, jwk };
  }
  const part = (value: string | ArrayBuffer) => Buffer.from(value as string).toString('base64url');

  test("is taken in a config by its public half, and what it signs is a person's word", async () => {
    const { pair, jwk } = await browserKey();
    await expect(webcrypto.subtle.exportKey('jwk', pair.privateKey)).rejects.toThrow();
    const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', pair.publicKey));
    const config = { identity: { keys: { page: { publicKey: jwk, subject: 'operator', person: true } } } };
    const { identity } = checkConfig(config, '/project/planwright.config.ts');
    const pem = createPublicKey({ key: spki, type: 'spki', format: 'der' }).export({ type: 'spki', format: 'pem' });
    expect(identity?.keys['page']).toEqual({ publicKey: pem, subject: 'operator', person: true });

    const now = Math.floor(Date.now() / 1000);
    const claims = { sub: 'operator', aud: 'plan-1', iat: now, exp: now + 60, jti: '1', message: MESSAGE };
    const signed = [{ alg: 'EdDSA', kid: 'page' }, claims].map((one) => part(JSON.stringify(one))).join('.');
    const signature = await webcrypto.subtle.sign('Ed25519', pair.privateKey, Buffer.from(signed));
    const token = `${signed}.${part(signature)}`;
    expect(createVerifier(identity!).verify(token, 'plan-1')).toMatchObject({
      ok: true,
      by: 'operator',
      personKey: true,
    });
  });

  test.each([
    ['a private one', { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), d: 'x' }, 'THIS IS A PRIVATE KEY'],
    ['of another curve', { kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43) }, 'expected the JWK of an Ed25519 public key'],
    ['of another type', { kty: 'RSA', n: 'x', e: 'AQAB' }, 'expected the JWK of an Ed25519 public key'],
    ['too short', { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' }, 'with 32 bytes in x'],
    ['without a point', { kty: 'OKP', crv: 'Ed25519' }, 'with 32 bytes in x'],
  ])('that is %s is refused', (_, jwk, reason) => {
    expect(readPublicJwk(jwk)).toEqual({ ok: false, reason: expect.stringContaining(reason) as string });
  });
});

test.each([
  [
    { keys: { a: { publicKey: createKeyPair().publicKey, person: true } } },
    undefined,
    "a person's key speaks for one person",
  ],
  [
    { keys: { a: { publicKey: createKeyPair().publicKey, subject: 'a' } } },
    [{ person: true }],
    'config.approval.rules: a rule counts persons alone',
  ],
  [undefined, [{ notStarter: true }], 'config.approval.rules: a rule does not count the starter'],
  [
    { keys: { a: { publicKey: createKeyPair().publicKey, subject: 'a', person: 'yes' } } },
    undefined,
    'config.identity.keys.a.person',
  ],
])('a config with keys %j and rules %j is refused', (identity, rules, message) => {
  const config = { ...(identity && { identity }), ...(rules && { approval: { rules } }) };
  expect(() => checkConfig(config, '/project/planwright.config.ts')).toThrow(message);
});
