/** The forms in which models and other planners write a plan: each is read as what it means. */

import { describe, expect, test } from 'vitest';
import { compilePlan, type CompileOptions } from '../../src/plan/index.ts';
import { compiledPlan } from '../support/plans.ts';

const A = { task: 'A' };
const STEP = { step_id: 1, action: 'A' };

function tasksOf(document: unknown, options?: CompileOptions): readonly string[] {
  const result = compiledPlan(document, options);
  const { goal, tasks, combines } = result.plan;
  const own = tasks.filter(({ capability }) => capability !== 'respond');
  return [
    goal,
    ...own.map(({ task, dependsOn }) => [task, ...dependsOn].join(' < ')),
    ...combines.map((each) => each.operator),
  ];
}

const [a, b] = [
  { id: 'a', ...A },
  { id: 'b', task: 'B' },
];
const orOf = (...inputs: string[]) => ({ id: 'c', op: 'or', inputs });

test.each<[string, unknown, readonly string[]]>([
  ['a list of texts', { goal: 'g', steps: ['Find', 'Sum up'] }, ['g', 'Find', 'Sum up < node_1']],
  ['a text among steps', { goal: 'g', steps: [STEP, 'Sum up'] }, ['g', 'A', 'Sum up < node_1']],
  ['execution_plan', { execution_plan: { goal: 'g', steps: [STEP] } }, ['g', 'A']],
  ['execution_plan beside a goal', { goal: 'g', execution_plan: [STEP] }, ['g', 'A']],
  ['a tree in execution_plan', { execution_plan: { goal: 'g', plan: A } }, ['g', 'A']],
  ['a document as plan', { goal: 'g', plan: { goal: 'g', plan: A } }, ['g', 'A']],
  ['steps as plan', { goal: 'g', plan: { steps: [STEP] } }, ['g', 'A']],
  ['a list as plan', { goal: 'g', plan: [STEP] }, ['g', 'A']],
  ['nodes in any order', { goal: 'g', nodes: [{ ...b, inputs: ['a'] }, a] }, ['g', 'A', 'B < node_1']],
  [
    'nodes with an operator',
    {
      goal: 'g',
      nodes: [a, { ...b, inputs: [] }, { ...orOf('a', 'b'), op: 'MINUS' }, { id: 'd', task: 'D', inputs: ['c'] }],
    },
    ['g', 'A', 'B', 'D < node_3', 'MINUS'],
  ],
  [
    'a node that is taken twice',
    { goal: 'g', plan: [a, { id: 'c', op: 'or', left: 'a', right: 'a' }] },
    ['g', 'A', 'UNION'],
  ],
  [
    "the operands of VEuPathDB's step trees",
    { goal: 'g', plan: { operator: 'INTERSECT', primaryInput: A, secondaryInput: { task: 'B' } } },
    ['g', 'A', 'B', 'INTERSECT'],
  ],
  [
    'dependencies in a text',
    { goal: 'g', steps: [STEP, { step_id: 2, action: 'B', dependencies: '1' }] },
    ['g', 'A', 'B < node_1'],
  ],
  [
    'step_1 for 1',
    { goal: 'g', steps: [STEP, { step_id: 2, action: 'B', dependencies: ['step_1'] }] },
    ['g', 'A', 'B < node_1'],
  ],
])('%s is read', (_, document, tasks) => {
  expect(tasksOf(document)).toEqual(tasks);
  expect(tasksOf(JSON.stringify(document))).toEqual(tasks);
});

test('a list by itself has the goal beside it', () => {
  expect(tasksOf(['Find', 'Sum up'], { goal: 'g' })).toEqual(['g', 'Find', 'Sum up < node_1']);
  expect(tasksOf([STEP])).toEqual(['A', 'A']);
});

describe('what is read otherwise than it was written is told', () => {
  const [one, two] = [STEP, { step_id: 2, action: 'B' }];
  test.each<[unknown, string]>([
    [{ goal: 'g', steps: ['Find', 'Sum up'] }, 'missing-step-key $.steps[1]'],
    [{ goal: 'g', steps: [one, { ...two, dependencies: '1' }] }, 'coerced-text $.steps[1].dependencies'],
    [{ goal: 'g', steps: [one, { ...two, dependencies: ['step_1'] }] }, 'coerced-text $.steps[1].dependencies[0]'],
    [{ goal: 'g', plan: { goal: 'another', plan: A } }, 'ignored-key $.plan.goal'],
  ])('%j: %s', (document, told) => {
    const result = compilePlan(document);
    expect(result.ok && result.warnings.map(({ code, path }) => `${code} ${path}`)).toContain(told);
  });
});

describe('what cannot be read is told where it stands', () => {
  test.each<[string, unknown, string]>([
    [
      'a circle',
      [
        { id: 'a', ...A, inputs: ['b'] },
        { id: 'b', task: 'B', inputs: ['a'] },
      ],
      'cyclic-reference $.nodes[0]',
    ],
    ['an id twice', [a, { id: 'a', task: 'B' }, orOf('a', 'a')], 'duplicate-step-key $.nodes[1]'],
    ['two results', [a, b, orOf('a', 'a')], 'several-documents $.nodes[1]'],
    ['a name of none', [a, orOf('a', 'z')], 'not-a-node $.nodes[1].inputs[1]'],
    ['a name of no step', [{ id: 'a', ...A, inputs: ['z'] }], 'unknown-reference $.nodes[0].inputs[0]'],
    ['a number', [a, 5], 'not-a-step $.nodes[1]'],
    ['no text', [{ id: 'a' }], 'missing-task $.nodes[0]'],
  ])('%s among nodes', (_, nodes, told) => {
    const result = compilePlan({ goal: 'g', nodes });
    expect(result.ok ? [] : result.issues.map(({ code, path }) => `${code} ${path}`)).toContain(told);
  });

  test('a plan in a plan, without end', () => {
    const document: Record<string, unknown> = { goal: 'g' };
    document['plan'] = document;
    expect(compilePlan(document)).toMatchObject({ ok: false, issues: [{ code: 'not-json' }] });
  });
});
