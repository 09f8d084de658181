/**
 * Runs every measurement, one after another, and prints their JSON lines.
 *
 *   npm run bench            all
 *   npm run bench -- engine  one
 *   npm run bench -- peers   beside other engines, which are installed first (bench/peers.ts)
 */

import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Without the peers, which are installed first. */
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
const [first, ...rest] = process.argv.slice(2);
const wanted =
  first === undefined
    ? CASES.map((name) => [name])
    : first === 'peers'
      ? [[first, ...rest]]
      : [first, ...rest].map((name) => [name]);
const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model ?? '', load: loadavg()[0] };
process.stdout.write(`${JSON.stringify({ machine })}\n`);
for (const [name = '', ...options] of wanted) {
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', script, ...options], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
