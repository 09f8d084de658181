/**
 * Runs every measurement, one after another, and prints their JSON lines.
 *
 *   npm run bench            all
 *   npm run bench -- engine  one
 */

import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';

const CASES = [
  'compile',
  'formats',
  'algebra',
  'cli',
  'approval',
  'token',
  'engine',
  'length',
  'gate',
  'stop',
  'cached',
  'model',
  'loop',
];
const wanted = process.argv.slice(2);
const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model ?? '', load: loadavg()[0] };
process.stdout.write(`${JSON.stringify({ machine })}\n`);
for (const name of CASES.filter((one) => wanted.length === 0 || wanted.includes(one))) {
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', script], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
