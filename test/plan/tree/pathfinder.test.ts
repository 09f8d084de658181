import { expect, test } from 'vitest';
import { OPERATORS, compilePlan } from '../../../src/plan/index.ts';
import { combine, compiled, task } from '../example-plans.ts';
import type { CombineNode } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

const A = task('A');
const B = task('B');

function operatorOf(name: string): string {
  const [node] = compiled(combine(name, A, B)).combines;
  return (node as CombineNode).operator;
}

test('Pathfinder: the compiled plan has goal, tasks, combines, nodes by id and dependents', () => {
  const plan = compiled(combine('UNION', task('A', { hint: 'h', context: { a: 1 } }), task('B', { input: task('C') })));
  expect(plan).toMatchObject({
    goal: 'Find targets',
    root: 'node_4',
    tasks: [
      { id: 'node_1', kind: 'task', task: 'A', hint: 'h', context: { a: 1 }, dependsOn: [] },
      { id: 'node_2', task: 'C', dependsOn: [] },
      { id: 'node_3', task: 'B', dependsOn: ['node_2'] },
    ],
    combines: [
      {
        id: 'node_4',
        kind: 'combine',
        operator: 'UNION',
        inputs: ['node_1', 'node_3'],
        dependsOn: ['node_1', 'node_3'],
      },
    ],
    dependents: { node_1: ['node_4'], node_2: ['node_3'], node_3: ['node_4'], node_4: [] },
  });
  expect(plan.nodesById['node_3']).toBe(plan.tasks[2]);
});

test.each(['task', 'step', 'subtask', ' TASK ', 'Step'])('Pathfinder: type %j is a task', (type) => {
  expect(compiled({ type, task: 'A' })).toEqual(compiled(A));
  expect(compiled({ kind: type, text: 'A' })).toEqual(compiled(A));
});

test.each(['combine', 'op', 'operator', ' Combine '])('Pathfinder: type %j is a combine', (type) => {
  const plan = compiled(combine('UNION', A, B));
  expect(compiled({ type, operator: 'UNION', left: A, right: B })).toEqual(plan);
  expect(compiled({ kind: type, op: 'UNION', inputs: [A, B] })).toEqual(plan);
});

test.each([
  ['operator and an operand', { operator: 'UNION', left: A, right: B }, 'combine'],
  ['operator, an operand and a text', { operator: 'UNION', inputs: [A, B], task: 'A' }, 'combine'],
  ['a text', { task: 'A' }, 'task'],
  ['a text and an operator without operands', { text: 'A', op: 'UNION' }, 'task'],
  ['a blank type', { type: ' ', task: 'A' }, 'task'],
  ['a null type', { type: null, kind: 'task', task: 'A' }, 'task'],
])('Pathfinder: without a type, %s decides', (_, node, kind) => {
  const plan = compiled(node);
  expect(plan.nodesById[plan.root]!.kind).toBe(kind);
});

test('Pathfinder: aliases: the first with a value wins, null is none', () => {
  expect(compiled({ task: null, text: 'B', context: null, params: 'p' }).tasks).toMatchObject([
    { task: 'B', context: 'p' },
  ]);
  expect(compiled({ task: 'A', text: 'B', hint: 'h', instructions: 'i' }).tasks).toMatchObject([
    { task: 'A', hint: 'h' },
  ]);
});

test('Pathfinder: inputs win over left and right, with a warning for each', () => {
  const result = compiledPlan({ goal: 'x', plan: { ...combine('UNION', task('C'), task('D')), inputs: [A, B] } });
  expect(result.plan.tasks.map((each) => each.task)).toEqual(['A', 'B']);
  expect(result.warnings.map(({ code, path }) => [code, path])).toEqual([
    ['ignored-key', '$.plan.left'],
    ['ignored-key', '$.plan.right'],
  ]);
});

test.each([
  [5, '5'],
  [0, '0'],
  [true, 'true'],
  [false, 'false'],
  [-1.5, '-1.5'],
])('Pathfinder: the task %j becomes a text, with a warning', (value, text) => {
  const result = compilePlan({ goal: 'x', plan: { task: value } });
  expect(result).toMatchObject({
    ok: true,
    plan: { tasks: [{ task: text }] },
    warnings: [{ code: 'coerced-text', severity: 'warning' }],
  });
});

test.each([{ a: 1 }, [1, [2]], 'text', 5, true, ''])('Pathfinder: a context can be %j', (context) => {
  expect(compiled(task('A', { context })).tasks[0]!.context).toEqual(context);
});

test('Pathfinder: a subtree that stands twice is one subtree with two dependents', () => {
  const union = combine('UNION', A, B);
  const plan = compiled(combine('INTERSECT', union, task('Use', { input: union })));
  expect(Object.keys(plan.nodesById)).toHaveLength(5);
  expect(plan.dependents['node_3']).toEqual(['node_4', 'node_5']);
});

test('Pathfinder: two tasks that differ only in their hint are two tasks', () => {
  expect(compiled(combine('UNION', task('A', { hint: 'x' }), task('A', { instructions: 'y' }))).tasks).toHaveLength(2);
});

test.each([
  ['UNION', 'UNION OR PLUS | || or Plus'],
  ['INTERSECT', 'INTERSECT AND INTERSECTION & && and'],
  ['MINUS', 'MINUS MINUS_LEFT LEFT_MINUS LMINUS NOT EXCEPT minus-left Left-Minus'],
  ['RMINUS', 'RMINUS MINUS_RIGHT RIGHT_MINUS REXCEPT minus-right'],
])('Pathfinder: names of %s', (operator, names) => {
  for (const name of names.split(' ')) expect([name, operatorOf(` ${name}\t`)]).toEqual([name, operator]);
});

test('Pathfinder: operator names: a space is an underscore', () => {
  expect(operatorOf('minus left')).toBe('MINUS');
  expect(operatorOf('Right Minus')).toBe('RMINUS');
});

test.each(['DIFFERENCE', 'SUBTRACT', 'NO_OPERATOR', '-', '', 'toString'])(
  'Pathfinder: %j is no operator',
  (operator) => {
    const result = compilePlan({ goal: 'x', plan: combine(operator, A, B) });
    expect(result).toMatchObject({
      ok: false,
      issues: [{ code: 'unknown-operator', expected: Object.keys(OPERATORS) }],
    });
  },
);

test.each([
  ['LONLY', 'left', 'MINUS'],
  ['RONLY', 'right', 'RMINUS'],
])('VEuPathDB WDK: %s is refused with both readings', (operator, side, subtraction) => {
  const result = compilePlan({ goal: 'x', plan: combine(operator, A, B) });
  if (result.ok) throw new Error('It compiled.');
  expect(result.issues).toMatchObject([{ code: 'ambiguous-operator' }]);
  expect(result.issues[0]!.message).toContain(`the whole ${side} set`);
  expect(result.issues[0]!.message).toContain(`write ${subtraction}.`);
});

test.each([
  ['nested', { colocate: { upstream: 1000, strand: ' Same ' } }],
  ['flat', { upstream: 1000, strand: 'same' }],
  ['partly flat', { upstream: 1000, colocate: { strand: 'same' } }],
])('VEuPathDB WDK: span parameters written %s are kept, the rest are defaults', (_, parameters) => {
  const plan = compiled(combine('COLOCATE', A, B, parameters));
  expect(plan.combines[0]!.colocate).toEqual({
    upstream: 1000,
    downstream: 0,
    strand: 'same',
    operation: 'overlap',
    output: 'left',
  });
});

test('VEuPathDB WDK: span parameters are part of what a node means', () => {
  const plan = compiled(combine('UNION', combine('COLOCATE', A, B), combine('COLOCATE', A, B, { downstream: 1 })));
  expect(plan.combines).toHaveLength(3);
});

test('VEuPathDB WDK: a nested span parameter wins over a flat one, with a warning', () => {
  const result = compilePlan({
    goal: 'x',
    plan: combine('COLOCATE', A, B, { upstream: 1, colocate: { upstream: 2 } }),
  });
  expect(result).toMatchObject({
    ok: true,
    plan: { combines: [{ colocate: { upstream: 2 } }] },
    warnings: [{ code: 'ignored-key', path: '$.plan.upstream' }],
  });
});
