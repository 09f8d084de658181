/** A person's key: its passphrase is typed at a terminal, and comes from nowhere else. */

import { spawn, spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { quoteForShell } from '../../src/plan/text/index.ts';
import { createVerifier, signMessage, unlockKey } from '../../src/protocol/identity/index.ts';
import { fileFolder } from '../support/folders.ts';

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const PASSPHRASE = 'four words or so';
/** Nobody listens there. */
const NOWHERE = { TEMPORAL_ADDRESS: '127.0.0.1:9' };

const { stdout: version } = spawnSync('script', ['--version'], { encoding: 'utf8' });
const missing = /util-linux/.test(version ?? '') ? '' : 'needs script of util-linux, which gives a program a terminal';

const base = fileFolder('person');
let folder: string;
let key: string;
beforeAll(() => {
  folder = join(base, 'project');
  key = join(base, 'home/planwright/operator-person.key.pem');
  mkdirSync(folder);
});

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

/** The program in a session of its own: with a terminal at which the answers are typed, one at each prompt, or with none. */
function run(args: readonly string[], answers: readonly string[] | 'no terminal', input = ''): Promise<Ended> {
  const hasTerminal = answers !== 'no terminal';
  const line = [process.execPath, CLI, ...args].map(quoteForShell).join(' ');
  const [program, words] = hasTerminal
    ? (['script', ['-qec', line, '/dev/null']] as const)
    : ([process.execPath, [CLI, ...args]] as const);
  const env = { ...process.env, ...NOWHERE, XDG_CONFIG_HOME: join(base, 'home') };
  const child = spawn(program, words, { cwd: folder, env, detached: true });
  const left = hasTerminal ? [...answers] : [];
  let text = '';
  const hear = (more: string) => {
    text += more;
    const prompts = text.split(/(?:passphrase of [^\r\n]*\.pem|the same again): /).length - 1;
    const typed = hasTerminal ? answers.length - left.length : 0;
    if (prompts > typed && left.length > 0) child.stdin.write(`${left.shift()}\r`);
  };
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  if (!hasTerminal) child.stdin.end(input);
  return new Promise((resolve) => void child.once('close', (code) => resolve({ code, text })));
}
const init = (...answers: string[]) =>
  run(['init', '--key-pair', '--person', '--by', 'operator', '--role', 'lead'], answers);
const approve = ['approve', 'plan-1', '--digest', '3fa9c1d2', '--by', 'operator', '--key'];

describe.skipIf(missing !== '')(`a key of a person ${missing}`.trim(), () => {
  test.each([
    [['short words', 'short words'], 'a passphrase has at least 12 characters'],
    [[PASSPHRASE, 'four other words'], 'the two passphrases differ; nothing was written'],
    [[''], 'a passphrase that is typed at a terminal, and nobody did'],
  ])('is not made with %j', async (answers, message) => {
    const { code, text } = await init(...answers);
    expect([code, text.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(message)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("is locked with what was typed, is in the config as a person's, and nothing of it was shown", async () => {
    const { code, text } = await init(PASSPHRASE, PASSPHRASE);
    expect({ code, text: code === 0 ? '' : text }).toEqual({ code: 0, text: '' });
    expect(text).not.toContain(PASSPHRASE);
    const pem = readFileSync(key, 'utf8');
    expect(pem).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----/);
    expect(statSync(key).mode & 0o777).toBe(0o600);
    const { identity } = await loadConfig(join(folder, 'planwright.config.ts'));
    expect(identity?.keys).toMatchObject({ 'operator-person': { subject: 'operator', roles: ['lead'], person: true } });
    const opened = unlockKey(pem, PASSPHRASE);
    expect(createPublicKey(opened).export({ type: 'spki', format: 'pem' })).toBe(
      identity?.keys['operator-person']?.publicKey,
    );
    const message = { kind: 'approve', digest: '3fa9c1d2'.repeat(8) };
    const token = await signMessage({ key: opened, by: 'operator', role: 'lead', workflowId: 'plan-1', message });
    expect(createVerifier(identity!).verify(token, 'plan-1')).toMatchObject({ ok: true, personKey: true });
  });

  test('signs nothing where nobody can type, whatever is piped in or set', async () => {
    for (const typed of [
      [...approve, key],
      ['run', 'plan.yaml', '--by', 'operator', '--key', key],
    ]) {
      const { code, text } = await run(typed, 'no terminal', `${PASSPHRASE}\n`);
      expect([code, text]).toEqual([
        2,
        expect.stringContaining('locked with a passphrase, which a person types at a terminal'),
      ]);
    }
    const { code, text } = await run(
      ['init', '--key-pair', '--person', '--by', 'other'],
      'no terminal',
      `${PASSPHRASE}\n`,
    );
    expect([code, text]).toEqual([2, expect.stringContaining('and nobody did')]);
  });

  test('may be mistyped twice, and then is refused before anything is sent', { tags: ['slow'] }, async () => {
    const wrong = await run([...approve, key], ['not these words', 'nor these words', 'four words']);
    expect([wrong.code, wrong.text]).toEqual([
      2,
      expect.stringContaining('is not the one that the key is locked with'),
    ]);
    const right = await run([...approve, key], ['not these words', PASSPHRASE]);
    expect([right.code, right.text]).toEqual([2, expect.stringContaining('error[NO_SERVER]')]);
  });
});
