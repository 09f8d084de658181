/** A flat list of nodes as a document: its shape, its faults, and the way back from a plan. */

import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan, MODEL_LIMITS, type CompiledPlan } from '../../../src/plan/index.ts';
import { formOf, writeNodes } from '../../../src/planner/index.ts';
import {
  nodesDocument,
  ownDocument,
  planFormat,
  readPlanReply,
  type PlanForm,
} from '../../../src/planner/form/index.ts';
import { erase, writer } from '../../support/scripted-planner.ts';
import { planTree, RUNS } from '../../plan/arbitraries.ts';
import { validPlans } from '../../plan/plan-fixtures.ts';

/** The form of a revision of this plan, where the project has what the plan names. */
function formatFor(plan: CompiledPlan) {
  const named = (key: 'capability' | 'agent') => [...new Set(plan.tasks.flatMap((one) => one[key] ?? []))];
  const capabilities = named('capability').map((name) => ({ ...erase, name }));
  const agents = named('agent').map((name) => ({ ...writer, name }));
  return planFormat([...capabilities, erase], agents, { hasDefault: true, isRevision: true });
}

const task = (id: string, more: object = {}) => ({ id, task: `do ${id}`, ...more });
const of = (operator: string, id: string, ...inputs: string[]) => ({ id, operator, inputs });

function compiled(nodes: readonly unknown[], contextKeys: readonly string[] = [], base?: PlanForm): CompiledPlan {
  const built = nodesDocument('a goal', { nodes }, contextKeys, base);
  if (!built.ok) throw new Error(JSON.stringify(built.issues));
  const result = compilePlan(built.document, { contextKeys, limits: MODEL_LIMITS });
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.plan;
}

describe('the shape', () => {
  test('a shared node is written once and runs once', () => {
    const plan = compiled([
      task('a'),
      task('b'),
      of('UNION', 'u', 'a', 'b'),
      task('x', { inputs: ['u'] }),
      of('MINUS', 'm', 'u', 'x'),
    ]);
    expect(Object.keys(plan.nodesById)).toHaveLength(5);
  });

  const chain = [task('a'), task('b', { inputs: ['a'] })];
  const answeredChain = [...chain, task('r', { capability: 'respond', inputs: ['b'] })];
  const wide = [...chain, task('r', { capability: 'respond', inputs: ['a', 'b'] })];

  test.each<[what: string, nodes: readonly unknown[], base: PlanForm | undefined, form: PlanForm]>([
    ['one task', [task('a')], undefined, 'steps'],
    ['a chain', chain, undefined, 'steps'],
    ['a chain that ends in an answer', answeredChain, undefined, 'steps'],
    ['a chain that revises a list', chain, 'steps', 'steps'],
    ['a chain that revises a tree', chain, 'tree', 'tree'],
    ['a chain with an answer that revises a tree', answeredChain, 'tree', 'tree'],
    ['what no tree can say, also where it revises one', wide, 'tree', 'steps'],
    ['operators', [task('a'), of('UNION', 'u', 'a', 'a')], undefined, 'tree'],
    ['operators that revise a list', [task('a'), of('UNION', 'u', 'a', 'a')], 'steps', 'tree'],
  ])('%s', (_, nodes, base, form) => {
    const plan = compiled(nodes, [], base);
    expect(formOf(plan)).toBe(form);
    if (form === 'steps') expect(plan.nodesById[plan.root]).toMatchObject({ capability: 'respond' });
  });

  test('a document without operators has the form of the same nodes in a list', () => {
    const tree = { goal: 'other', plan: { task: 'do b', input: { task: 'do a', hint: 'twice' } } };
    const form = (document: object, base?: PlanForm) => {
      const built = ownDocument('a goal', document as never, [], base);
      if (!built.ok) throw new Error(JSON.stringify(built.issues));
      const result = compilePlan(built.document);
      if (!result.ok) throw new Error(JSON.stringify(result.issues));
      expect(result.plan.goal).toBe('a goal');
      return [formOf(result.plan), result.plan.tasks.length];
    };
    expect(form(tree)).toEqual(['steps', 3]);
    expect(form(tree, 'tree')).toEqual(['tree', 2]);
    expect(form({ plan: { operator: 'UNION', left: { task: 'a' }, right: { task: 'b' } } })).toEqual(['tree', 2]);
    expect(ownDocument('a goal', { plan: 7 }, [])).toEqual({ ok: true, document: { plan: 7, goal: 'a goal' } });
  });

  test('an answer to a combine is a part of its tree', () => {
    const answered = [
      task('a'),
      task('b'),
      of('OR', 'u', 'a', 'b'),
      task('r', { capability: 'respond', inputs: ['u'] }),
    ];
    expect(compiled(answered).combines).toHaveLength(1);
  });

  test.each<[name: string, nodes: readonly unknown[]]>([
    ['several inputs', [task('a'), task('b'), task('c', { inputs: ['a', 'b'] })]],
    ['several ends', [task('a'), task('b'), task('c', { inputs: ['a'] })]],
    ['an answer', [task('a'), task('b'), task('c', { inputs: ['b'] }), task('r', { capability: 'Respond' })]],
    ['a key from outside', [task('a', { inputs: ['genes'] }), task('b'), task('c')]],
    ['an order of its own', [task('c', { inputs: ['a', 'b'] }), task('a'), task('b')]],
  ])('%s make it a list of steps', (_name, nodes) => {
    const plan = compiled(nodes, ['genes']);
    expect(plan.tasks.map(({ contextKey }) => contextKey)).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  test('what a task says reaches the step', () => {
    const nodes = [
      task('a', { hint: 'twice', arguments: { of: 1 }, agent: 'x' }),
      task('b', { inputs: [{ GENES: 'a' }] }),
      task('c'),
    ];
    const [a, b] = compiled(nodes).tasks;
    expect(a).toMatchObject({ description: 'twice', arguments: { of: 1 }, agent: 'x' });
    expect(b).toMatchObject({ inputTypes: { a: 'GENES' } });
  });
});

test.each<[name: string, nodes: readonly unknown[], issues: readonly (readonly [code: string, path: string])[]]>([
  ['no object', ['a'], [['not-a-node', '$.nodes[0]']]],
  ['no id', [{ task: 'x' }], [['invalid-step-key', '$.nodes[0].id']]],
  ['a blank id', [{ id: ' ', task: 'x' }], [['invalid-step-key', '$.nodes[0].id']]],
  ['an id twice', [task('a'), task('a')], [['duplicate-step-key', '$.nodes[1].id']]],
  ['an unknown id', [task('a', { inputs: ['b'] })], [['unknown-reference', '$.nodes[0].inputs[0]']]],
  ['an input that is no id', [task('a', { inputs: [null] })], [['invalid-inputs', '$.nodes[0].inputs[0]']]],
  ['itself', [task('a', { inputs: ['a'] })], [['self-reference', '$.nodes[0].inputs[0]']]],
  [
    'a circle, without what only leads to it',
    [task('a', { inputs: ['b'] }), task('b', { inputs: ['a'] }), task('c', { inputs: ['a'] }), task('d')],
    [
      ['cyclic-reference', '$.nodes[0].inputs'],
      ['cyclic-reference', '$.nodes[1].inputs'],
    ],
  ],
  ['one operand', [task('a'), of('UNION', 'u', 'a')], [['missing-operand', '$.nodes[1].inputs']]],
  ['three operands', [task('a'), of('UNION', 'u', 'a', 'a', 'a')], [['too-many-operands', '$.nodes[1].inputs']]],
  [
    'a task of two inputs beside an operator',
    [task('a'), task('b'), of('UNION', 'u', 'a', 'b'), task('c', { inputs: ['u', 'a'] })],
    [['too-many-operands', '$.nodes[3].inputs']],
  ],
  [
    'two ends beside an operator',
    [task('a'), of('UNION', 'u', 'a', 'a'), task('b')],
    [['several-documents', '$.nodes[1]']],
  ],
  [
    'what comes from outside beside an operator',
    [task('a', { inputs: ['genes'] }), of('UNION', 'u', 'a', 'a')],
    [['unknown-reference', '$.nodes[0].inputs']],
  ],
  ['a context without an operator', [task('a', { context: { of: 1 } })], [['unknown-key', '$.nodes[0].context']]],
  ['too many', Array.from({ length: 501 }, (_, at) => task(`t${at}`)), [['too-many-nodes', '$.nodes']]],
  [
    'what would be too many written out',
    [task('n0'), ...Array.from({ length: 60 }, (_, at) => of('UNION', `n${at + 1}`, `n${at}`, `n${at}`))],
    [['too-many-nodes', '$.nodes[60]']],
  ],
  [
    'too deep',
    [
      task('n0'),
      of('UNION', 'n1', 'n0', 'n0'),
      ...Array.from({ length: 63 }, (_, at) => task(`n${at + 2}`, { inputs: [`n${at + 1}`] })),
    ],
    [['too-deep', '$.nodes[64]']],
  ],
])('a fault is told with its place: %s', (_name, nodes, issues) => {
  const built = nodesDocument('a goal', { nodes }, ['genes']);
  if (built.ok) throw new Error('a document');
  expect(built.issues.map(({ code, path }) => [code, path])).toEqual(issues);
  for (const { message } of built.issues) expect(message).toMatch(/^[A-Z"].+\.$/s);
});

describe('a compiled plan as the model would write it', () => {
  test.each(validPlans())('is the same plan again: $name', ({ text }) => {
    const result = compilePlan(text);
    if (!result.ok) throw new Error(JSON.stringify(result.issues));
    fitsItsForm(result.plan);
    expect(again(result.plan)).toBe(result.plan.digest);
  });

  test('whatever the tree', () => {
    fc.assert(
      fc.property(planTree, (plan) => {
        const result = compilePlan({ goal: 'a goal', plan }, { limits: MODEL_LIMITS });
        if (!result.ok) throw new Error(JSON.stringify(result.issues));
        expect(again(result.plan)).toBe(result.plan.digest);
      }),
      RUNS,
    );
  });
});

function fitsItsForm(plan: CompiledPlan): void {
  const fits = new Ajv().compile(formatFor(plan).schema);
  expect(fits({ ...JSON.parse(writeNodes(plan)), explanation: '' }), JSON.stringify(fits.errors)).toBe(true);
}

function again(plan: CompiledPlan): string | undefined {
  const text = writeNodes(plan);
  const read = readPlanReply({ text });
  if (read.is !== 'nodes') throw new Error(read.is);
  const contextKeys = plan.external ?? [];
  const built = nodesDocument(plan.goal, read, contextKeys, formOf(plan));
  if (!built.ok) throw new Error(JSON.stringify(built.issues));
  const result = compilePlan(built.document, { contextKeys });
  return result.ok ? result.plan.digest : JSON.stringify(result.issues);
}

/** Runs of punctuation and words: what a tokenizer of JSON takes for structure, at most one token each. */
function structureTokens(json: string): number {
  return json.match(/\w+|[^\w\s]{1,4}/g)?.length ?? 0;
}

test('at most 24 tokens of structure for a node', () => {
  const values = /"(?:x{3})"/g;
  const structure = (node: object) => structureTokens(JSON.stringify([node, 0]).slice(1, -2).replace(values, '""'));
  const whole = { id: 'xxx', task: 'xxx', capability: 'xxx', arguments: {}, hint: 'xxx', inputs: ['xxx'] };
  expect(structure(whole)).toBeLessThanOrEqual(24);
  expect(structure({ id: 'xxx', task: 'xxx', agent: 'xxx', inputs: ['xxx'] })).toBeLessThanOrEqual(16);
  expect(structure({ id: 'xxx', operator: 'xxx', inputs: ['xxx', 'xxx'] })).toBeLessThanOrEqual(12);
  expect(
    structure({ id: 'xxx', operator: 'xxx', inputs: ['xxx', 'xxx'], colocate: { upstream: 0, strand: 'xxx' } }),
  ).toBeLessThanOrEqual(24);
});

test('Osprey: an empty list answers from what is known; in a revision it is a fault', () => {
  const built = nodesDocument('a goal', { nodes: [] }, []);
  expect(built).toMatchObject({ ok: true, warnings: [{ code: 'added-respond', path: '$.nodes' }] });
  expect(compiled([]).tasks).toMatchObject([{ capability: 'respond', task: 'a goal' }]);
  expect(nodesDocument('a goal', { nodes: [] }, [], 'steps')).toMatchObject({
    ok: false,
    issues: [{ code: 'missing-plan', path: '$.nodes' }],
  });
});
