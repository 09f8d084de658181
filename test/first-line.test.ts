/** Every surface says the same of a node first: its name, the badge of its effect, its title. */

import { expect, test } from 'vitest';
import { runDetails } from '../src/workflows/views/details.ts';
import { planText } from '../src/cli/plan-text.ts';
import { createRegistry } from '../src/capabilities/builtin/index.ts';
import { outlineMarkdown } from '../src/plan/outline/index.ts';
import { outlineOf, renderMarkdown, renderTree } from '../src/plan/index.ts';
import { openActivities } from './activities/rig.ts';
import { openedRun } from './workflows/run/make-run.ts';
import { ids, writes } from './support/capabilities.ts';
import { compiledPlan, combine, task } from './support/plans.ts';

const FIRST = [
  'node_3 UNION every record that is in node_1 or in node_2',
  'node_1 ! at-most-once Pay the invoice',
  'node_2 Find the ids',
];

/** Without what a surface draws with: branches, marks, Markdown, wide gaps. */
function firstLines(text: string): string[] {
  const plain = text
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/\*\*|\\/g, '')
        .replace(/^[\s│├└─·-]*/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => /^node_\d+ /.test(line));
  return FIRST.map((first) => plain.find((line) => line === first) ?? plain.join('; '));
}

test('the same first line for the same node, wherever a plan is shown', async () => {
  const capabilities = [ids, writes('pay', 'at-most-once', [])];
  const rig = await openActivities(capabilities);
  const pay = { ...task('pay', { value: 'x' }), display_name: 'Pay the invoice' };
  const document = { goal: 'g', plan: combine('UNION', pay, { ...task('ids', { ids: ['a'] }), task: 'Find the ids' }) };
  const planShape = await rig.compiled(document);
  const compiled = compiledPlan(document, { catalogue: createRegistry(capabilities) });
  const { plan, executors = {} } = compiled;
  const surfaces = {
    'the query plan, and the plan of a client’s view': planShape.text,
    'the details of the Web UI': runDetails(openedRun(planShape)),
    'the details that a client starts a run with': outlineMarkdown(outlineOf(plan, { executors }), {}).join('\n'),
    'the commands': planText(plan, { executors }, { columns: 80 }),
    'a page of the plan': renderMarkdown(plan, { executors }),
    'a program of somebody': renderTree(plan, { executors }),
  };
  for (const [surface, text] of Object.entries(surfaces)) expect([surface, firstLines(text)]).toEqual([surface, FIRST]);
});
