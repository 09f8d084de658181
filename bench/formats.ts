/**
 * How long a plan of each format takes from its text to a compiled plan, how the time grows, and what memory it takes;
 * and how soon a document of 1 MB that is meant to hurt is answered: `npx tsx bench/formats.ts` prints a JSON line each.
 * Every format runs in a process of its own, so that its memory is its own. `cpuMs` is what a busy machine leaves alone.
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compilePlan } from '../src/plan/index.ts';
import type { CompileOptions } from '../src/plan/index.ts';
import { median } from './median.ts';

interface Format {
  readonly name: string;
  readonly options: CompileOptions;
  readonly most: number;
  write(nodes: number): string;
}

const RUNS = 5;
const LIMITS = { nodes: 400_000, bytes: 256 * 1024 * 1024 };

const formats: readonly Format[] = [
  {
    name: 'tree',
    options: {},
    most: 100_000,
    write: (nodes) => JSON.stringify({ goal: 'bench', plan: balanced(nodes) }),
  },
  {
    name: 'steps',
    options: {},
    most: 100_000,
    write: (nodes) =>
      JSON.stringify({ goal: 'bench', steps: Array.from({ length: nodes }, (_, index) => step(index, nodes)) }),
  },
  {
    name: 'xml',
    options: {},
    most: 100_000,
    write: (nodes) =>
      `<plan><objective>bench</objective>${Array.from({ length: nodes }, (_, index) => xmlStep(index)).join('\n')}</plan>`,
  },
  {
    name: 'yaml',
    options: { syntax: 'yaml' },
    most: 800,
    write: (nodes) => `goal: bench\nsteps:\n${Array.from({ length: nodes }, (_, index) => yamlStep(index)).join('')}`,
  },
];

const hostile: readonly (readonly [name: string, text: string, options?: CompileOptions])[] = [
  ['brackets', '['.repeat(1e6)],
  ['objects', '{"a":'.repeat(2e5)],
  ['quotes', `{"goal":${'"'.repeat(1e6)}`],
  ['single quotes', `{goal:${"'a' ".repeat(2.5e5)}}`],
  ['missing commas', `{"goal":[${'1 '.repeat(5e5)}]}`],
  ['texts with line breaks', `{"goal":${'"x\n'.repeat(3e5)}}`],
  ['one broken text', `{"goal":"${'x'.repeat(1e6)}\n","plan":{"task":"A"}}`],
  ['comments', `{${'/*'.repeat(5e5)}}`],
  ['prose with braces', '{a '.repeat(3e5)],
  ['prose with objects', ' {"a": '.repeat(1.5e5)],
  ['think blocks', '<think>'.repeat(1.4e5)],
  ['plans in comments', '<!--<plan '.repeat(1e5)],
  ['fences', '```\n'.repeat(2.5e5)],
  ['spaces', `${' '.repeat(1e6)}x`],
  ['duplicate keys', `{"goal":"g","plan":{"task":"A","context":{${'"a":1,'.repeat(1.6e5)}"a":1}}}`],
  [
    'unknown keys',
    `{"goal":"g","plan":{"task":"A",${Array.from({ length: 7e4 }, (_, index) => `"key${index}":1`).join(',')}}}`,
  ],
  ['elements', `<plan>${'<a>'.repeat(3e5)}`],
  ['empty elements', `<plan>${'<a/>'.repeat(2.5e5)}</plan>`],
  ['less-than signs', `<plan>${'<'.repeat(1e6)}`],
  ['ampersands', `<plan><objective>${'&'.repeat(1e6)}</objective></plan>`],
  ['references', `<plan><objective>${'&#65;'.repeat(2e5)}</objective></plan>`],
  ['attributes', `<plan ${'a="1" '.repeat(1.6e5)}></plan>`],
  [
    'dependencies',
    `<plan><objective>g</objective><step id="1"><action>a</action><dependencies>1${' '.repeat(1e6)}x</dependencies></step></plan>`,
  ],
  ['references to steps', `{"goal":"g","steps":[{"step_id":1,"action":"${'result_from_step_1 '.repeat(5e4)}"}]}`],
  [
    'a circle of steps',
    JSON.stringify({
      goal: 'g',
      steps: Array.from({ length: 1e4 }, (_, index) => ({
        step_id: index,
        action: 'a',
        dependencies: [(index + 1) % 1e4],
      })),
    }),
  ],
  ['YAML brackets', '['.repeat(1e6), { syntax: 'yaml' }],
  ['YAML dashes', '- '.repeat(1.2e5), { syntax: 'yaml' }],
  [
    'YAML keys',
    Array.from({ length: 2.5e4 }, (_, index) => `k${index}: 1`)
      .join('\n')
      .slice(0, 2.5e5),
    { syntax: 'yaml' },
  ],
];

const wanted = formats.find(({ name }) => name === process.argv[2]);
if (wanted !== undefined) measureFormat(wanted);
else {
  for (const { name } of formats) {
    const { status } = spawnSync(
      process.execPath,
      ['--max-old-space-size=512', '--import', 'tsx', fileURLToPath(import.meta.url), name],
      {
        stdio: 'inherit',
      },
    );
    if (status !== 0) process.exitCode = 1;
  }
  for (const [name, text, options] of hostile) measureHostile(name, text, options);
}

function measureFormat({ name, options, most, write }: Format): void {
  const [small, large] = [most / 10, most].map((nodes) => ({ nodes, ...timeOf(write(nodes), nodes, options) }));
  const exponent = Math.log10(large!.cpuMs / small!.cpuMs);
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  for (const { nodes, ms, cpuMs, bytes } of [small!, large!]) {
    process.stdout.write(
      `${JSON.stringify({ case: name, nodes, bytes, ms: rounded(ms), cpuMs: rounded(cpuMs), exponent: rounded(exponent), peakMb })}\n`,
    );
  }
}

function timeOf(text: string, nodes: number, options: CompileOptions): { ms: number; cpuMs: number; bytes: number } {
  const times: number[] = [];
  const cpuTimes: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const start = performance.now();
    const { user } = process.cpuUsage();
    const result = compilePlan(text, { ...options, limits: LIMITS });
    if (!result.ok) throw new Error(JSON.stringify(result.issues[0]));
    if (result.plan.tasks.length + result.plan.combines.length < nodes) throw new Error(`fewer than ${nodes} nodes`);
    if (run === 0) continue;
    times.push(performance.now() - start);
    cpuTimes.push((process.cpuUsage().user - user) / 1000);
  }
  return { ms: median(times), cpuMs: median(cpuTimes), bytes: text.length };
}

function measureHostile(name: string, text: string, options: CompileOptions = {}): void {
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now();
    compilePlan(text, options);
    return performance.now() - start;
  });
  process.stdout.write(
    `${JSON.stringify({ case: `hostile: ${name}`, bytes: text.length, ms: rounded(Math.min(...times)) })}\n`,
  );
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** An even number of nodes is one less: a combine for each pair of subtrees, a different task for each leaf. */
function balanced(nodes: number): unknown {
  let level: unknown[] = Array.from({ length: nodes / 2 + 1 }, (_, index) => ({
    type: 'task',
    task: `Find the genes of group ${index}`,
    hint: 'Use the default organism',
    context: { group: index },
  }));
  while (level.length > 1) {
    const above: unknown[] = [];
    for (let index = 0; index + 1 < level.length; index += 2)
      above.push({ type: 'combine', operator: 'UNION', left: level[index], right: level[index + 1] });
    if (level.length % 2 === 1) above.push(level.at(-1));
    level = above;
  }
  return level[0];
}

function step(index: number, nodes: number): unknown {
  return {
    context_key: `k${index}`,
    capability: index === nodes - 1 ? 'respond' : 'search',
    task_objective: `Find the genes of group ${index}`,
    parameters: { group: index },
    inputs: index === 0 ? [] : [`k${index - 1}`],
  };
}

function xmlStep(index: number): string {
  const id = index + 1;
  return `<step id="${id}"><agent>Writer</agent><action>write</action><arguments><input>result_from_step_${Math.max(1, id - 1)}</input></arguments><dependencies>${index === 0 ? '' : index}</dependencies><description>Write part ${id}</description></step>`.replace(
    'result_from_step_1<',
    index === 0 ? 'start<' : 'result_from_step_1<',
  );
}

function yamlStep(index: number): string {
  return `  - context_key: k${index}\n    capability: search\n    task_objective: Find the genes of group ${index}\n    parameters: { group: ${index} }\n    inputs: [${index === 0 ? '' : `k${index - 1}`}]\n`;
}
