/** The encryption of a config: keys by the variables that have them, and never in the file. */

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfig, encryptionKeys, loadConfig, mayEncrypt } from '../../src/config/index.ts';
import { encryptionOf } from '../../src/config/project/index.ts';
import { testFolder } from '../support/folders.ts';

const FILE = '/project/planwright.config.ts';
const KEY = randomBytes(32).toString('base64');
const OTHER = randomBytes(32).toString('base64');
const one = { keys: { a: { env: 'KEY_A' } }, current: 'a' };
const two = { keys: { a: { env: 'KEY_A' }, b: { env: 'KEY_B' } }, current: 'b' };

describe('in a config', () => {
  test('keys stand by their ids, with the variable of each', () => {
    expect(checkConfig({ encryption: two }, FILE).encryption).toEqual(two);
    expect(checkConfig({}, FILE).encryption).toBeUndefined();
  });

  test.each<[string, object, string]>([
    [
      'a key itself',
      { keys: { a: KEY }, current: 'a' },
      'config.encryption.keys.a: expected the variable of the environment',
    ],
    [
      'a key as the name of a variable',
      { keys: { a: { env: KEY } }, current: 'a' },
      'config.encryption.keys.a.env: expected',
    ],
    [
      'something beside the variable',
      { keys: { a: { env: 'KEY_A', value: KEY } }, current: 'a' },
      'config.encryption.keys.a',
    ],
    ['no keys', { keys: {}, current: 'a' }, 'config.encryption.current: expected the id of one of the keys'],
    ['another current one', { ...one, current: 'b' }, 'config.encryption.current: expected the id of one of the keys'],
    ['an inherited name as the current one', { ...one, current: 'toString' }, 'config.encryption.current'],
    ['an id that is none', { keys: { 'a b': { env: 'KEY_A' } }, current: 'a b' }, 'an id is 1 to 64 letters'],
    ['another member', { ...one, algorithm: 'none' }, 'there is no algorithm; known are keys, current'],
  ])('%s is refused, and no key is shown', (_, encryption, message) => {
    const check = () => checkConfig({ encryption }, FILE);
    expect(check).toThrow(message);
    expect(check).not.toThrow(KEY);
  });
});

describe('of the environment', () => {
  test('all keys are read', () => {
    expect(encryptionKeys(two, { KEY_A: KEY, KEY_B: OTHER })).toEqual({
      keys: { a: KEY, b: OTHER },
      current: 'b',
      missing: [],
    });
  });

  test('a key that does not encrypt may be missing, and is told', () => {
    expect(encryptionKeys(two, { KEY_B: OTHER })).toEqual({
      keys: { b: OTHER },
      current: 'b',
      missing: [{ id: 'a', env: 'KEY_A' }],
    });
  });

  test.each<[string, NodeJS.ProcessEnv, string]>([
    ['the current one is missing', { KEY_A: KEY }, 'key b: the environment has no KEY_B'],
    ['the current one is empty', { KEY_A: KEY, KEY_B: '' }, 'key b: the environment has no KEY_B'],
    ['one is none', { KEY_A: 'short', KEY_B: OTHER }, 'key a: expected 32 bytes in base64'],
  ])('%s: an error that names it', (_, environment, message) => {
    expect(() => encryptionKeys(two, environment)).toThrow(message);
    expect(() => encryptionKeys(two, environment)).toThrow('config.encryption: ');
  });
});

describe('commands that need nothing else of a config', () => {
  function folderWith(files: Readonly<Record<string, string>>): string {
    const folder = testFolder('encryption');
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return folder;
  }
  const config = `export default { encryption: ${JSON.stringify(one)} };`;

  test('load it where its text has the word, and no other', async () => {
    expect(await encryptionOf({}, folderWith({ 'planwright.config.ts': config }))).toEqual(one);
    expect(await encryptionOf({}, folderWith({ 'planwright.config.ts': 'this is no TypeScript' }))).toBeUndefined();
    expect(await encryptionOf({}, folderWith({}))).toBeUndefined();
    const broken = folderWith({ 'planwright.config.ts': `${config} and this is no TypeScript` });
    await expect(encryptionOf({}, broken)).rejects.toThrow('could not be loaded');
  });

  test('so that it cannot stand in a file that is only imported', async () => {
    const folder = folderWith({
      'base.ts': config,
      'planwright.config.ts': "import base from './base.ts';\nexport default { ...base };",
    });
    const file = join(folder, 'planwright.config.ts');
    expect(mayEncrypt(file)).toBe(false);
    await expect(loadConfig(file)).rejects.toThrow('config.encryption: write it in this file itself');
  });
});
