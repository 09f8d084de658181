import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { treePlaces } from '../../../src/plan/outline/index.ts';
import { nodeSentence, renderTree, type CompiledPlan } from '../../../src/plan/index.ts';
import { RUNS, planTree } from '../arbitraries.ts';
import { combine, compiled, task } from '../example-plans.ts';

const A = task('A');
const B = task('B');

function rootSentence(root: unknown): string {
  const plan = compiled(root);
  return nodeSentence(plan.nodesById[plan.root]!, plan);
}

describe('sentences', () => {
  test.each([
    ['UNION', 'Keep every record that is in node_1 or in node_2.'],
    ['INTERSECT', 'Keep every record that is both in node_1 and in node_2.'],
    ['MINUS_LEFT', 'Keep every record of node_1 that is not in node_2.'],
    ['MINUS_RIGHT', 'Keep every record of node_2 that is not in node_1.'],
  ])('%s', (operator, sentence) => {
    expect(rootSentence(combine(operator, A, B))).toBe(sentence);
  });

  test.each([
    [{}, 'Keep each record of node_1 that overlaps a record of node_2 on either strand.'],
    [{ operation: 'contains' }, 'Keep each record of node_1 that contains a record of node_2 on either strand.'],
    [
      { operation: 'within', strand: 'opposite' },
      'Keep each record of node_1 that lies within a record of node_2 on the opposite strand.',
    ],
    [
      { operation: 'contains', output: 'right' },
      'Keep each record of node_2 that lies within a record of node_1 on either strand.',
    ],
    [
      { operation: 'within', output: 'right' },
      'Keep each record of node_2 that contains a record of node_1 on either strand.',
    ],
    [
      { upstream: 1000, strand: 'same' },
      'Keep each record of node_1 whose window, from 1,000 bases upstream of its start to its end along its own strand, overlaps a record of node_2 on the same strand.',
    ],
    [
      { downstream: 1, operation: 'contains' },
      'Keep each record of node_1 whose window, from its start to 1 base downstream of its end along its own strand, contains a record of node_2 on either strand.',
    ],
    [
      { upstream: 1234567, downstream: 20, operation: 'contains', output: 'right' },
      'Keep each record of node_2 that lies within the window of a record of node_1 on either strand, the window going from 1,234,567 bases upstream of its start to 20 bases downstream of its end along the strand of the record of node_1.',
    ],
    [{ invert: true }, 'Keep each record of node_1 that overlaps no record of node_2 on either strand.'],
    [
      { invert: true, upstream: 1000, operation: 'contains' },
      'Keep each record of node_1 whose window, from 1,000 bases upstream of its start to its end along its own strand, contains no record of node_2 on either strand.',
    ],
    [
      { invert: true, downstream: 5, output: 'right', strand: 'same' },
      'Keep each record of node_2 that overlaps the window of no record of node_1 on the same strand, the window going from its start to 5 bases downstream of its end along the strand of the record of node_1.',
    ],
  ])('COLOCATE %j', (parameters, sentence) => {
    expect(rootSentence(combine('COLOCATE', A, B, parameters))).toBe(sentence);
  });

  test('a task says everything that it is given', () => {
    expect(rootSentence(A)).toBe('Carry out "A".');
    const full = task('Rank', {
      hint: 'best first',
      context: { b: 1, a: 'x' },
      capability: 'rank',
      agent: 'other',
      arguments: { n: 5 },
      input: A,
    });
    expect(rootSentence(full)).toBe(
      'Carry out "Rank" with the capability "rank", given the result of node_1, the hint "best first", the context {"a":"x","b":1} and the arguments {"n":5}.',
    );
    expect(rootSentence(task('Rank', { agent: 'Analyst', hint: 'h' }))).toBe(
      'Carry out "Rank" by the agent "Analyst", given the hint "h".',
    );
  });
});

/** The places of a plan's nodes in its tree, indented by at most 120 columns. */
function placesOf(plan: CompiledPlan) {
  const takes = (id: string) => {
    const node = plan.nodesById[id]!;
    return node.kind === 'task' ? node.dependsOn : node.inputs;
  };
  return treePlaces([plan.root], takes, 120);
}

describe('the tree', () => {
  test('root first, shared nodes once', () => {
    const shared = combine('UNION', A, B);
    const plan = compiled(combine('INTERSECT', shared, task('Use', { input: shared }), { display_name: 'Both' }));
    expect(renderTree(plan)).toBe(
      [
        'node_5 INTERSECT  Both',
        '│  every record that is both in node_3 and in node_4',
        '├─ node_3 UNION  every record that is in node_1 or in node_2',
        '│  ├─ node_1  A',
        '│  └─ node_2  B',
        '└─ node_4  Use',
        '   │  given the result of node_3',
        '   └─ (see node_3 UNION)',
      ].join('\n'),
    );
    expect(renderTree(plan, { words: 'none' }).split('\n')[1]).toMatch(/^├─ node_3 /);
  });

  test('A op A shows A and refers to it', () => {
    expect(
      renderTree(compiled(combine('MINUS', A, A)))
        .split('\n')
        .slice(1),
    ).toEqual(['├─ node_1  A', '└─ (see node_1)']);
  });

  test('every node has exactly one line of its own', () => {
    fc.assert(
      fc.property(planTree, (root) => {
        const plan = compiled(root);
        const lines = placesOf(plan);
        const own = lines.filter(({ seen }) => !seen).map(({ id }) => id);
        expect(own.toSorted()).toEqual(Object.keys(plan.nodesById).toSorted());
        expect(lines[0]).toMatchObject({ id: plan.root, depth: 0, prefix: '', seen: false });
        const edges = [
          ...plan.tasks.flatMap(({ dependsOn }) => dependsOn),
          ...plan.combines.flatMap(({ inputs }) => inputs),
        ];
        expect(lines).toHaveLength(edges.length + 1);
        for (const { depth, prefix } of lines) expect(prefix).toHaveLength(depth * 3);
      }),
      RUNS,
    );
  });
});
