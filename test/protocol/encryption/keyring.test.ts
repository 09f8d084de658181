/** Keys are read once and strictly, and leave what holds them for nothing but their own work. */

import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openKeyring } from '../../../src/protocol/encryption/index.ts';

const key = randomBytes(32).toString('base64');

describe('keys', () => {
  test.each<[name: string, keys: Record<string, string>, current: string]>([
    ['one', { a: key }, 'a'],
    ['one with a line end, as a file has it', { a: `${key}\n` }, 'a'],
    ['in the alphabet of URLs', { a: randomBytes(32).toString('base64url') }, 'a'],
    ['several', { '2026-11': key, b_1: randomBytes(32).toString('base64') }, 'b_1'],
  ])('%s', (_, keys, current) => {
    expect(openKeyring({ keys, current }).current.id).toBe(current);
  });

  test.each<[name: string, keys: Record<string, string>, current: string, message: string]>([
    ['none', {}, 'a', 'current: there is no key a; there are none'],
    ['another current one', { a: key }, 'b', 'there is no key b; there are a'],
    ['too short', { a: randomBytes(16).toString('base64') }, 'a', 'key a: expected 32 bytes in base64'],
    ['too long', { a: randomBytes(33).toString('base64') }, 'a', 'key a: expected 32 bytes'],
    ['a passphrase', { a: 'correct horse battery staple' }, 'a', 'openssl rand -base64 32'],
    ['an id that is none', { 'a b': key }, 'a b', 'an id is 1 to 64 letters'],
    ['too many', Object.fromEntries(Array.from({ length: 51 }, (__, at) => [`k${at}`, key])), 'k0', 'at most 50'],
  ])('%s: refused, and not shown', (_, keys, current, message) => {
    let told = '';
    try {
      openKeyring({ keys, current });
    } catch (error) {
      told = (error as Error).message;
      expect(error).toMatchObject({ name: 'EncryptionError', code: 'invalid-keys' });
    }
    expect(told).toContain(message);
    for (const one of Object.values(keys)) expect(told).not.toContain(one);
  });

  test('are in nothing that prints or serialises their holder', () => {
    const keyring = openKeyring({ keys: { a: key }, current: 'a' });
    const shown = inspect(keyring, { depth: 9, showHidden: true }) + JSON.stringify(keyring);
    expect(shown).toContain('a');
    const bytes = Buffer.from(key, 'base64');
    for (const form of [
      key,
      bytes.toString('hex'),
      inspect(bytes).slice(8, -1),
      JSON.stringify([...bytes]).slice(1, -1),
    ])
      expect(shown).not.toContain(form);
  });
});
