/**
 * How long a person waits for the command line, as a whole process of the built program, beside an empty Node process.
 *
 *   npx tsx bench/cli.ts
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from './median.ts';

const ROUNDS = 15;
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const plan = fileURLToPath(new URL('../examples/gene-strategies/plan.json', import.meta.url));
const CASES: Record<string, string[]> = {
  'empty Node process': ['-e', '0'],
  'planwright --help': [main, '--help'],
  'planwright compile': [main, 'compile', plan, '-o', 'json'],
};

const times = Object.fromEntries(Object.keys(CASES).map((name) => [name, [] as number[]]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, args] of Object.entries(CASES)) {
    const from = performance.now();
    const { status } = spawnSync(process.execPath, args);
    if (status !== 0) throw new Error(`${name} ended with ${status}`);
    if (round > 0) times[name]?.push(performance.now() - from);
  }
}
for (const [name, ms] of Object.entries(times)) {
  process.stdout.write(`${JSON.stringify({ case: name, rounds: ROUNDS, medianMs: Math.round(median(ms)) })}\n`);
}
