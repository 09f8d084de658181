import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffPlans, renderDiff } from '../../../src/plan/index.ts';
import { RUNS, planTree } from '../arbitraries.ts';
import { combine, compiled, task } from '../example-plans.ts';
import type { CompiledPlan, TaskNode } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

const A = task('A');
const B = task('B');
const C = task('C');

/** The difference in short: texts of tasks and operators in the place of ids. */
function shortDiff(before: unknown, after: unknown) {
  const [old, now] = [compiled(before), compiled(after)];
  const { added, removed, changed, moved, reused, renamed } = diffPlans(old, now);
  const word = (plan: CompiledPlan, id: string) => {
    const node = plan.nodesById[id]!;
    return node.kind === 'task' ? node.task : node.operator;
  };
  return {
    added: added.map((id) => word(now, id)),
    removed: removed.map((id) => word(old, id)),
    changed: changed.map((one) => `${word(old, one.before)} ${word(now, one.after)}${one.own ? '' : ' below'}`),
    moved: moved.map(({ after: id }) => word(now, id)),
    reused: reused.map(({ after: id }) => word(now, id)),
    renamed: renamed.map(({ after: id }) => word(now, id)),
  };
}

const NOTHING = { added: [], removed: [], changed: [], moved: [], reused: [], renamed: [] };

describe('the difference of two plans', () => {
  const either = combine('UNION', A, B);
  test.each<[string, unknown, unknown, Partial<ReturnType<typeof shortDiff>>]>([
    ['nothing', either, either, { reused: ['A', 'B', 'UNION'] }],
    ['another text', either, combine('UNION', A, C), { changed: ['B C', 'UNION UNION below'], reused: ['A'] }],
    ['another operator', either, combine('MINUS', A, B), { changed: ['UNION MINUS'], reused: ['A', 'B'] }],
    ['operands swapped', either, combine('UNION', B, A), { changed: ['UNION UNION below'], moved: ['B', 'A'] }],
    ['wrapped', either, combine('MINUS', either, C), { added: ['C', 'MINUS'], moved: ['UNION'], reused: ['A', 'B'] }],
    [
      'unwrapped',
      combine('MINUS', either, C),
      either,
      { removed: ['C', 'MINUS'], moved: ['UNION'], reused: ['A', 'B'] },
    ],
    [
      'one put between',
      task('X', { input: A }),
      task('X', { input: task('N', { input: A }) }),
      { added: ['N'], changed: ['X X below'], moved: ['A'] },
    ],
    [
      'a task for a combine',
      combine('UNION', A, C),
      combine('UNION', either, C),
      { added: ['B', 'UNION'], changed: ['UNION UNION below'], moved: ['A'], reused: ['C'] },
    ],
    [
      'another display name',
      either,
      combine('UNION', A, B, { display_name: 'Either' }),
      { reused: ['A', 'B', 'UNION'], renamed: ['UNION'] },
    ],
    [
      'a second use of a node',
      combine('UNION', A, B),
      combine('UNION', A, task('C', { input: A })),
      { changed: ['B C', 'UNION UNION below'], reused: ['A'] },
    ],
    ['all', either, task('Z'), { removed: ['A', 'B'], changed: ['UNION Z'] }],
  ])('%s', (_, before, after, expected) => {
    expect(shortDiff(before, after)).toEqual({ ...NOTHING, ...expected });
  });

  test('names the fields beside the nodes', () => {
    const [before, after] = ['One', 'Two'].map((goal) => {
      return compiledPlan({ goal, plan: A }).plan;
    }) as [CompiledPlan, CompiledPlan];
    const diff = diffPlans(before, { ...after, complexity: 'high' });
    expect(diff).toMatchObject({
      same: false,
      fields: ['goal', 'complexity'],
      reused: [{ before: 'node_1', after: 'node_1' }],
    });
    expect(renderDiff(diff, before, { ...after, complexity: 'high' })).toBe(
      '~ goal: "One" -> "Two"\n~ complexity: none -> "high"\n= 1 node as before',
    );
  });

  test('steps are one by their keys, wherever they stand', () => {
    const before = stepsPlan([
      ['genes', 'Find genes'],
      ['papers', 'Find papers'],
    ]);
    const after = stepsPlan([
      ['papers', 'Find papers'],
      ['genes', 'Find other genes'],
      ['ranks', 'Rank'],
    ]);
    expect(diffPlans(before, after)).toMatchObject({
      added: ['node_3'],
      removed: [],
      changed: [
        { before: 'node_1', after: 'node_2', own: true },
        { before: 'node_3', after: 'node_4', own: false },
      ],
      moved: [],
      reused: [{ before: 'node_2', after: 'node_1' }],
    });
  });

  test('a step in the place of another is no change of that one', () => {
    const before = stepsPlan([
      ['genes', 'Find genes'],
      ['papers', 'Find papers'],
    ]);
    const after = stepsPlan([
      ['genes', 'Find genes'],
      ['ranks', 'Rank'],
    ]);
    expect(diffPlans(before, after)).toMatchObject({
      added: ['node_2'],
      removed: ['node_2'],
      changed: [{ before: 'node_3', after: 'node_3', own: false }],
    });
  });

  test('every node of either plan is in exactly one list, both ways round', () => {
    fc.assert(
      fc.property(planTree, planTree, fc.boolean(), (one, other, nested) => {
        const before = compiled(one);
        const after = compiled(nested ? combine('UNION', other, one) : other);
        const diff = diffPlans(before, after);
        const pairs = [...diff.changed, ...diff.moved, ...diff.reused];
        expect([...diff.removed, ...pairs.map((pair) => pair.before)].toSorted()).toEqual(
          Object.keys(before.nodesById).toSorted(),
        );
        expect([...diff.added, ...pairs.map((pair) => pair.after)].toSorted()).toEqual(
          Object.keys(after.nodesById).toSorted(),
        );
        for (const pair of [...diff.moved, ...diff.reused]) {
          expect(before.nodesById[pair.before]!.key).toBe(after.nodesById[pair.after]!.key);
        }
        const back = diffPlans(after, before);
        expect([back.added.length, back.removed.length]).toEqual([diff.removed.length, diff.added.length]);
        expect(turned(back.changed)).toEqual(
          turned(diff.changed.map((pair) => ({ before: pair.after, after: pair.before }))),
        );
      }),
      RUNS,
    );
  });
});

test('the difference as text', () => {
  const before = compiled(combine('MINUS', combine('UNION', A, B), task('Old')));
  const after = compiled(
    combine('MINUS', combine('UNION', A, C, { display_name: 'x' }), combine('INTERSECT', A, task('New'))),
  );
  expect(renderDiff(diffPlans(before, after), before, after)).toBe(
    [
      '+ node_4  New',
      '~ node_2  C  task: "B" -> "C"',
      '~ node_3 UNION  x  its inputs changed',
      '~ node_5 INTERSECT (was node_4)  every record that is both in node_1 and in node_4  it was: Old',
      '~ node_6 MINUS (was node_5)  every record of node_3 that is not in node_5  its inputs changed',
      '= 1 node as before',
    ].join('\n'),
  );
});

function turned(pairs: readonly { readonly before: string; readonly after: string }[]): string[] {
  return pairs.map(({ before, after }) => `${before} ${after}`).toSorted();
}

/** A list of steps whose last one takes all the others. */
function stepsPlan(steps: readonly (readonly [string, string])[]): CompiledPlan {
  const tasks: TaskNode[] = steps.map(([contextKey, text], at) => ({
    id: `node_${at + 1}`,
    key: `${contextKey} ${text}`,
    kind: 'task',
    task: text,
    contextKey,
    dependsOn: [],
  }));
  const ids = tasks.map(({ id }) => id);
  const last: TaskNode = {
    id: `node_${ids.length + 1}`,
    key: tasks.map(({ key }) => key).join(),
    kind: 'task',
    task: 'Respond',
    capability: 'respond',
    contextKey: 'respond',
    dependsOn: ids,
  };
  const all = [...tasks, last];
  return {
    version: 1,
    goal: 'g',
    root: last.id,
    tasks: all,
    combines: [],
    nodesById: Object.fromEntries(all.map((one) => [one.id, one])),
    dependents: Object.fromEntries(all.map(({ id }) => [id, id === last.id ? [] : [last.id]])),
    digest: steps.join(),
  };
}
