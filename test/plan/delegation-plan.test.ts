import { describe, expect, test } from 'vitest';
import { buildDelegationPlan } from '../../src/plan/index.ts';
import { combine, compiled, task } from './example-plans.ts';

describe('Pathfinder: build_delegation_plan', () => {
  test('gives the compiled plan of a root node', () => {
    const root = combine('UNION', task('A'), task('B', { input: task('C') }));
    expect(buildDelegationPlan('Find targets', root)).toEqual({ ...compiled(root), warnings: [] });
  });

  test('with its warnings and notes', () => {
    expect(buildDelegationPlan('g', combine('OR', task('A', { why: 'so' }), task('A')))).toMatchObject({
      warnings: [
        { code: 'unknown-key', severity: 'warning' },
        { code: 'merged-node', severity: 'note' },
      ],
    });
  });

  test('holds the plan of a model to the limits of models, unless others are given', () => {
    let root = task('1');
    for (let level = 2; level <= 65; level++) root = task(String(level), { input: root });
    expect(buildDelegationPlan('g', root)).toMatchObject({ ok: false, issues: [{ code: 'too-deep' }] });
    expect(buildDelegationPlan('g', root, { limits: { depth: 65 } })).not.toHaveProperty('ok');
    const wide = {
      type: 'op',
      operator: 'OR',
      left: task('A'),
      right: task('B', { context: 'x'.repeat(1024 * 1024) }),
    };
    expect(buildDelegationPlan('g', wide)).toMatchObject({ ok: false, issues: [{ code: 'too-large' }] });
  });

  test.each<[unknown, string]>([
    [undefined, 'plan is required when delegating.'],
    [[], 'plan is required when delegating.'],
    [task('A', { input: 5 }), 'Invalid plan node.'],
    [{ id: 'x' }, 'Invalid plan node.'],
    [combine('NO_OPERATOR', task('A'), task('B')), 'Invalid combine operator.'],
    [combine('LONLY', task('A'), task('B')), 'Invalid combine operator.'],
    [{ type: 'combine', operator: 'OR', inputs: [task('A')] }, 'Invalid combine inputs.'],
    [task(' '), 'Invalid task node.'],
    [task('A', { context: () => 1 }), 'Invalid task context.'],
    [{ type: 'join' }, 'Invalid node type.'],
    [{}, 'Invalid node type.'],
    [task('A', { hint: [] }), 'Invalid delegation plan.'],
  ])('%j: %s', (root, message) => {
    expect(buildDelegationPlan('g', root)).toMatchObject({
      ok: false,
      code: 'DELEGATION_PLAN_INVALID',
      message,
      details: { goal: 'g', detail: expect.stringMatching(/\.$/), issues: [{ severity: 'error' }] },
    });
  });

  test.each<[string, unknown, object]>([
    ['nodeId', { id: 'mine', task: '' }, { nodeId: 'mine' }],
    ['operator', combine('NO_OPERATOR', task('A'), task('B'), { id: 7 }), { operator: 'NO_OPERATOR', nodeId: '7' }],
    ['operator of two readings', combine('LONLY', task('A'), task('B')), { operator: 'LONLY' }],
    ['operator that is no text', { type: 'op', op: 3, inputs: [task('A'), task('B')] }, { operator: 'number 3' }],
    ['no operator, where none was written', { type: 'op', inputs: [task('A'), task('B')] }, {}],
    ['nodeType', { type: 'join', id: 'n' }, { nodeType: 'join', nodeId: 'n' }],
    ['no nodeType, where none was written', {}, {}],
    ['contextType', task('A', { context: () => 1 }), { contextType: 'function' }],
    ['contextType of an object', task('A', { context: new Map() }), { contextType: 'object' }],
    ['contextType of a number', task('A', { context: Infinity }), { contextType: 'number' }],
  ])('Pathfinder: error payload: details the %s, also at the top level', (_, root, known) => {
    const error = buildDelegationPlan('g', root);
    if (!('ok' in error)) throw new Error('It compiled.');
    const { details, ok, code, message, ...copies } = error;
    expect([ok, code, typeof message]).toEqual([false, 'DELEGATION_PLAN_INVALID', 'string']);
    expect(copies).toEqual(details);
    const { goal, detail, issues, ...own } = details;
    expect(own).toEqual(known);
    expect([goal, detail]).toEqual(['g', issues[0]!.message]);
  });
});
