/** The program of docs/embedding.md, run as it stands in an empty folder, with the package from its tarball. */

import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { blocksOf, install, ROOT } from './installed.ts';

test('the program of docs/embedding.md prints what the page says', async () => {
  const page = await readFile(join(ROOT, 'docs/embedding.md'), 'utf8');
  const { base, app, write } = await install();
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const [program = ''] = blocksOf(page, 'ts');
  // It has no types to be taken off, which not every Node that is supported does.
  await write('program.mjs', program.replace("'embedded'", `'embedded-${process.pid}'`));
  const env = { ...process.env, TEMPORAL_ADDRESS: inject('address') };
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: app, env });
  const [, printed] = /^It prints `(.*?)`/m.exec(page) ?? [];
  expect(stdout.trim()).toBe(printed);
}, 120_000);
