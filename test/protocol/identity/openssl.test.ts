/** docs/identity.md, typed line by line: keys and tokens that are made with openssl alone are good. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createVerifier, signMessage } from '../../../src/protocol/identity/index.ts';
import { blocksOf } from '../../support/pages.ts';
import { testFolder } from '../../support/folders.ts';

const scripts = blocksOf('docs/identity.md').filter(({ title }) => title === 'script');
const commands = scripts.map(({ text }) => text).filter((text) => !text.startsWith('temporal '));

const version = spawnSync('sh', ['-c', 'openssl version'], { encoding: 'utf8' }).stdout;
const missing = /^OpenSSL [3-9]/.test(version ?? '') ? '' : `needs OpenSSL 3, found ${version?.trim() || 'none'}`;

let folder: string;
beforeEach(() => {
  folder = testFolder('openssl');
});

/** Types the commands of the page, and then these. */
function type(...more: string[]): string {
  const script = ['set -eu', ...commands, ...more].join('\n');
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8' });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

describe('docs/identity.md', () => {
  test('makes a pair of keys and a token with openssl alone', (context) => {
    context.skip(missing !== '', missing);
    expect(commands).toHaveLength(2);
    const token = type(`printf '%s' "$token"`);
    const publicKey = readFileSync(join(folder, 'operator.pub.pem'), 'utf8');
    const verifier = createVerifier({ keys: { operator: { publicKey, subject: 'operator', roles: ['reviewer'] } } });
    expect(verifier.verify(token, 'plan-1')).toEqual({
      ok: true,
      by: 'operator',
      role: 'reviewer',
      id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      signedAt: expect.any(Number) as number,
      until: expect.any(Number) as number,
      message: { kind: 'approve', digest: '3fa9c1d2'.repeat(8) },
    });
    expect(verifier.verify(token, 'plan-2')).toMatchObject({ ok: false });
  });

  test('and with the key of openssl a program signs too', async (context) => {
    context.skip(missing !== '', missing);
    type();
    const key = readFileSync(join(folder, 'operator.key.pem'), 'utf8');
    const publicKey = readFileSync(join(folder, 'operator.pub.pem'), 'utf8');
    const token = await signMessage({ key, by: 'operator', workflowId: 'plan-1', message: { action: 'pause' } });
    expect(createVerifier({ keys: { operator: { publicKey } } }).verify(token, 'plan-1')).toMatchObject({
      by: 'operator',
    });
  });
});
