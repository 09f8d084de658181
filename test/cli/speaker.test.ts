/** The name that a person speaks under, and the key that signs: a file that only its owner can read. */

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openSigner, speakerOf } from '../../src/cli/reading/index.ts';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { testFolder } from '../support/folders.ts';

function keyWith(mode: number): string {
  const folder = testFolder('key');
  const file = join(folder, 'operator.key.pem');
  writeFileSync(file, createKeyPair().privateKey);
  chmodSync(file, mode);
  return file;
}

test.skipIf(process.platform === 'win32').each([0o644, 0o640, 0o660, 0o604, 0o602, 0o610])(
  'a private key that others can read or change is refused, with the command that mends it (mode %o)',
  async (mode) => {
    const file = keyWith(mode);
    await expect(openSigner({ key: file })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(`type \`chmod 600 ${file}\``),
    });
  },
);

test.each([0o600, 0o400, 0o700])("one that is its owner's alone signs (mode %o)", async (mode) => {
  expect(await openSigner({ key: keyWith(mode) })).toBeTypeOf('function');
});

test.each<[by: string, typed: Parameters<typeof speakerOf>[0]]>([
  ['os-user', {}],
  ['operator', { by: ' operator ' }],
  ['demo', { demo: 'gene-strategies' }],
  ['reviewer', { demo: 'gene-strategies', by: 'reviewer' }],
])('speaks as %s: %j', (by, typed) => {
  vi.stubEnv('USER', 'os-user');
  expect(speakerOf(typed)).toEqual({ by });
});
