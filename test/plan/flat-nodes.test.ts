/** A flat list of nodes, the form in which models write plans: its shape, and its faults with their places. */

import { describe, expect, test } from 'vitest';
import { compilePlan, MODEL_LIMITS, stepsDocument, type CompiledPlan } from '../../src/plan/index.ts';

const task = (id: string, more: object = {}) => ({ id, task: `do ${id}`, ...more });
const of = (operator: string, id: string, ...inputs: string[]) => ({ id, operator, inputs });

function compile(nodes: readonly unknown[], format: 'auto' | 'tree' = 'auto') {
  return compilePlan({ goal: 'a goal', nodes }, { format, contextKeys: ['genes'], limits: MODEL_LIMITS });
}

function compiled(nodes: readonly unknown[], format?: 'tree'): CompiledPlan {
  const result = compile(nodes, format);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.plan;
}

test('a shared node is written once and runs once', () => {
  const nodes = [
    task('a'),
    task('b'),
    of('UNION', 'u', 'a', 'b'),
    task('x', { inputs: ['u'] }),
    of('MINUS', 'm', 'u', 'x'),
  ];
  expect(Object.keys(compiled(nodes).nodesById)).toHaveLength(5);
});

describe('the shape', () => {
  const chain = [task('a'), task('b', { inputs: ['a'] })];
  const answeredChain = [...chain, task('r', { capability: 'respond', inputs: ['b'] })];
  const wide = [...chain, task('r', { capability: 'respond', inputs: ['a', 'b'] })];
  const union = [task('a'), of('UNION', 'u', 'a', 'a')];

  test.each<[what: string, nodes: readonly unknown[], wanted: 'tree' | undefined, form: 'tree' | 'steps']>([
    ['one task', [task('a')], undefined, 'steps'],
    ['one task where a tree is wanted', [task('a', { inputs: [] })], 'tree', 'tree'],
    ['a chain', chain, undefined, 'steps'],
    ['a chain that ends in an answer', answeredChain, undefined, 'steps'],
    ['a chain where a tree is wanted', chain, 'tree', 'tree'],
    ['a chain with an answer where a tree is wanted', answeredChain, 'tree', 'tree'],
    ['what no tree can say', wide, 'tree', 'steps'],
    ['what takes a result from outside', [task('a', { inputs: ['genes'] })], 'tree', 'steps'],
    ['operators', union, undefined, 'tree'],
    ['operators with an answer', [...union, task('r', { capability: 'respond', inputs: 'u' })], undefined, 'tree'],
  ])('%s', (_, nodes, wanted, form) => {
    const plan = compiled(nodes, wanted);
    expect(stepsDocument(plan) === undefined ? 'tree' : 'steps').toBe(form);
    if (form === 'steps') expect(plan.nodesById[plan.root]).toMatchObject({ capability: 'respond' });
  });
});

describe('a list of steps', () => {
  test.each<[name: string, nodes: readonly unknown[], keys: readonly string[]]>([
    ['several inputs', [task('a'), task('b'), task('c', { inputs: ['a', 'b'] })], ['a', 'b', 'c', 'user_response']],
    [
      'an answer first',
      [task('r', { capability: 'Respond' }), task('a'), task('b', { inputs: ['a'] })],
      ['a', 'b', 'r'],
    ],
    ['a key from outside', [task('a', { inputs: ['genes'] })], ['a', 'user_response']],
    ['a type and a name', [task('b', { inputs: [{ GENES: 'a' }] }), task('a')], ['a', 'b', 'user_response']],
    ['one name', [task('b', { input: 'a' }), task('c', { inputs: 'b' }), task('a')], ['a', 'b', 'c', 'user_response']],
    [
      'an order of its own',
      [
        task('d', { inputs: ['c'] }),
        task('c', { inputs: ['a', 'b'] }),
        task('a'),
        task('b'),
        task('e', { inputs: ['a'] }),
      ],
      ['a', 'b', 'e', 'c', 'd', 'user_response'],
    ],
  ])('%s', (_name, nodes, keys) => {
    expect(compiled(nodes).tasks.map(({ contextKey }) => contextKey)).toEqual(keys);
  });

  test('has all that its tasks say, and nothing is told of it', () => {
    const nodes = [
      { type: 'task', ...task('a', { hint: 'twice', arguments: { of: 1 }, agent: 'x' }) },
      { id: 'b', text: 'do b', instructions: 'once', inputs: [{ GENES: 'a' }] },
      task('r', { capability: 'respond' }),
    ];
    expect(compiled(nodes).tasks).toMatchObject([
      { description: 'twice', arguments: { of: 1 }, agent: 'x' },
      { task: 'do b', description: 'once', inputTypes: { a: 'GENES' }, dependsOn: ['node_1'] },
      {},
    ]);
    expect(compile(nodes)).toMatchObject({ warnings: [] });
  });

  test('of 20,000 nodes in the wrong order is read', () => {
    const nodes = Array.from({ length: 19_999 }, (_, at) => task(`t${at}`, { inputs: [`t${at + 1}`] }));
    const { ok } = compilePlan({ goal: 'a goal', nodes: [...nodes, task('t19999')] });
    expect(ok).toBe(true);
  });
});

test.each<[name: string, nodes: readonly unknown[], issue: string]>([
  ['no object', ['a', 7], 'not-a-step $.nodes[1]'],
  ['an id twice', [task('a'), task('a')], 'duplicate-step-key $.nodes[1]'],
  ['an unknown id', [task('a', { inputs: ['b'] })], 'unknown-reference $.nodes[0].inputs[0]'],
  ['an unknown id, alone', [task('a', { input: 'b' })], 'unknown-reference $.nodes[0].input[0]'],
  ['an input that is no id', [task('a', { inputs: [null] })], 'invalid-inputs $.nodes[0].inputs[0]'],
  ['itself', [task('a', { inputs: ['a'] })], 'cyclic-reference $.nodes[0]'],
  ['a hint that is no text', [task('a', { hint: {} })], 'invalid-text $.nodes[0].hint'],
  ['one operand', [task('a'), of('UNION', 'u', 'a')], 'missing-operand $.nodes[1].inputs[1]'],
  ['three operands', [task('a'), of('UNION', 'u', 'a', 'a', 'a')], 'too-many-operands $.nodes[1].inputs'],
  [
    'a task of two inputs beside an operator',
    [task('a'), task('b'), of('UNION', 'u', 'a', 'b'), task('c', { inputs: ['u', 'a'] })],
    'unknown-key $.nodes[3].inputs',
  ],
  ['two ends beside an operator', [task('a'), of('UNION', 'u', 'a', 'a'), task('b')], 'several-documents $.nodes[1]'],
  [
    'what comes from outside beside an operator',
    [task('a', { inputs: ['genes'] }), of('UNION', 'u', 'a', 'a')],
    'not-a-node $.nodes[0].inputs',
  ],
  ['a context without an operator', [task('a', { context: { of: 1 } })], 'unknown-key $.nodes[0].context'],
  ['too many', Array.from({ length: 501 }, (_, at) => task(`t${at}`)), 'too-many-nodes $.nodes'],
  [
    'what would be too many written out',
    [task('n0'), ...Array.from({ length: 60 }, (_, at) => of('UNION', `n${at + 1}`, `n${at}`, `n${at}`))],
    'too-many-nodes',
  ],
  [
    'too deep',
    [
      task('n0'),
      of('UNION', 'n1', 'n0', 'n0'),
      ...Array.from({ length: 63 }, (_, at) => task(`n${at + 2}`, { inputs: [`n${at + 1}`] })),
    ],
    'too-deep',
  ],
])('a fault is told with its place: %s', (_name, nodes, issue) => {
  const result = compile(nodes);
  if (result.ok) throw new Error('a plan');
  const errors = result.issues.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code, path }) => `${code} ${path}`)).toContainEqual(expect.stringContaining(issue));
  for (const { message } of errors) expect(message).toMatch(/^[A-Z"$].+\.$/s);
});

test('one decided step of a run that goes on is no empty list', () => {
  const result = compilePlan({ goal: 'a goal', nodes: [] }, { isStep: true });
  expect(result).toMatchObject({ ok: false, issues: [{ code: 'missing-steps' }] });
});
