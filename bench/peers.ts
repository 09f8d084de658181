/**
 * Planwright beside a hand-written Temporal workflow, DBOS and LangGraph.js: the same plans, in turns, on one machine.
 * The peers have a package of their own: `npm install --prefix bench/peers` first.
 *
 *   npm run bench -- peers [rounds] [--noisy]
 *
 * Prints a JSON line for the machine and for each plan and engine, then a Markdown table of medians. Refuses a machine
 * that is too noisy, unless `--noisy` is said.
 */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openContender, type Contender, type Shape } from './contender.ts';
import { lookAtMachine, noiseOf } from './machine.ts';
import { median, quartiles } from './median.ts';
import { chain, naps, tree } from './peer-shapes.ts';
import { print, round3 } from './print.ts';

const rounds = Number(process.argv.slice(2).find((word) => /^[1-9]\d*$/.test(word)) ?? 5);
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SCRIPTS = ['contenders/planwright.ts', 'contenders/temporal.ts', 'peers/dbos.mjs', 'peers/langgraph.mjs'];
const SHAPES = [tree(1), tree(127), tree(1023), chain(63), naps(64, 1), naps(512, 1)];

const machine = lookAtMachine();
print({ machine });
const noise = noiseOf(machine);
if (noise !== undefined && !process.argv.includes('--noisy'))
  refuse(`The machine is too noisy: ${noise}. Measure anyway: --noisy.`);
if (!existsSync(here('peers/node_modules'))) refuse('The peers are not installed: npm install --prefix bench/peers');

const contenders: Contender[] = [];
try {
  for (const script of SCRIPTS) contenders.push(await openContender(here(script)));
  const table: string[][] = [];
  for (const shape of SHAPES) table.push([shape.name, ...(await measure(shape))]);
  printTable(['plan', ...contenders.map(({ name }) => name)], table);
} finally {
  for (const contender of contenders) await contender.close();
}

/** In turns, after a round that warms all of them up. */
async function measure(shape: Shape): Promise<string[]> {
  const times = contenders.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, contender] of contenders.entries()) {
      const { ms } = await contender.carryOut(shape);
      if (round > 0) times[at]?.push(ms);
    }
  }
  return contenders.map(({ name, label }, at) => {
    const ms = times[at] ?? [];
    const [low, high] = quartiles(ms);
    const unit = shape.criticalPath > 0 ? shape.criticalPath : shape.inputs.length;
    const line = {
      plan: shape.name,
      engine: name,
      label,
      rounds,
      ms: Math.round(median(ms)),
      middleHalf: [Math.round(low), Math.round(high)],
    };
    print({ ...line, [shape.criticalPath > 0 ? 'timesCriticalPath' : 'msPerNode']: round3(median(ms) / unit) });
    return shape.criticalPath > 0
      ? `${(median(ms) / unit).toFixed(2)} x`
      : `${(median(ms) / unit).toFixed(2)} ms a node`;
  });
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  process.stdout.write(`\n${lines.join('\n')}\n`);
}

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}
