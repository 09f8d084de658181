/**
 * Runs every measurement, one after another, and prints their JSON lines.
 *
 *   npm run bench            all
 *   npm run bench -- engine  one
 *   npm run bench -- peers   beside other engines, which are installed first (bench/peers.ts)
 *   npm run bench -- picture draws the lines of those (bench/picture.ts)
 *   npm run bench -- stores  the result store beside others, which are installed first (bench/stores.ts)
 *   npm run bench -- upkeep  what checking, copying and clearing a result store takes (bench/upkeep.ts)
 *   npm run bench -- cluster two workers on PostgreSQL beside one with a folder (bench/cluster.ts)
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { lookAtMachine } from './machine.ts';
import { print } from './print.ts';

/** They have options of their own, look at the machine themselves where they measure, and are not in "all". */
const ALONE = ['peers', 'picture', 'stores', 'upkeep', 'cluster'];
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
  'page',
  'languages',
];
const [first = '', ...rest] = process.argv.slice(2);
const wanted =
  first === ''
    ? CASES.map((name) => [name])
    : ALONE.includes(first)
      ? [[first, ...rest]]
      : [first, ...rest].map((name) => [name]);
if (first === undefined || !ALONE.includes(first)) print({ machine: lookAtMachine() });
for (const [name = '', ...options] of wanted) {
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', script, ...options], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
