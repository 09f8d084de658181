import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkConfig, loadConfig } from '../../src/config/index.ts';
import { createKeyPair, createVerifier } from '../../src/identity/index.ts';

const ANA = createKeyPair();
const BO = createKeyPair();
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planwright-identity-'));
  mkdirSync(join(folder, 'keys'));
  writeFileSync(join(folder, 'keys/ana.pem'), ANA.publicKey);
  writeFileSync(join(folder, 'keys/secret.pem'), ANA.privateKey);
});
afterAll(() => rmSync(folder, { recursive: true }));

const check = (identity: unknown) => checkConfig({ capabilities: [], identity }, join(folder, 'planwright.config.ts'));

test('keys are read from texts and from files beside the config, wherever it is loaded from', () => {
  const keys = {
    ana: { publicKey: { file: 'keys/ana.pem' }, subject: 'ana', roles: ['reviewer'] },
    service: { publicKey: BO.publicKey.replaceAll('\n', '\r\n') },
  };
  const { identity } = check({ keys });
  expect(identity).toEqual({
    keys: {
      ana: { publicKey: ANA.publicKey, subject: 'ana', roles: ['reviewer'] },
      service: { publicKey: BO.publicKey },
    },
  });
  expect(() => createVerifier(identity ?? { keys: {} })).not.toThrow();
});

test('without identity there is none', () => {
  expect(check(undefined)).not.toHaveProperty('identity');
});

describe('is refused with its place', () => {
  const withKey = (publicKey: unknown, more: object = {}) => ({ keys: { ana: { publicKey, ...more } } });
  test.each<[string, unknown, RegExp]>([
    ['an identity without keys', {}, /config\.identity\.keys: /],
    ['an identity that nobody can pass', { keys: {} }, /config\.identity\.keys: expected at least one key/],
    ['an unknown field', { ...withKey(ANA.publicKey), required: true }, /config\.identity: .*required/],
    ['an unknown field of a key', withKey(ANA.publicKey, { role: 'lead' }), /config\.identity\.keys\.ana: .*role/],
    ['no key', withKey(undefined), /keys\.ana\.publicKey: expected the PEM text of a public key, or \{ file/],
    ['a text that is no PEM', withKey('AAAAC3NzaC1lZDI1NTE5'), /ana\.publicKey: expected the PEM text.*without PEM/],
    ['a key of another type', withKey(RSA), /ana\.publicKey: expected an Ed25519 key, got one of type rsa/],
    ['a key that is cut off', withKey(ANA.publicKey.replace(/.{9}\n---/, '\n---')), /cut off or changed/],
    ['two keys in one', withKey(ANA.publicKey + BO.publicKey), /one public key.*got 2 blocks/],
    ['a certificate', withKey('-----BEGIN CERTIFICATE-----'), /got a block of CERTIFICATE/],
    ['a private key', withKey(ANA.privateKey), /ana\.publicKey: THIS IS A PRIVATE KEY.*make a new pair/],
    ['a private key in a file', withKey({ file: 'keys/secret.pem' }), /keys\/secret\.pem: THIS IS A PRIVATE KEY/],
    ['a private key behind a public one', withKey(ANA.publicKey + BO.privateKey), /THIS IS A PRIVATE KEY/],
    ['a file that is missing', withKey({ file: 'keys/bo.pem' }), /keys\/bo\.pem: there is no such file/],
    ['a folder', withKey({ file: 'keys' }), /keys: it cannot be read \(EISDIR\)/],
    ['a subject without text', withKey(ANA.publicKey, { subject: '' }), /ana\.subject: expected a name/],
    ['a role of two lines', withKey(ANA.publicKey, { roles: ['a', 'b\nc'] }), /ana\.roles\.1: expected a name/],
    ['a name that is none', { keys: { ' ana': { publicKey: ANA.publicKey } } }, /config\.identity\.keys\. ana: /],
    [
      'one key under two names',
      { keys: { ana: { publicKey: ANA.publicKey, subject: 'ana' }, all: { publicKey: { file: 'keys/ana.pem' } } } },
      /keys\.all\.publicKey: the same key as ana/,
    ],
  ])('%s', (_name, identity, message) => {
    expect(() => check(identity)).toThrow(message);
    expect(() => check(identity)).toThrow(join(folder, 'planwright.config.ts'));
  });

  test('every key that is wrong, and no text of any', () => {
    const both = { keys: { ana: { publicKey: ANA.privateKey }, bo: { publicKey: RSA } } };
    expect(() => check(both)).toThrow(/keys\.ana[^]*keys\.bo/);
    const secret = ANA.privateKey.split('\n')[1] ?? '';
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
