/** How long it takes to compile a parsed tree: `npx tsx bench/compile.ts` prints one JSON line per case. */

import { compilePlan } from '../src/plan/index.ts';

interface BenchCase {
  readonly name: string;
  /** Made when its turn comes, so that the collector has no other document to keep. */
  readonly document: () => unknown;
  readonly nodes: number;
}

const RUNS = 9;
const WARM_UP_RUNS = 3;
const RAISED_LIMITS = { nodes: 400_000 };

const cases: readonly BenchCase[] = [
  { name: 'balanced', nodes: 1_023, document: () => ({ goal: 'bench', plan: balancedTree(1_023) }) },
  { name: 'balanced', nodes: 20_001, document: () => ({ goal: 'bench', plan: balancedTree(20_001) }) },
  { name: 'left-deep', nodes: 1_999, document: () => ({ goal: 'bench', plan: leftDeepTree(1_999) }) },
];

for (const { name, nodes, document: makeDocument } of cases) {
  const document = makeDocument();
  for (let run = 0; run < WARM_UP_RUNS; run++) compiled(document, nodes);
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    compiled(document, nodes);
    return performance.now() - start;
  });
  const medianMs = times.toSorted((one, other) => one - other)[Math.floor(RUNS / 2)]!;
  console.log(JSON.stringify({ case: name, nodes, medianMs: Math.round(medianMs * 100) / 100 }));
}

function compiled(document: unknown, nodes: number): void {
  const result = compilePlan(document, { limits: RAISED_LIMITS });
  if (!result.ok) throw new Error(JSON.stringify(result.issues[0]));
  const count = result.plan.tasks.length + result.plan.combines.length;
  if (count !== nodes) throw new Error(`${count} nodes instead of ${nodes}`);
}

/** `nodes` is odd: a combine per pair of subtrees, a different task per leaf. */
function balancedTree(nodes: number): unknown {
  let level: unknown[] = Array.from({ length: (nodes + 1) / 2 }, (_, index) => task(index));
  while (level.length > 1) {
    const above: unknown[] = [];
    for (let index = 0; index + 1 < level.length; index += 2) above.push(combine(level[index], level[index + 1]));
    if (level.length % 2 === 1) above.push(level.at(-1));
    level = above;
  }
  return level[0];
}

function leftDeepTree(nodes: number): unknown {
  let root = task(0);
  for (let index = 1; index <= (nodes - 1) / 2; index++) root = combine(root, task(index));
  return root;
}

function task(index: number): unknown {
  return {
    type: 'task',
    task: `Find the genes of group ${index}`,
    hint: 'Use the default organism',
    context: { group: index },
  };
}

function combine(left: unknown, right: unknown): unknown {
  return { type: 'combine', operator: 'UNION', left, right };
}
