import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan } from '../../../src/plan/index.ts';
import { RUNS, planTree } from '../arbitraries.ts';
import { asDocument, combine, compiled, reordered, task, type WrittenNode } from '../example-plans.ts';
import type { JsonValue } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

interface NaiveNode {
  readonly meaning: string;
  readonly inputs: readonly number[];
}

/** The numbering as its definition reads: recursive, and comparing meanings as texts instead of keys. */
function naiveNumbering(root: WrittenNode): readonly NaiveNode[] {
  const nodes: NaiveNode[] = [];
  visit(root);
  return nodes;

  function visit(node: WrittenNode): number {
    const children =
      node['type'] === 'combine' ? [node['left'], node['right']] : node['input'] === undefined ? [] : [node['input']];
    const inputs = children.map((child) => visit(child as WrittenNode));
    const meaning = JSON.stringify([ownMeaning(node), inputs]);
    const known = nodes.findIndex((each) => each.meaning === meaning);
    return known >= 0 ? known : nodes.push({ meaning, inputs }) - 1;
  }
}

function ownMeaning(node: WrittenNode): unknown {
  if (node['type'] === 'combine') {
    const defaults = { upstream: 0, downstream: 0, strand: 'both', operation: 'overlap', output: 'left' };
    const window = node['operator'] === 'COLOCATE' ? { ...defaults, ...(node['colocate'] as object) } : null;
    return [node['operator'], window];
  }
  const context = node['context'];
  const isEmpty = context == null || JSON.stringify(context) === '{}';
  return [
    (node['task'] as string).trim(),
    node['hint'] ?? null,
    node['capability'] ?? null,
    isEmpty ? null : inKeyOrder(context),
  ];
}

function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(inKeyOrder)];
  if (typeof value !== 'object' || value === null) return value;
  return [
    'object',
    ...Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, inKeyOrder(member)]),
  ];
}

const numberOf = (id: string): number => Number(id.replace('node_', ''));

describe('numbering', () => {
  test('Pathfinder: equal nodes are one, in depth-first post-order, as the naive reading has it', () => {
    fc.assert(
      fc.property(planTree, (root) => {
        const plan = compiled(root);
        const expected = naiveNumbering(root);
        const ids = Object.keys(plan.nodesById);
        expect(ids).toEqual(expected.map((_, index) => `node_${index + 1}`));
        for (const [index, { inputs }] of expected.entries()) {
          const node = plan.nodesById[`node_${index + 1}`]!;
          const inputIds = inputs.map((input) => `node_${input + 1}`);
          expect(node.kind === 'combine' ? node.inputs : node.dependsOn).toEqual(inputIds);
        }
      }),
      RUNS,
    );
  });

  test('every dependency has a smaller number, dependents mirror dependsOn, keys are unique', () => {
    fc.assert(
      fc.property(planTree, (root) => {
        const plan = compiled(root);
        const nodes = Object.values(plan.nodesById);
        expect(new Set([...plan.tasks, ...plan.combines])).toEqual(new Set(nodes));
        expect(new Set(nodes.map(({ key }) => key)).size).toBe(nodes.length);
        expect(plan.root).toBe(`node_${nodes.length}`);
        for (const node of nodes) {
          expect(node.dependsOn.every((id) => numberOf(id) < numberOf(node.id))).toBe(true);
          expect(plan.dependents[node.id]).toEqual(
            nodes.filter(({ dependsOn }) => dependsOn.includes(node.id)).map(({ id }) => id),
          );
        }
      }),
      RUNS,
    );
  });

  test('a plan written out as a document again has the same digest', () => {
    fc.assert(
      fc.property(planTree, (root) => {
        const plan = compiled(root);
        const again = compilePlan(JSON.stringify(asDocument(plan)));
        expect(again.ok && again.plan).toEqual(plan);
      }),
      RUNS,
    );
  });

  test('the order of keys in a context never counts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (context) => {
        const plan = compiled(task('A', { context }));
        expect(compiled(task('A', { context: reordered(context as JsonValue) })).digest).toBe(plan.digest);
      }),
      RUNS,
    );
  });
});

describe('Pathfinder: merging', () => {
  test('A op A runs A once and is its dependent once', () => {
    const plan = compiled(combine('UNION', task('A'), task('A')));
    expect(plan.combines).toMatchObject([{ inputs: ['node_1', 'node_1'], dependsOn: ['node_1'] }]);
    expect(plan.dependents).toEqual({ node_1: ['node_2'], node_2: [] });
  });

  test('every merged path has a note, and the first display name stays', () => {
    const result = compiledPlan({
      goal: 'x',
      plan: combine(
        'MINUS',
        task('A', { display_name: 'First' }),
        task('B', { input: task('A', { display_name: 'Second' }) }),
      ),
    });
    expect(result.plan.tasks.map(({ displayName }) => displayName)).toEqual(['First', undefined]);
    expect(result.warnings).toMatchObject([{ code: 'merged-node', severity: 'note', path: '$.plan.right.input' }]);
    expect(result.warnings[0]!.message).toContain('node_1 at $.plan.left');
    expect(result.warnings[0]!.message).toContain('display name');
  });

  const same: readonly (readonly [string, WrittenNode, WrittenNode])[] = [
    ['outer white space', task('A'), task(' A\n')],
    ['no context, null and an empty one', task('A'), task('A', { context: {} })],
    ['null context', task('A'), task('A', { context: null })],
    ['an alias', task('A', { hint: 'h' }), { kind: 'step', text: 'A', instructions: 'h' }],
    ['a display name', task('A'), task('A', { displayName: 'N' })],
    ['numbers that are one number', task('A', { context: 1 }), task('A', { context: 1.0 })],
    ['no arguments and empty ones', task('A'), task('A', { arguments: {} })],
  ];
  test.each(same)('%s makes no difference', (_, one, other) => {
    expect(compiled(combine('UNION', one, other)).tasks).toHaveLength(1);
  });

  const different: readonly (readonly [string, WrittenNode, WrittenNode])[] = [
    ['inner white space', task('A B'), task('A  B')],
    ['case', task('A'), task('a')],
    ['a hint', task('A'), task('A', { hint: 'h' })],
    ['context 1 and true', task('A', { context: 1 }), task('A', { context: true })],
    ['context 1 and "1"', task('A', { context: 1 }), task('A', { context: '1' })],
    ['an empty list', task('A'), task('A', { context: [] })],
    ['white space in a context', task('A', { context: 'x' }), task('A', { context: ' x' })],
    ['a capability', task('A'), task('A', { capability: 'c' })],
    ['a capability and an agent of one name', task('A', { agent: 'c' }), task('A', { capability: 'c' })],
    ['arguments', task('A', { arguments: { a: 1 } }), task('A', { arguments: { a: 2 } })],
    ['context and arguments of one value', task('A', { arguments: [1] }), task('A', { context: [1] })],
  ];
  test.each(different)('%s makes a difference', (_, one, other) => {
    expect(compiled(combine('UNION', one, other)).tasks).toHaveLength(2);
  });

  test('operand order counts', () => {
    const plan = compiled(
      combine('INTERSECT', combine('UNION', task('A'), task('B')), combine('UNION', task('B'), task('A'))),
    );
    expect(plan.combines).toHaveLength(3);
  });

  test('a key does not depend on the place of the node, a digest does on labels', () => {
    const alone = compiled(task('B'));
    const below = compiled(combine('UNION', task('A'), task('B')));
    expect(below.nodesById['node_2']!.key).toBe(alone.nodesById['node_1']!.key);
    const labelled = compiled(task('B', { display_name: 'L' }));
    expect(labelled.nodesById['node_1']!.key).toBe(alone.nodesById['node_1']!.key);
    expect(labelled.digest).not.toBe(alone.digest);
  });
});
