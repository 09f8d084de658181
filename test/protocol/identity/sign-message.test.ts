/** What a person or a service signs: it is verified as it was said, and what nobody would take is not signed. */

import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createKeyPair,
  createVerifier,
  IdentityError,
  LONGEST_LIFE_SECONDS,
  publicKeyOf,
  signMessage,
  type MessageToSign,
} from '../../../src/protocol/identity/index.ts';
import { OPERATOR, KEYS, NOW, RUN, SECOND } from './tokens.ts';

const verifier = createVerifier({ keys: KEYS });
const MESSAGE = { digest: '3fa9c1d2', kind: 'approve' };
const BASE: MessageToSign = {
  key: OPERATOR.privateKey,
  kid: 'operator',
  by: 'operator',
  workflowId: RUN,
  message: MESSAGE,
  now: NOW,
};

describe('what is signed is verified', () => {
  test('whatever it says', async () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    const message = fc.dictionary(
      fc.string().filter((key) => !['by', 'role', 'token', '__proto__'].includes(key)),
      value,
    );
    await fc.assert(
      fc.asyncProperty(message, fc.string(), fc.boolean(), async (said, workflowId, inRole) => {
        const role = inRole ? { role: 'reviewer' } : {};
        const token = await signMessage({ ...BASE, ...role, workflowId, message: said });
        const verified = verifier.verify(token, workflowId, NOW);
        const written = JSON.parse(JSON.stringify(said)) as object;
        expect(verified).toEqual({
          ok: true,
          by: 'operator',
          ...role,
          id: expect.any(String) as string,
          signedAt: SECOND,
          until: SECOND + 300,
          message: written,
        });
      }),
      { seed: 7519, numRuns: 200 },
    );
  });

  test('for five minutes, when nothing else is said, and under an id of its own', async () => {
    const [one, two] = await Promise.all([signMessage(BASE), signMessage(BASE)]);
    const claims = [one, two].map(
      (token) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>,
    );
    expect(claims[0]).toMatchObject({ iat: SECOND, exp: SECOND + 300, aud: RUN, sub: 'operator', message: MESSAGE });
    expect(claims[0]?.['jti']).not.toBe(claims[1]?.['jti']);
  });

  test('RFC 8037: Ed25519 keys: with a new pair of keys, and with the public key that belongs to a private one', async () => {
    const { privateKey, publicKey } = createKeyPair();
    expect(publicKeyOf(privateKey)).toBe(publicKey);
    const one = createVerifier({ keys: { any: { publicKey } } });
    const { kid: _, ...withoutKid } = BASE;
    const token = await signMessage({ ...withoutKid, key: privateKey });
    expect(one.verify(token, RUN, NOW)).toMatchObject({ ok: true, by: 'operator' });
  });
});

describe('what every verifier would refuse is not signed', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  const locked = createPrivateKey(OPERATOR.privateKey).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  });
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  test.each<[string, Partial<MessageToSign>, RegExp]>([
    ['a message with by', { message: { by: 'deputy' } }, /must not contain "by"/],
    ['a message with role', { message: { role: 'lead' } }, /must not contain "role"/],
    ['a message with a token', { message: { token: 'x' } }, /must not contain "token"/],
    ['a message that is no JSON', { message: circular }, /is no JSON/],
    ['a message that is too large', { message: { x: 'a'.repeat(50_000) } }, /at most 65536 are read/],
    ['a name of two lines', { by: 'operator\ndeputy' }, /sub: expected/],
    ['a role without text', { role: '' }, /role: expected/],
    ['a kid without text', { kid: '' }, /kid: expected/],
    ['a life over 24 h', { lifeSeconds: LONGEST_LIFE_SECONDS + 1 }, /lives for 86401 s/],
    ['no life', { lifeSeconds: 0 }, /lives for 0 s/],
    ['a life that is no number', { lifeSeconds: Number.NaN }, /exp: expected a number/],
    ['with a public key', { key: OPERATOR.publicKey }, /got a public key/],
    ['with a key of another type', { key: rsa.toString() }, /got a private key of type rsa/],
    ['with a locked key', { key: locked.toString() }, /locked with a passphrase/],
    ['with no key', { key: 'secret-text' }, /cannot be read as one; make one with/],
  ])('%s', async (_name, change, message) => {
    const error = await signMessage({ ...BASE, ...change }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(IdentityError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain('secret-text');
  });
});
