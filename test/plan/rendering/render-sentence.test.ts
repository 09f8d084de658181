import { describe, expect, test } from 'vitest';
import { nodeSentence, planSentence } from '../../../src/plan/index.ts';
import { combine, compiled, task } from '../example-plans.ts';
import type { Colocate, CombineNode, CompiledPlan, PlanNode, TaskNode } from '../../../src/plan/index.ts';

const A = task('A');
const B = task('B');
const sentenceOf = (root: unknown): string => planSentence(compiled(root));

describe('the sentence of a plan', () => {
  test.each([
    [A, 'It gives the result of "A".'],
    [combine('UNION', A, B), 'It gives every record that is in "A" or in "B".'],
    [combine('MINUS', A, A), 'It gives every record of "A" that is not in "A".'],
    [task('Rank', { agent: 'Analyst', input: A }), 'It gives the result of "Rank" by the agent "Analyst", given "A".'],
    [
      combine('MINUS', combine('UNION', A, B), task('C')),
      'It gives every record of A that is not in "C", where A is every record that is in "A" or in "B".',
    ],
    [
      combine('RMINUS', combine('UNION', A, B, { display_name: 'Either' }), combine('INTERSECT', A, B)),
      'It gives every record of A that is not in B, where A is every record that is both in "A" and in "B"; and B ("Either") is every record that is in "A" or in "B".',
    ],
    [
      combine('COLOCATE', task('C', { input: A }), combine('UNION', A, B), { output: 'right' }),
      'It gives each record of A that overlaps a record of B on either strand, where A is every record that is in "A" or in "B"; and B is the result of "C", given "A".',
    ],
  ])('%j', (root, sentence) => {
    expect(sentenceOf(root)).toBe(sentence);
  });

  test('a node that is used twice is explained once', () => {
    const shared = combine('UNION', A, B);
    expect(sentenceOf(combine('MINUS', task('C', { input: shared }), task('D', { input: shared })))).toBe(
      'It gives every record of A that is not in B, where A is the result of "C", given C; B is the result of "D", given C; and C is every record that is in "A" or in "B".',
    );
  });
});

describe('the sentence of a node', () => {
  test('a step says what it takes, as what, and what is expected of it', () => {
    const genes = step('node_1', {
      task: 'Find genes',
      contextKey: 'genes',
      expectedOutput: 'a list',
      successCriteria: 'at least one',
    });
    const rank = step('node_2', {
      task: 'Rank them',
      action: 'rank',
      description: 'Rank them',
      agent: 'Analyst',
      dependsOn: ['node_1'],
      externalInputs: ['budget'],
      inputTypes: { genes: 'GENES', budget: 'NUMBER' },
    });
    const plan = planOf([genes, rank]);
    expect(nodeSentence(genes, plan)).toBe(
      'Carry out "Find genes", to give "a list", which succeeds when "at least one", with the result kept as "genes".',
    );
    expect(nodeSentence(rank, plan)).toBe(
      'Carry out "Rank them" by the agent "Analyst", given the result of node_1 (genes) as GENES and "budget" of the context of the run as NUMBER, by the action "rank".',
    );
  });

  test.each<[Partial<Colocate>, string]>([
    [
      { left: 'exact', right: 'exact' },
      'Keep each record of node_1 that overlaps a record of node_2 on either strand.',
    ],
    [
      { left: { upstream: 1000 }, right: 'exact' },
      'Keep each record of node_1 whose region, over the 1,000 bases upstream of its start along its own strand, overlaps a record of node_2 on either strand.',
    ],
    [
      { left: 'exact', right: { downstream: 1 }, operation: 'within', strand: 'same' },
      'Keep each record of node_1 that lies within the region of a record of node_2 on the same strand, the region going over the 1 base downstream of its end along the strand of the record of node_2.',
    ],
    [
      {
        left: {
          begin: { anchor: 'stop', direction: 'upstream', offset: 5 },
          end: { anchor: 'stop', direction: 'downstream', offset: 0 },
        },
        right: { upstream: 0 },
        output: 'right',
        operation: 'contains',
      },
      'Keep each record of node_2 whose region, over no base upstream of its start along its own strand, lies within the region of a record of node_1 on either strand, the region going from 5 bases upstream of its end to its end along the strand of the record of node_1.',
    ],
  ])('COLOCATE of the regions %j', (regions, sentence) => {
    const node: CombineNode = {
      id: 'node_3',
      key: 'k',
      kind: 'combine',
      operator: 'COLOCATE',
      inputs: ['node_1', 'node_2'],
      dependsOn: ['node_1', 'node_2'],
      displayName: 'Colocation of node_1 and node_2',
      colocate: { upstream: 0, downstream: 0, strand: 'both', operation: 'overlap', output: 'left', ...regions },
    };
    expect(nodeSentence(node, planOf([node]))).toBe(sentence);
  });
});

function step(id: string, over: Partial<TaskNode>): TaskNode {
  return { id, key: id, kind: 'task', task: id, dependsOn: [], ...over };
}

function planOf(nodes: readonly PlanNode[]): Pick<CompiledPlan, 'root' | 'nodesById'> {
  return { root: nodes.at(-1)!.id, nodesById: Object.fromEntries(nodes.map((node) => [node.id, node])) };
}
