/**
 * Runs the tests that need no server, and some that do, on Node.js 24, which npm brings without any script of an installation:
 * `npm run test:node24`. With files as arguments only those run. Ends with 1 where a test fails.
 */

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const platform = process.platform === 'win32' ? 'win' : process.platform;
const NODE = `node-${platform}-${process.arch}@24`;

/** Whatever another Node.js changes shows in one of these first: workflows, replay, processes that are killed, the program. */
const ON_A_SERVER = [
  'test/workflows/run.test.ts',
  'test/workflows/continue.test.ts',
  'test/workflows/control.test.ts',
  'test/replay/replay.test.ts',
  'test/crash/worker-killed.test.ts',
  'test/cli/worker.server.test.ts',
];

const chosen = process.argv.slice(2);
const runs =
  chosen.length > 0
    ? [chosen]
    : [
        ['--project', 'unit'],
        ['--project', 'server', ...ON_A_SERVER],
      ];
let failed = 0;
for (const args of [['--version'], ...runs.map((one) => [vitest, 'run', ...one])]) {
  const options = { cwd: root, stdio: /** @type {const} */ ('inherit'), shell: process.platform === 'win32' };
  const { status, error } = spawnSync('npx', ['--yes', '--package', NODE, '--', 'node', ...args], options);
  if (error) console.error(error.message);
  if (status !== 0) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
