/** `planwright doctor` where there is no server. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeCheck } from '../../src/cli/working/doctor.ts';
import { createFileStore, resultsIn } from '../../src/store/index.ts';
import { CONFIG, planwright, type Answer, type Doctor } from './planwright.ts';
import { fileFolder } from '../support/folders.ts';

const base = fileFolder('doctor');
const newFolder = () => mkdtempSync(join(base, 'one-'));
const NOWHERE = ['--address', '127.0.0.1:1'];

const doctor = (...args: string[]) => doctorIn({}, ...args);

async function doctorIn(env: Readonly<Record<string, string>>, ...args: string[]) {
  const { code, stdout } = await planwright(['doctor', ...NOWHERE, '-o', 'json', ...args], { env });
  const { ok, checks } = JSON.parse(stdout) as Answer<Doctor>;
  return { code, ok, checks, of: (name: string) => checks.find(({ check }) => check === name) };
}

// Each waits its 5 s for a server that is not there.
describe.concurrent('doctor', () => {
  test('without a server fails, and says what to do', async () => {
    const { code, ok, checks, of } = await doctor('--config', CONFIG, '--store', newFolder());
    expect({ code, ok }).toEqual({ code: 2, ok: false });
    expect(checks.map(({ check, state }) => `${check} ${state}`)).toEqual([
      `node ${nodeCheck(process.versions.node).state}`,
      'config ok',
      'store ok',
      'server fail',
    ]);
    expect(of('server')?.message).toContain('planwright dev');
    expect(of('config')?.message).toMatch(/^\d+ capabilities, 0 agents, no model, task queue planwright$/);
  });

  test('without a config warns', async () => {
    expect((await doctor()).of('config')).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('--config FILE'),
    });
  });

  test('a config that does not load and a store that cannot be written are failures', async () => {
    const folder = newFolder();
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const { of } = await doctor('--config', join(folder, 'none.config.ts'), '--store', join(file, 'store'));
    expect(of('config')).toMatchObject({ state: 'fail', message: expect.stringContaining('there is no config file') });
    expect(of('store')).toMatchObject({ state: 'fail', message: expect.stringContaining('PLANWRIGHT_STORE') });
    const place = join(folder, 'results');
    await resultsIn(createFileStore(place), 'runs/o/c').put(Buffer.from('whole'));
    expect((await doctor('--store', place)).of('store')).toMatchObject({
      state: 'ok',
      message: `${place}: 1 key, all whole`,
    });
    await createFileStore(place).put('runs/o/c/objects/other', Buffer.from('of another digest'));
    const damaged = (await doctor('--store', place)).of('store');
    expect(damaged).toMatchObject({ state: 'fail', message: expect.stringContaining('1 key whole, 1 problem: ') });
  });

  test(
    'of an encrypted project tells its keys, and those that are missing; an encrypted store wants them',
    { tags: ['slow'] },
    async () => {
      const folder = newFolder();
      const config = join(folder, 'planwright.config.ts');
      const keys = "{ now: { env: 'DOCTOR_NOW' }, before: { env: 'DOCTOR_BEFORE' } }";
      writeFileSync(config, `export default { encryption: { keys: ${keys}, current: 'now' } };\n`);
      const store = join(folder, 'results');
      const DOCTOR_NOW = randomBytes(32).toString('base64');
      const asked = (env: Readonly<Record<string, string>>) => doctorIn(env, '--config', config, '--store', store);
      const [unset, lacking] = await Promise.all([asked({}), asked({ DOCTOR_NOW })]);
      expect(unset.of('encryption')).toMatchObject({
        state: 'fail',
        message: expect.stringContaining('key now: the environment has no DOCTOR_NOW') as string,
      });
      expect(lacking.of('encryption')).toMatchObject({
        state: 'warn',
        message: expect.stringContaining('the environment lacks before (DOCTOR_BEFORE)') as string,
      });
      expect(lacking.of('store')).toMatchObject({ state: 'ok' });
      const another = randomBytes(32).toString('base64');
      const [whole, other, plain] = await Promise.all([
        asked({ DOCTOR_NOW, DOCTOR_BEFORE: another }),
        asked({ DOCTOR_NOW: another }),
        doctor('--config', CONFIG, '--store', store),
      ]);
      expect(whole.of('encryption')).toEqual({
        check: 'encryption',
        state: 'ok',
        message: 'encrypts with the key now, decrypts with now, before',
      });
      expect(other.of('store')).toMatchObject({
        state: 'fail',
        message: expect.stringContaining('the key now that is here is another one') as string,
      });
      expect(plain.of('store')).toMatchObject({
        state: 'fail',
        message: `${store} is encrypted, and this project has no keys`,
      });
    },
  );
});

test.each([
  ['18.20.4', 'fail', 'install 20.19 or later'],
  ['20.18.3', 'fail', 'install 20.19 or later'],
  ['20.19.0', 'warn', 'no security fixes since April 2026'],
  ['20.20.2', 'warn', 'ends its whole worker, where 24 fails that step alone'],
  ['22.12.0', 'ok', ''],
  ['24.21.0', 'ok', ''],
])('Node.js %s is %s', (version, state, words) => {
  expect(nodeCheck(version)).toMatchObject({ state, message: expect.stringContaining(words) as string });
});
