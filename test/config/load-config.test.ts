import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { checkConfig, ConfigError, findConfig, loadConfig, storeOf } from '../../src/config/index.ts';
import { importDefault } from '../../src/config/import-config.ts';
import { testFolder } from '../support/folders.ts';

let folder: string;
beforeEach(() => void (folder = testFolder('config')));
const CAPABILITY = `{ name: 'one', version: '1', description: '', input: {}, output: 'text', effect: 'read', execute: () => '' }`;

describe('a config file', () => {
  test.each(['ts', 'mts'])('in TypeScript is read as it stands: .%s', async (extension) => {
    const file = join(folder, `planwright.config.${extension}`);
    await writeFile(
      file,
      `const name: string = 'one';\nexport default { capabilities: [{ ...${CAPABILITY}, name }], tasks: { default: name } };`,
    );
    expect(findConfig(folder)).toBe(file);
    expect(await loadConfig(file)).toMatchObject({
      file,
      capabilities: [{ name: 'one' }],
      defaultExecutor: 'one',
      taskQueue: 'planwright',
    });
  });

  test.each<[string, string, RegExp]>([
    ['does not compile', 'export default {', /could not be loaded/],
    ['throws', 'throw new Error("boom")', /could not be loaded: boom/],
    ['throws nothing', 'throw undefined', /could not be loaded: it threw nothing/],
    ['has capabilities that are no list', 'export default { capabilities: {} }', /config\.capabilities/],
    [
      'has a mode that is none',
      'export default { mode: "reactiv" }',
      /config\.mode: expected one of plan-first, reactive, auto/,
    ],
    ['has folders that are no list', 'export default { files: { folders: "tracks" } }', /config\.files\.folders/],
    [
      'has an unknown key of files',
      'export default { files: { folder: [] } }',
      /config\.files: there is no folder; known are folders, untrusted\. Did you mean "folders"\?/,
    ],
    ['has an unknown key', 'export default { capabilities: [], taskqueue: "x" }', /taskqueue/],
    ['has what is no capability', 'export default { capabilities: [{}] }', /capabilities\.0: expected a capability/],
  ])('that %s is refused with its path', async (_, source, message) => {
    const file = join(folder, 'planwright.config.ts');
    await writeFile(file, source);
    const error = await loadConfig(file).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toContain(file);
  });

  test('that never ends is given up', async () => {
    const file = join(folder, 'planwright.config.ts');
    await writeFile(file, 'await new Promise(() => {}); export default { capabilities: [] };');
    const given = importDefault(file, 10);
    await expect(given).rejects.toThrow(/could not be loaded: it was not done after 0\.01 s/);
  });

  test('says who must approve what in every run', async () => {
    const file = join(folder, 'planwright.config.ts');
    const rules = [{ effect: 'idempotent', roles: ['grower'], count: 2 }, { minCost: 5 }];
    expect(checkConfig({ capabilities: [], approval: { rules } }, file)).toMatchObject({ rules });
    expect(checkConfig({ capabilities: [] }, file)).not.toHaveProperty('rules');
    const wrong = { capabilities: [], approval: { rules: [{ effect: 'write' }, { roles: [] }] } };
    expect(() => checkConfig(wrong, file)).toThrow(
      /config\.approval\.rules\[0\]\.effect.*\n.*config\.approval\.rules\[1\]\.roles/,
    );
    expect(() => checkConfig({ capabilities: [], approval: { rules: [] } }, file)).toThrow(
      'config.approval.rules: expected 1',
    );
    expect(() => checkConfig({ capabilities: [], approval: {} }, file)).toThrow('config.approval.rules');
  });

  test('that is not there is named', async () => {
    await expect(loadConfig(join(folder, 'none.ts'))).rejects.toThrow('name one with --config FILE');
    expect(findConfig(folder)).toBeUndefined();
  });
});

const storeIn = (results: object) => checkConfig({ capabilities: [], results }, join(folder, 'c.ts')).store();

test('the store is where the config says, else where the environment says, else beside the config', () => {
  expect(storeIn({ dir: 'r' })).toBe(join(folder, 'r'));
  expect(storeOf(folder)).toBe(join(folder, '.planwright/results'));
  vi.stubEnv('PLANWRIGHT_STORE', '/srv/results');
  expect(storeOf(folder)).toBe('/srv/results');
  expect(storeOf(folder, { dir: 'r' })).toBe(join(folder, 'r'));
  vi.stubEnv('PLANWRIGHT_STORE', 's3://plans/results?region=eu-central-1');
  expect(storeOf(folder)).toBe('s3://plans/results?region=eu-central-1');
});

test('a database is named by its URL, whose password the environment has', () => {
  expect(storeIn({ postgres: 'postgres://app@db/plans' })).toBe('postgres://app@db/plans');
  vi.stubEnv('DATABASE_URL', 'postgres://app:hush@db/plans');
  expect(storeIn({ postgres: { env: 'DATABASE_URL' } })).toBe('postgres://app:hush@db/plans');
  vi.stubEnv('DATABASE_URL', 'mysql://app:hush@db/plans');
  expect(() => storeIn({ postgres: { env: 'DATABASE_URL' } })).toThrow('DATABASE_URL holds no postgres:// URL');
  vi.stubEnv('DATABASE_URL', '');
  expect(() => storeIn({ postgres: { env: 'DATABASE_URL' } })).toThrow(
    'the environment has no DATABASE_URL; set it where',
  );
});

test('a bucket is named with what it takes to reach it', () => {
  expect(storeIn({ s3: { bucket: 'plans' } })).toBe('s3://plans/');
  const s3 = { bucket: 'plans', prefix: 'a b/c', region: 'r', endpoint: 'http://127.0.0.1:9000', pathStyle: false };
  expect(storeIn({ s3 })).toBe('s3://plans/a%20b/c?region=r&endpoint=http%3A%2F%2F127.0.0.1%3A9000&pathStyle=false');
});

test.each<[results: object, message: string]>([
  [
    { postgres: 'postgres://app:hush@db/plans' },
    'config.results.postgres: expected postgres://user@host/database without a',
  ],
  [{ postgres: 'postgres://db/plans?password=hush' }, 'config.results.postgres: expected'],
  [{ postgres: 'http://db/plans' }, 'config.results.postgres: expected'],
  [{ postgres: 'postgres:/db/plans' }, 'config.results.postgres: expected'],
  [{ s3: { bucket: 'No Bucket' } }, 'config.results.s3.bucket: expected the name of a bucket'],
  [{ s3: { bucket: 'plans', endpoint: 'minio:9000' } }, 'config.results.s3.endpoint: expected http(s)://host[:port]'],
  [{ s3: { bucket: 'plans', secretAccessKey: 'hush' } }, 'credentials do not belong into a config'],
  [{ s3: { bucket: 'plans', regoin: 'x' } }, 'there is no regoin; known are bucket'],
  [{ dir: 'r', s3: { bucket: 'plans' } }, 'config.results: expected one store, got dir and s3'],
  [{ mysql: 'x' }, 'there is no mysql; known are dir, postgres, s3'],
])('a store that does not fit is refused, and no secret is told: %j', (results, message) => {
  const refused = (() => {
    try {
      return storeIn(results);
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(refused).toContain(message);
  expect(refused).not.toContain('hush');
});
