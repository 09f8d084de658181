/**
 * Planwright beside a hand-written Temporal workflow, DBOS, Restate and LangGraph.js: the same cases (`bench/cases`), in turns, on
 * one machine. The peers have a package of their own: `npm install --prefix bench/peers` first.
 *
 *   npm run bench -- peers [rounds] [--noisy] [--large] [--only CASE] [--engine NAME] [--lane LANE] [--at-once N]
 *
 * `peers 5 | tee bench/results/peers.jsonl` keeps the lines that `npm run bench -- picture` draws. Prints a JSON line for
 * the machine and for each case and engine, then a Markdown table of medians. Refuses a machine that is too noisy, unless
 * `--noisy` is said. `--only naps --only kill` measures the cases with these words in their names.
 */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CASES } from './cases/index.ts';
import type { Case, Measured } from './cases/case.ts';
import { openContender, type Cannot, type Contender } from './contender.ts';
import { lookAtMachine, noiseOf } from './machine.ts';
import { print } from './print.ts';
import { lineOf, type Line } from './report/lines.ts';
import { readOptions } from './report/options.ts';
import { tableOf } from './report/table.ts';

const SCRIPTS = [
  'contenders/planwright.ts',
  'contenders/temporal.ts',
  'peers/dbos.mjs',
  'peers/restate.mjs',
  'peers/langgraph.mjs',
];
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const options = readOptions(process.argv.slice(2));
if ('problem' in options) refuse(options.problem);
const { rounds, noisy, large, only, engine, given } = options;
const isNamed = (name: string, words: readonly string[]) =>
  words.length === 0 || words.some((word) => name.includes(word));
const cases = CASES.filter((one) => isNamed(one.name, only) && (large || one.rounds !== 'once'));
const scripts = SCRIPTS.filter((script) => isNamed(script, engine));
if (cases.length === 0) refuse(`No such case. There are: ${CASES.map(({ name }) => name).join('; ')}`);
if (scripts.length === 0) refuse(`No such engine. There are: ${SCRIPTS.join(', ')}`);

const machine = lookAtMachine();
print({ machine });
const noise = noiseOf(machine);
if (noise !== undefined && !noisy) refuse(`The machine is too noisy: ${noise}. Measure anyway: --noisy.`);
if (!existsSync(here('peers/node_modules'))) refuse('The peers are not installed: npm install --prefix bench/peers');

const contenders: Contender[] = [];
try {
  for (const script of scripts) contenders.push(await openContender(here(script), given));
  const lines: Line[] = [];
  for (const one of cases) lines.push(...(await measure(one)));
  process.stdout.write(`\n${tableOf(lines)}\n`);
} finally {
  for (const contender of contenders) await contender.close();
}

/** In turns. An engine that cannot do a case has no second turn in it. */
async function measure(one: Case): Promise<readonly Line[]> {
  const measured = contenders.map((): Measured[] => []);
  const refused = new Map<number, Cannot>();
  const [first, last] = { warm: [0, rounds], cold: [1, rounds], once: [1, 1] }[one.rounds] as [number, number];
  for (let round = first; round <= last; round++) {
    for (const [at, contender] of contenders.entries()) {
      if (refused.has(at)) continue;
      const went = await one.measure(contender);
      if ('cannot' in went) refused.set(at, went);
      // The one before the first warms up.
      else if (round > 0) measured[at]?.push(went);
    }
  }
  return contenders.map((contender, at) => {
    const { name, version, label } = contender;
    const cannot = refused.get(at);
    const line: Line =
      cannot === undefined
        ? lineOf(one, contender, measured[at] ?? [])
        : { case: one.name, unit: one.unit, engine: name, version, label, ...cannot };
    print(line);
    return line;
  });
}

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}
