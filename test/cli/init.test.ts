/** `planwright init`: configs and keys, and nothing overwritten. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { createVerifier, signMessage } from '../../src/protocol/identity/index.ts';
import { planwright } from './planwright.ts';
import { testFolder } from '../support/folders.ts';

interface Made {
  readonly ok: boolean;
  readonly config: string;
  readonly created: readonly string[];
  readonly key?: {
    readonly kid: string;
    readonly roles: readonly string[];
    readonly privateKey: string;
    readonly publicKey: string;
  };
  readonly identity?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A test in a test is told of the one around it. */
const { NODE_TEST_CONTEXT: _, ...OWN_ENV } = process.env;

let base: string;
let folder: string;
let home: string;
beforeEach(() => {
  base = testFolder('init');
  [folder, home] = [join(base, 'project'), join(base, 'home')];
  mkdirSync(folder);
});

const init = (...args: string[]) => planwright(['init', ...args], { cwd: folder, env: { XDG_CONFIG_HOME: home } });
const made = async (...args: string[]) => JSON.parse((await init('--output=json', ...args)).stdout) as Made;
const read = (path: string) => readFileSync(path, 'utf8');
const files = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .toSorted();

describe('a first config', () => {
  test.each([
    [['--model'], { name: 'your-model' }, 'write the name of your model into planwright.config.ts, set OPENAI_API_KEY'],
    [
      ['--model', 'http://127.0.0.1:8080/v1', '--model-name', 'tiny'],
      { name: 'tiny', baseURL: 'http://127.0.0.1:8080/v1' },
      'next: set PLANWRIGHT_MODEL_KEY',
    ],
  ])('with %j plans: it has a model and an agent', async (args, model, next) => {
    const { code, stderr } = await init(...args);
    expect(code).toBe(0);
    expect(stderr).toContain(next);
    expect(stderr).toContain("npx planwright run --goal 'A goal in words'");
    const loaded = await loadConfig(join(folder, 'planwright.config.ts'));
    expect(loaded.model).toEqual(model);
    expect(loaded.agents.map(({ name, capabilities }) => [name, capabilities.map((one) => one.name)])).toEqual([
      ['assistant', ['count-words']],
    ]);
    expect(loaded.defaultExecutor).toBe('assistant');
    expect(loaded.taskQueue).toBe('project');
    const listed = await planwright(['capabilities', '--config', 'planwright.config.ts'], { cwd: folder });
    expect(listed.stdout).toMatch(/^ +assistant +[0-9a-f]{12} +read +agent +count-words +/m);
  });

  test.each([
    [['--model-name', 'tiny'], 'add --model'],
    [['--model', 'no address', '--model-name', 'tiny'], '--model: baseURL: expected http(s)://host/v1'],
  ])('%j writes nothing', async (args, message) => {
    const { code, stderr } = await init(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(files(folder)).toEqual([]);
  });

  test('runs as it is', async () => {
    const { code, stdout, stderr } = await init();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        'created planwright.config.ts',
        'created plan.yaml',
        'created plan.test.mjs',
        'created .planwright/.gitignore\n',
      ].join('\n'),
    });
    expect(stderr).toMatch(/next:\n  npm install planwright zod\n  npx planwright compile plan\.yaml /);
    expect(files(folder)).toEqual(['.planwright/.gitignore', 'plan.test.mjs', 'plan.yaml', 'planwright.config.ts']);
    expect(read(join(folder, '.planwright/.gitignore'))).toBe('results/\n');
    expect(existsSync(home)).toBe(false);
    const plan = '{"goal":"Count","plan":{"task":"three short words"}}';
    const typed = await planwright(['compile', '-', '--config', 'planwright.config.ts', '-o', 'json'], {
      cwd: folder,
      stdin: plan,
    });
    expect(JSON.parse(typed.stdout)).toMatchObject({
      ok: true,
      executors: { node_1: { name: 'count-words', effect: 'read' } },
    });
    const { capabilities, identity, taskQueue } = await loadConfig(join(folder, 'planwright.config.ts'));
    const task = { task: 'three short words', arguments: {} } as Parameters<(typeof capabilities)[0]['execute']>[0];
    expect(await capabilities[0]?.execute(task)).toBe(3);
    expect(identity).toBeUndefined();
    expect(taskQueue).toBe('project');
  });

  test('gives a coding agent its skill, also where there is a config, and overwrites none', async () => {
    const { created } = await made('--skill', '.claude/skills');
    const skill = join(folder, '.claude/skills/planwright/SKILL.md');
    expect(created).toContain(skill);
    expect(read(skill)).toBe(read(join(ROOT, 'SKILL.md')));
    expect(await made('--skill', 'other')).toMatchObject({ created: [join(folder, 'other/planwright/SKILL.md')] });
    expect(await made('--skill', 'other')).toMatchObject({ error: { code: 'USAGE' } });
  });

  test('has a plan and a test that passes as it is, and fails when the capability changes under the plan', async () => {
    await init();
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    symlinkSync(ROOT, join(folder, 'node_modules/planwright'));
    symlinkSync(join(ROOT, 'node_modules/zod'), join(folder, 'node_modules/zod'));
    symlinkSync(join(ROOT, 'dist/cli/main.js'), join(folder, 'node_modules/.bin/planwright'));
    const tested = () => spawnSync(process.execPath, ['--test'], { cwd: folder, encoding: 'utf8', env: OWN_ENV });
    const { status, stdout } = tested();
    expect([status, stdout]).toEqual([0, expect.stringMatching(/pass 1\n/)]);
    const config = join(folder, 'planwright.config.ts');
    writeFileSync(config, read(config).replaceAll('count-words', 'count-letters'));
    expect(tested()).toMatchObject({ status: 1, stdout: expect.stringContaining('unknown-capability') as string });
  });

  test.each(['planwright.config.ts', 'planwright.config.mts', 'planwright.config.mjs'])(
    'is not written where there is a %s',
    async (name) => {
      writeFileSync(join(folder, name), 'mine');
      const { code, stderr } = await init();
      expect(code).toBe(2);
      expect(stderr).toContain(`${name} is there already and stays as it is`);
      expect(files(folder)).toEqual([name]);
      expect(read(join(folder, name))).toBe('mine');
    },
  );

  test('is not written through a link', async () => {
    symlinkSync(join(base, 'elsewhere'), join(folder, 'planwright.config.ts'));
    const { code, stderr } = await init();
    expect(code).toBe(2);
    expect(stderr).toContain('EEXIST');
    expect(existsSync(join(base, 'elsewhere'))).toBe(false);
  });
});

describe('a key pair', () => {
  test('signs what the new config verifies', async () => {
    const { ok, key, config, identity } = await made(
      '--key-pair',
      '--by',
      "Chief operator's deputy",
      '--role',
      'reviewer',
      'lead',
    );
    expect({ ok, identity }).toEqual({ ok: true, identity: undefined });
    expect(key).toMatchObject({ kid: 'chief-operator-s-deputy-8aa48c', roles: ['reviewer', 'lead'] });
    expect(key?.privateKey).toBe(join(home, 'planwright/chief-operator-s-deputy-8aa48c.key.pem'));
    const loaded = await loadConfig(config);
    expect(loaded.identity?.keys['chief-operator-s-deputy-8aa48c']).toMatchObject({
      subject: "Chief operator's deputy",
      roles: ['reviewer', 'lead'],
    });
    const verifier = createVerifier(loaded.identity ?? { keys: {} });
    const token = await signMessage({
      key: read(key?.privateKey ?? ''),
      kid: 'chief-operator-s-deputy-8aa48c',
      by: "Chief operator's deputy",
      role: 'lead',
      workflowId: 'plan-1',
      message: { action: 'pause' },
    });
    expect(verifier.verify(token, 'plan-1')).toMatchObject({ ok: true, by: "Chief operator's deputy", role: 'lead' });
  });

  test('leaves its private part to its owner, outside the project', async () => {
    const { key } = await made('--key-pair', '--by', 'operator');
    expect(statSync(key?.privateKey ?? '').mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'planwright')).mode & 0o777).toBe(0o700);
    expect(
      files(folder)
        .map((file) => read(join(folder, file)))
        .join(),
    ).not.toContain('PRIVATE KEY');
    expect(files(home)).toEqual(['planwright/operator.key.pem']);
  });

  test('is named in the command that runs the first plan', async () => {
    const { stderr } = await init('--key-pair', '--by', 'operator');
    const file = join(home, 'planwright/operator.key.pem');
    expect(stderr).toContain(`run plan.yaml --dev --by operator --key ${file}`);
  });

  test.each<[string, string[], before: () => void, RegExp]>([
    [
      'a public key of this name',
      ['--key-pair', '--by', 'operator'],
      () => put('.planwright/keys/operator.pub.pem'),
      /stays as it is/,
    ],
    [
      'something else in the place of the private key',
      ['--key-pair', '--by', 'operator'],
      () => {
        put('../home/planwright/operator.key.pem');
        chmodSync(join(home, 'planwright/operator.key.pem'), 0o600);
      },
      /Ed25519 private key/,
    ],
    [
      'a private key that others can read',
      ['--key-pair', '--by', 'operator'],
      () => put('../home/planwright/operator.key.pem'),
      /others than its owner can read/,
    ],
    ['a person without a key', ['--person'], () => {}, /add --key-pair/],
    ['a name without letters', ['--key-pair', '--by', '!!'], () => {}, /spell the name/],
    ['a role without text', ['--key-pair', '--by', 'operator', '--role', ''], () => {}, /"" is no name/],
    ['a name without a key', ['--by', 'operator'], () => {}, /add --key-pair/],
    ['a role without a key', ['--role', 'lead'], () => {}, /add --key-pair/],
  ])('%s is refused before anything is written', async (_name, args, before, message) => {
    before();
    const there = [...filesOf(folder), ...filesOf(home)];
    const { code, stdout, stderr } = await init(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect([...filesOf(folder), ...filesOf(home)]).toEqual(there);
    expect(await made(...args)).toMatchObject({ ok: false });
  });

  test('is refused where its private part would be inside the project, by a link too', async () => {
    home = join(folder, 'config');
    expect(await made('--key-pair', '--by', 'operator')).toMatchObject({ ok: false, error: { code: 'USAGE' } });
    home = join(base, 'link');
    symlinkSync(folder, home);
    expect((await made('--key-pair', '--by', 'operator')).error?.message).toContain('inside this project');
    expect(files(folder)).toEqual([]);
  });
});

function put(path: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), 'mine');
}

function filesOf(path: string): string[] {
  return existsSync(path) ? files(path).map((file) => `${file}: ${read(join(path, file))}`) : [];
}
