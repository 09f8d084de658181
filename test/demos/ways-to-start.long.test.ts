/** A demo starts where somebody may type its name: in a checkout, beside the packed package, and from a link on the path. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXPECTED_ANSWER } from '../../examples/gene-strategies/expected.ts';
import { DEMO_NAMES } from '../../src/config/project/index.ts';
import { install, type Installed } from '../package/installed.ts';
import { ROOT } from '../support/source-files.ts';
import { runProgram, type Ended } from './demo-process.ts';

const WITHIN = 120_000;
const QUICK = ['--yes', '--no-kill', '--pace', '0'];
const cache = mkdtempSync(join(tmpdir(), 'planwright-ways-'));
let installed: Installed;
beforeAll(async () => {
  installed = await install();
}, WITHIN);
afterAll(() => {
  for (const folder of [cache, installed.base]) rmSync(folder, { recursive: true, force: true });
});

/** The answer of gene-strategies on stdout, an id a line. */
function expectAnswer({ code, stdout, stderr }: Ended): void {
  expect([code, stderr]).toEqual([0, expect.stringContaining('Each node was started once.')]);
  const ids = stdout.split('\n').filter((line) => line.startsWith('NM_'));
  expect(ids).toHaveLength(EXPECTED_ANSWER.count);
}

test('in a checkout: npm run demo', { timeout: WITHIN }, async () => {
  expectAnswer(await runProgram(cache, ROOT, 'npm', 'run', 'demo', '--', ...QUICK));
});

describe('beside the packed package, in a folder with nothing else', { timeout: WITHIN }, () => {
  const planwright = (...args: readonly string[]) =>
    runProgram(cache, installed.app, join(installed.app, 'node_modules/.bin/planwright'), ...args);

  test('tells a story', async () => {
    expectAnswer(await planwright('demo', 'gene-strategies', ...QUICK));
  });

  test.each(DEMO_NAMES)('explains the plan of %s as a project', async (name) => {
    const plan = join(installed.packed, 'examples', name, 'plan.json');
    expect(await planwright('compile', plan, '--demo', name)).toMatchObject({ code: 0 });
  });
});

test('from a link on the path, as a global install has it', { timeout: WITHIN }, async () => {
  const [bin, elsewhere] = [join(installed.base, 'bin'), join(cache, 'elsewhere')];
  for (const folder of [bin, elsewhere]) mkdirSync(folder);
  symlinkSync(join(installed.packed, 'dist/cli/main.js'), join(bin, 'planwright'));
  expectAnswer(await runProgram(cache, elsewhere, join(bin, 'planwright'), 'demo', 'gene-strategies', ...QUICK));
});
