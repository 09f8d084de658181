import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const planwright = join(root, 'dist/cli/main.js');

test("the README's own plan and configuration run as they stand", async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const folder = await mkdtemp(join(tmpdir(), 'planwright-readme-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/planwright'));
  await symlink(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'));
  await writeFile(join(folder, 'plan.json'), block(readme, 'json'));
  await writeFile(join(folder, 'planwright.config.ts'), block(readme, 'ts'));
  const env = { ...process.env, TEMPORAL_ADDRESS: inject('address') };
  const options = { cwd: folder, env };
  const taskQueue = ['--task-queue', `readme-${process.pid}`];

  const worker = spawn(process.execPath, [planwright, 'worker', ...taskQueue], {
    ...options,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const ready = await Promise.race([
    once(createInterface({ input: worker.stdout }), 'line').then(([line]) => String(line)),
    once(worker, 'exit').then(([code]) => `ended with ${code}`),
  ]);
  expect(ready).toContain('worker ready');

  const run = await promisify(execFile)(
    process.execPath,
    [planwright, 'run', 'plan.json', '--yes', ...taskQueue],
    options,
  );
  expect(run.stdout).toBe('four\none\nthree\ntwo\n');
});

function block(markdown: string, language: string): string {
  return new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(markdown)?.[1] ?? '';
}
