import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  diffPlans,
  planSentence,
  renderDiff,
  renderMarkdown,
  renderMermaid,
  renderTree,
} from '../../../src/plan/index.ts';
import { expectGolden } from '../golden.ts';
import { validPlans } from '../plan-fixtures.ts';
import type { CompiledPlan } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

const DEMO = readFileSync(new URL('../../../examples/gene-strategies/plan.json', import.meta.url), 'utf8');
const NAMES = ['all-operators', 'executors-and-names', 'shared-subtree'];
const STEPS = {
  goal: 'Say which genes matter',
  steps: [
    { context_key: 'genes', capability: 'search', task_objective: 'Find genes', expected_output: 'a set of genes' },
    {
      context_key: 'ranks',
      capability: 'rank',
      task_objective: 'Rank the genes',
      success_criteria: 'every gene has a rank',
      inputs: [{ GENES: 'genes' }],
      parameters: { first: 10 },
    },
    { context_key: 'answer', capability: 'respond', task_objective: 'Say what was found' },
  ],
};
const fixtures = validPlans().filter(({ name }) => NAMES.includes(name));
const texts = [{ name: 'gene-strategies', text: DEMO }, { name: 'steps', text: JSON.stringify(STEPS) }, ...fixtures];
const plans = texts.map(({ name, text }) => ({ name, plan: planOf(text) }));

function planOf(text: string): CompiledPlan {
  return compiledPlan(text).plan;
}

describe.each(plans)('$name', ({ name, plan }) => {
  test('as a sentence', () => expectGolden(`${name}.sentence.txt`, planSentence(plan)));
  test('as a tree', () => expectGolden(`${name}.tree.txt`, renderTree(plan)));
  test('as Mermaid', () => expectGolden(`${name}.mmd`, renderMermaid(plan)));
  test('as Markdown', () => expectGolden(`${name}.md`, renderMarkdown(plan)));
});

test('the difference of an edited plan', () => {
  const before = planOf(DEMO);
  const edited = DEMO.replace('"upstream": 1000', '"upstream": 2000').replace('AluY on one flank only', 'One flank');
  const after = planOf(edited);
  expect(edited).not.toBe(DEMO);
  expectGolden('gene-strategies.diff.txt', renderDiff(diffPlans(before, after), before, after));
});
