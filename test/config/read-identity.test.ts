import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkConfig, loadConfig } from '../../src/config/index.ts';
import { createKeyPair, createVerifier } from '../../src/protocol/identity/index.ts';
import { fileFolder } from '../support/folders.ts';

const OPERATOR = createKeyPair();
const DEPUTY = createKeyPair();
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' });

const folder = fileFolder('identity');
beforeAll(() => {
  mkdirSync(join(folder, 'keys'));
  writeFileSync(join(folder, 'keys/operator.pem'), OPERATOR.publicKey);
  writeFileSync(join(folder, 'keys/secret.pem'), OPERATOR.privateKey);
});

const check = (identity: unknown) => checkConfig({ capabilities: [], identity }, join(folder, 'planwright.config.ts'));

test('keys are read from texts and from files beside the config, wherever it is loaded from', () => {
  const keys = {
    operator: { publicKey: { file: 'keys/operator.pem' }, subject: 'operator', roles: ['reviewer'] },
    service: { publicKey: DEPUTY.publicKey.replaceAll('\n', '\r\n') },
  };
  const { identity } = check({ keys });
  expect(identity).toEqual({
    keys: {
      operator: { publicKey: OPERATOR.publicKey, subject: 'operator', roles: ['reviewer'] },
      service: { publicKey: DEPUTY.publicKey },
    },
  });
  expect(() => createVerifier(identity ?? { keys: {} })).not.toThrow();
});

test('without identity there is none', () => {
  expect(check(undefined)).not.toHaveProperty('identity');
});

describe('is refused with its place', () => {
  const withKey = (publicKey: unknown, more: object = {}) => ({ keys: { operator: { publicKey, ...more } } });
  test.each<[string, unknown, RegExp]>([
    ['an identity without keys', {}, /config\.identity\.keys: /],
    ['an identity that nobody can pass', { keys: {} }, /config\.identity\.keys: expected at least one key/],
    ['an unknown field', { ...withKey(OPERATOR.publicKey), required: true }, /config\.identity: .*required/],
    [
      'an unknown field of a key',
      withKey(OPERATOR.publicKey, { role: 'lead' }),
      /config\.identity\.keys\.operator: .*role/,
    ],
    ['no key', withKey(undefined), /keys\.operator\.publicKey: expected the PEM text of a public key, \{ file/],
    [
      'a text that is no PEM',
      withKey('AAAAC3NzaC1lZDI1NTE5'),
      /operator\.publicKey: expected the PEM text.*without PEM/,
    ],
    ['a key of another type', withKey(RSA), /operator\.publicKey: expected an Ed25519 key, got one of type rsa/],
    ['a key that is cut off', withKey(OPERATOR.publicKey.replace(/.{9}\n---/, '\n---')), /cut off or changed/],
    ['two keys in one', withKey(OPERATOR.publicKey + DEPUTY.publicKey), /one public key.*got 2 blocks/],
    ['a certificate', withKey('-----BEGIN CERTIFICATE-----'), /got a block of CERTIFICATE/],
    ['a private key', withKey(OPERATOR.privateKey), /operator\.publicKey: THIS IS A PRIVATE KEY.*make a new pair/],
    ['a private key in a file', withKey({ file: 'keys/secret.pem' }), /keys\/secret\.pem: THIS IS A PRIVATE KEY/],
    ['a private key behind a public one', withKey(OPERATOR.publicKey + DEPUTY.privateKey), /THIS IS A PRIVATE KEY/],
    ['a file that is missing', withKey({ file: 'keys/deputy.pem' }), /keys\/deputy\.pem: there is no such file/],
    ['a folder', withKey({ file: 'keys' }), /keys: it cannot be read \(EISDIR\)/],
    ['a subject without text', withKey(OPERATOR.publicKey, { subject: '' }), /operator\.subject: expected a name/],
    [
      'a role of two lines',
      withKey(OPERATOR.publicKey, { roles: ['a', 'b\nc'] }),
      /operator\.roles\.1: expected a name/,
    ],
    [
      'a name that is none',
      { keys: { ' operator': { publicKey: OPERATOR.publicKey } } },
      /config\.identity\.keys\. operator: /,
    ],
    [
      'one key under two names',
      {
        keys: {
          operator: { publicKey: OPERATOR.publicKey, subject: 'operator' },
          all: { publicKey: { file: 'keys/operator.pem' } },
        },
      },
      /keys\.all\.publicKey: the same key as operator/,
    ],
    [
      "a person's key that signs receipts too",
      { ...withKey(OPERATOR.publicKey), receiptKeys: { workers: { publicKey: { file: 'keys/operator.pem' } } } },
      /receiptKeys\.workers\.publicKey: the same key as operator/,
    ],
    [
      'a key for receipts that speaks for somebody',
      { ...withKey(OPERATOR.publicKey), receiptKeys: { workers: { publicKey: DEPUTY.publicKey, subject: 'deputy' } } },
      /receiptKeys\.workers: .*subject/,
    ],
  ])('%s', (_name, identity, message) => {
    expect(() => check(identity)).toThrow(message);
    expect(() => check(identity)).toThrow(join(folder, 'planwright.config.ts'));
  });

  test('every key that is wrong, and no text of any', () => {
    const both = { keys: { operator: { publicKey: OPERATOR.privateKey }, deputy: { publicKey: RSA } } };
    expect(() => check(both)).toThrow(/keys\.operator[^]*keys\.deputy/);
    const secret = OPERATOR.privateKey.split('\n')[1] ?? '';
    expect(() => check(both)).toThrow(expect.not.stringContaining(secret) as Error);
  });
});

test('a config file finds planwright and zod where its project has installed neither', async () => {
  const file = join(folder, 'planwright.config.ts');
  writeFileSync(
    file,
    `import { defineConfig } from 'planwright';
     import { defineCapability } from 'planwright/capabilities';
     import { z } from 'zod';
     const one = defineCapability({ name: 'one', description: '', input: z.object({}), output: 'text', effect: 'read', execute: () => '' });
     export default defineConfig({ capabilities: [one] });`,
  );
  expect(await loadConfig(file)).toMatchObject({ capabilities: [{ name: 'one' }] });
});

test('receipts need a key that they can be verified by, and workers alone read the private one', () => {
  const receipts = { key: 'keys/secret.pem' };
  const checked = (identity?: object) =>
    checkConfig({ capabilities: [], receipts, ...(identity && { identity }) }, join(folder, 'planwright.config.ts'));
  const keys = { operator: { publicKey: OPERATOR.publicKey } };
  expect(() => checked()).toThrow(/config\.receipts: .*identity\.receiptKeys/);
  expect(() => checked({ keys })).toThrow(/identity\.receiptKeys/);
  const identity = { keys, receiptKeys: { workers: { publicKey: DEPUTY.publicKey } } };
  expect(checked(identity).receipts?.()).toContain('PRIVATE KEY');
  receipts.key = 'keys/none.pem';
  const { receipts: read } = checked(identity);
  expect(read).toThrow(/config\.receipts\.key: there is no file .*keys.none\.pem; give/);
});
