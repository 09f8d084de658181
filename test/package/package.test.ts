/** What is in the package, and how it compiles where it is installed. */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { cp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGES, textsOf } from '../support/pages.ts';
import { ROOT } from '../support/source-files.ts';
import { install, type Installed } from './installed.ts';
import { asModule } from './as-module.ts';

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** It takes seconds, and longer beside other tests. */
const PACKED_WITHIN_MS = 120_000;

let installed: Installed;
beforeAll(async () => {
  installed = await install();
}, PACKED_WITHIN_MS);
afterAll(() => rm(installed.base, { recursive: true, force: true }));

/** What the compiler says of the files of the folder `src`, with these settings on top of strict ones. */
async function complaints({ app, write }: Installed, settings: object): Promise<string> {
  const strict = { target: 'es2023', strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: ['node'] };
  await write('tsconfig.json', JSON.stringify({ compilerOptions: { ...strict, ...settings }, include: ['src'] }));
  return new Promise((resolve) => {
    // The SDK's own declarations do not pass every check, which takes most of the time.
    const ours = (stdout: string) => stdout.split(/\n(?=\S)/).filter((line) => line.includes('/app/'));
    execFile(process.execPath, [tsc, '-p', app], (_error, stdout) => resolve(ours(stdout).join('\n')));
  });
}

/** Four mistakes, from line 3 on: a capability, a value, a field and a field of a task without a capability. */
const MISTAKEN = `import { defineCapability, createPlanBuilder } from 'planwright/capabilities'; import { z } from 'zod';
const plan = createPlanBuilder([capabilityOf('say'), capabilityOf('whisper')]);
plan.task('Say it', { capability: 'whipser', arguments: { how: 'loud' } });
plan.task('Say it', { capability: 'say', arguments: { how: 'queit' } });
plan.task('Say it', { capability: 'say', argument: { how: 'loud' } });
plan.task('Say it', { hnt: 'softly' });
function capabilityOf<const Name extends string>(name: Name) {
  const input = z.object({ how: z.enum(['loud', 'quiet']) });
  return defineCapability({ name, description: 'Says it.', input, output: 'text', effect: 'read', execute: () => '' });
}`;

const NODE_MODULES = { module: 'nodenext' };

describe('compiles strictly, its own declarations included', { timeout: PACKED_WITHIN_MS }, () => {
  beforeAll(async () => {
    const { app, write } = installed;
    await cp(new URL('uses.ts', import.meta.url), await write('src/uses.ts', ''));
    for (const page of PAGES) {
      const blocks = textsOf(page, 'ts').map(asModule);
      await Promise.all(blocks.map((block, i) => write(`src/${page.replace(/\W/g, '-')}-${i}.ts`, block)));
    }
    expect(readdirSync(join(app, 'src')).length).toBeGreaterThan(20);
  });

  test('as the modules of Node.js', async () => expect(await complaints(installed, NODE_MODULES)).toBe(''));
  // It asks less of a package than Node.js does.
  test('for a bundler', { tags: ['slow'] }, async () => {
    expect(await complaints(installed, { module: 'preserve', moduleResolution: 'bundler' })).toBe('');
  });

  test('and a mistake in a plan in code is told with what was meant', async () => {
    await installed.write('src/mistaken.ts', MISTAKEN);
    const said = await complaints(installed, { ...NODE_MODULES, skipLibCheck: true });
    const meant = [...said.matchAll(/mistaken\.ts\((\d+)|Did you mean (?:to write )?'"?(\w+)/g)];
    expect(meant.map(([, line, name]) => line ?? name).join(' ')).toBe('3 whisper 4 quiet 5 arguments 6 hint');
    await rm(join(installed.app, 'src/mistaken.ts'));
  });
});

describe('in a folder of CommonJS, as npm init makes it', { timeout: PACKED_WITHIN_MS }, () => {
  beforeAll(() => installed.write('package.json', '{ "name": "app", "version": "1.0.0", "type": "commonjs" }'));

  test.each([
    ['node16', '.mts', true],
    ['node16', '.ts', false],
    ['nodenext', '.ts', true],
  ])('%s takes a config %s: %s', async (module, extension, isTaken) => {
    const [config = ''] = textsOf('README.md', 'ts');
    await rm(join(installed.app, 'src'), { recursive: true, force: true });
    await installed.write(`src/planwright.config${extension}`, config);
    const said = await complaints(installed, { module, skipLibCheck: true });
    if (isTaken) expect(said).toBe('');
    else expect(said).toContain('TS1479');
  });
});

test('examples/evaluate passes where a project copies it', { timeout: PACKED_WITHIN_MS }, async () => {
  const { app, packed } = installed;
  const folder = join(app, 'evaluated');
  await cp(join(packed, 'examples/evaluate'), folder, { recursive: true });
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { MODEL_URL: _url, ...env } = process.env;
  const run = (extra: object) =>
    new Promise<string>((resolve) => {
      const options = { cwd: folder, env: { ...env, ...extra } };
      execFile(process.execPath, [vitest, 'run', '--root', folder], options, (_error, out, err) => resolve(out + err));
    });
  expect(await run({ NO_COLOR: '1' })).toMatch(/Tests +2 passed/);
  // The graders see a plan that is not the one that is wanted.
  const cases = await readFile(join(folder, 'cases.json'), 'utf8');
  await installed.write(
    'evaluated/cases.json',
    cases.replace('"operator": "INTERSECT", "inputs"', '"operator": "UNION", "inputs"'),
  );
  expect(await run({ NO_COLOR: '1' })).toMatch(/Tests +1 failed \| 1 passed[^]*means another thing/);
});

/** Measured 1.8 and 4.9 MB: `npm pack --dry-run`. The tracks of the demo are 0.35 MB of both, the pictures of the pages 0.2. */
test('it is small', () => {
  expect(installed.size).toBeLessThan(1_900_000);
  expect(installed.unpackedSize).toBeLessThan(5_200_000);
});

test('every file that a door names is in it, and no map', () => {
  const { packed } = installed;
  const files = readdirSync(packed, { recursive: true }).map(String);
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  const { exports } = createRequire(import.meta.url)(join(packed, 'package.json')) as { exports: object };
  const named = Object.values(exports).flatMap((one: string | object) =>
    typeof one === 'string' ? one : Object.values(one),
  );
  expect(named.filter((file: string) => !existsSync(join(packed, file)))).toEqual([]);
});

test('docs/api has a page for each door, with every name that it exports', async () => {
  const { packed } = installed;
  const require = createRequire(import.meta.url);
  const { exports } = require(join(packed, 'package.json')) as {
    exports: Readonly<Record<string, { default?: string; types?: string }>>;
  };
  const index = await readFile(join(ROOT, 'docs/api/README.md'), 'utf8');
  const doors = Object.entries(exports).filter(([, files]) => files.default !== undefined);
  expect(doors.length).toBeGreaterThan(5);
  for (const [door, { default: file = '', types = '' }] of doors) {
    const name = door === '.' ? 'planwright' : door.slice(2);
    const page = await readFile(join(ROOT, `docs/api/${name}.md`), 'utf8');
    const named = [...page.matchAll(/^## (\w+)$/gm)].map(([, each]) => each);
    const offered = Object.keys((await import(join(packed, file))) as object);
    const declared = typesIn(await readFile(join(packed, types), 'utf8'));
    expect(named.toSorted()).toEqual([...new Set([...offered, ...declared])].toSorted());
    const linked = [...index.matchAll(new RegExp(`\\[(\\w+)\\]\\(${name}\\.md#`, 'g'))].map(([, each]) => each);
    expect(linked).toEqual(named);
    expect(page.match(/^```/gm)?.length).toBe(2 * (page.match(/^```ts$/gm)?.length ?? 0));
  }
});

test('the fields of a view are written out in the declarations, with their comments', async () => {
  const page = await readFile(join(ROOT, 'docs/api/client.md'), 'utf8');
  expect(page).toContain('interface RunStatus {\n    readonly phase: ');
  expect(page).toContain('    /** Why the run failed, or why it was closed early. */\n    readonly reason?: string;\n');
  expect(page).toContain('    readonly default?: JsonValue;\n');
  expect(page.match(/interface \w+ extends Of</g)).toBeNull();
});

/** The names that a door exports for types alone. */
function typesIn(declarations: string): readonly string[] {
  return [...declarations.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, all, names = '']) =>
    names
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '' && (all !== undefined || each.startsWith('type ')))
      .map((each) => each.replace(/^type /, '').replace(/^\w+ as /, '')),
  );
}

test('every link of its pages leads to a file that is in it', async () => {
  const { packed } = installed;
  const pages = readdirSync(packed, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.md'));
  expect(pages).toContain('README.md');
  const dead: string[] = [];
  for (const page of pages) {
    const text = await readFile(join(packed, page), 'utf8');
    for (const [, to = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      if (!existsSync(join(packed, dirname(page), to))) dead.push(`${page}: ${to}`);
    }
  }
  expect(dead).toEqual([]);
});
