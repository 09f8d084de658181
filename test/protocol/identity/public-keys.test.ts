/** The keys of a project as its runs hold them, and what the checks of a signature make of every key and every spelling. */

import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { hashes, verify as verifyLeniently } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { compactVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { publicKeysOf, verifyToken, type TokenFacts } from '../../../src/protocol/identity/index.ts';
import { OPERATOR, base64url, CLAIMS, HEADER, KEYS, NOW, RUN, SERVICE, STRANGER, token } from './tokens.ts';

const FACTS: TokenFacts = { keys: publicKeysOf({ keys: KEYS }), workflowId: RUN, at: NOW.toISOString() };
hashes.sha512 = sha512;
const NO_TOKEN = /^the token is no compact JWS/;

describe('the public keys of a project', () => {
  test('are the 32 bytes of each, with whom it speaks for and in which roles', () => {
    const x = (pem: string) => createPublicKey(pem).export({ format: 'jwk' }).x;
    const keys = publicKeysOf({ keys: KEYS });
    expect(keys).toEqual({
      operator: { x: x(OPERATOR.publicKey), subject: 'operator', roles: ['reviewer'] },
      service: { x: x(SERVICE.publicKey) },
    });
    expect(Buffer.from(keys['operator']!.x, 'base64url')).toHaveLength(32);
    // They travel with the plan, as JSON.
    expect(JSON.parse(JSON.stringify(keys))).toEqual(keys);
  });

  test.each<[string, Parameters<typeof publicKeysOf>[0]['keys'], RegExp]>([
    ['none at all', {}, /^identity\.keys: expected at least one key/],
    [
      'a private key',
      { ops: { publicKey: OPERATOR.privateKey } },
      /^identity\.keys\.ops\.publicKey: THIS IS A PRIVATE KEY/,
    ],
    ['no PEM', { ops: { publicKey: 'x' } }, /^identity\.keys\.ops\.publicKey: expected the PEM text/],
    [
      'a key of another kind',
      {
        ops: { publicKey: generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString() },
      },
      /expected an Ed25519 key, got one of type x25519/,
    ],
  ])('are a mistake of the program, where there is %s', (_, keys, message) => {
    expect(() => publicKeysOf({ keys })).toThrow(TypeError);
    expect(() => publicKeysOf({ keys })).toThrow(message);
  });
});

describe('RFC 8032: a key of small order, with which a signature that nobody made is good', () => {
  /** Every point of small order, as it is written, and as it may be written besides. */
  const POINTS = [
    `01${'00'.repeat(31)}`,
    `01${'00'.repeat(30)}80`,
    `ec${'ff'.repeat(30)}7f`,
    `ec${'ff'.repeat(30)}ff`,
    `ed${'ff'.repeat(30)}7f`,
    `ed${'ff'.repeat(30)}ff`,
    `ee${'ff'.repeat(30)}7f`,
    `ee${'ff'.repeat(30)}ff`,
    '00'.repeat(32),
    `${'00'.repeat(31)}80`,
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  ].map((hex) => Buffer.from(hex, 'hex'));

  /** A token that a lenient check (ZIP 215) takes for signed with this key, though nobody has a private key to it. */
  function forged(point: Buffer): string | undefined {
    for (let jti = 0; jti < 40; jti += 1) {
      const text = `${base64url('{"alg":"EdDSA"}')}.${base64url(JSON.stringify({ ...CLAIMS, jti: `${jti}` }))}`;
      for (const r of POINTS) {
        const signature = Buffer.concat([r, Buffer.alloc(32)]);
        const isTaken = verifyLeniently(signature, Buffer.from(text), point, { zip215: true });
        if (isTaken) return `${text}.${signature.toString('base64url')}`;
      }
    }
    return undefined;
  }

  test('is refused, whatever it seems to have signed', () => {
    const found = POINTS.map((point) => ({ point, token: forged(point) })).filter((one) => one.token !== undefined);
    expect(found.length).toBeGreaterThan(4);
    for (const { point, token: hostile } of found) {
      const keys = { only: { x: point.toString('base64url') } };
      const verified = verifyToken(hostile, { ...FACTS, keys });
      expect(verified).toMatchObject({ ok: false });
      expect(verified.ok ? '' : verified.reason).toMatch(/signature does not fit|could not be checked/);
    }
  });
});

describe('RFC 7515: one token is one text', () => {
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

  /** The same bytes, written with other bits in the last character that mean nothing. */
  function otherSpellings(part: string): string[] {
    const bytes = Buffer.from(part, 'base64url');
    const spelled = ALPHABET.split('').map((last) => part.slice(0, -1) + last);
    return spelled.filter((text) => text !== part && Buffer.from(text, 'base64url').equals(bytes));
  }

  /** Padded with spaces until its last character has bits to spare. */
  function withSpareBits(json: string): string {
    return json.length % 3 === 0 ? `${json} ` : json;
  }

  const header = base64url(withSpareBits(JSON.stringify(HEADER)));
  const claims = base64url(withSpareBits(JSON.stringify(CLAIMS)));
  const good = signedText(`${header}.${claims}`);

  test.each<[string, readonly string[]]>([
    ['header', otherSpellings(header).map((other) => signedText(`${other}.${claims}`))],
    ['payload', otherSpellings(claims).map((other) => signedText(`${header}.${other}`))],
    ['signature', otherSpellings(good.split('.')[2]!).map((other) => `${header}.${claims}.${other}`)],
  ])('in its %s, even where another spelling was signed', (_, others) => {
    expect(verifyToken(good, FACTS)).toMatchObject({ ok: true });
    expect(others.length).toBeGreaterThan(2);
    for (const other of others) {
      expect(verifyToken(other, FACTS)).toEqual({ ok: false, reason: expect.stringMatching(NO_TOKEN) as string });
    }
  });

  function signedText(text: string): string {
    return `${text}.${sign(null, Buffer.from(text), OPERATOR.privateKey).toString('base64url')}`;
  }
});

describe('beside another library', () => {
  test('the same tokens are good, and the same are not', async () => {
    const keyOf = { operator: OPERATOR, service: SERVICE };
    const change = fc.constantFrom('none', 'none', 'header', 'payload', 'signature', 'key', 'algorithm');
    const seen = { good: 0, bad: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('operator' as const, 'service' as const),
        fc.dictionary(
          fc.string().filter((key) => !['by', 'role', 'token', '__proto__'].includes(key)),
          fc.jsonValue({ maxDepth: 3 }),
        ),
        change,
        fc.nat(),
        async (kid, message, how, at) => {
          const alg = how === 'algorithm' ? 'Ed448' : 'EdDSA';
          const made = token(
            { sub: 'operator', message },
            { kid, alg },
            (how === 'key' ? STRANGER : keyOf[kid]).privateKey,
          );
          const text = changed(made, how, at);
          const theirs = await compactVerify(text, createPublicKey(keyOf[kid].publicKey), {
            algorithms: ['EdDSA'],
          }).then(
            () => true,
            () => false,
          );
          const ours = verifyToken(text, FACTS);
          expect({ how, text, ok: ours.ok }).toEqual({ how, text, ok: theirs });
          if (ours.ok) expect(ours.message).toEqual(JSON.parse(JSON.stringify(message)));
          seen[theirs ? 'good' : 'bad'] += 1;
        },
      ),
      { seed: 8037, numRuns: 200 },
    );
    expect(Math.min(seen.good, seen.bad)).toBeGreaterThan(40);
  });

  /** With one character of that part changed, but for its last, which has bits that mean nothing. */
  function changed(text: string, how: string, at: number): string {
    const parts = text.split('.');
    const place = ['header', 'payload', 'signature'].indexOf(how);
    const part = parts[place];
    if (part === undefined) return text;
    const index = at % (part.length - 1);
    const to = part[index] === 'A' ? 'B' : 'A';
    parts[place] = part.slice(0, index) + to + part.slice(index + 1);
    return parts.join('.');
  }
});
