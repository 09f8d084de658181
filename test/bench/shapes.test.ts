/** The shapes of the bench are what their names say, and their documents compile to as many nodes. */

import { describe, expect, test } from 'vitest';
import { chain, chains, documentOf, naps, tree, type Shape } from '../../bench/shapes.ts';
import { compilePlan } from '../../src/plan/index.ts';

const count = ({ inputs }: Shape, fits: (needed: readonly number[]) => boolean) => inputs.filter(fits).length;

describe.each([
  [tree(1), 1, 1, 0],
  [tree(7), 7, 4, 0],
  [tree(1001), 1001, 501, 0],
  [chain(63), 63, 1, 0],
  [chains(16, 16, 20), 271, 16, 320],
])('$name', (shape, nodes, leaves, criticalPath) => {
  test('has its nodes, leaves and critical path', () => {
    expect(shape.inputs).toHaveLength(nodes);
    expect(shape.naps).toHaveLength(nodes);
    expect(count(shape, (needed) => needed.length === 0)).toBe(leaves);
    expect(shape.criticalPath).toBe(criticalPath);
  });
  test('is one plan of as many nodes', () => {
    const compiled = compilePlan(documentOf(shape));
    expect(compiled.ok && compiled.plan.tasks.length + compiled.plan.combines.length).toBe(nodes);
  });
});

test.each([tree(1001), chain(63), chains(3, 2, 1), naps(64, 1)])(
  '$name: inputs come first, and each is used once',
  (shape) => {
    shape.inputs.forEach((needed, node) => expect(needed.every((input) => input < node)).toBe(true));
    const used = shape.inputs.flat();
    expect(new Set(used).size).toBe(used.length);
    expect(used).toHaveLength(shape.inputs.length - 1);
  },
);

test('the chains nap in every node but their joins', () => {
  const shape = chains(3, 2, 5);
  expect(shape.naps).toEqual([5, 5, 5, 5, 5, 5, 0, 0]);
  expect(shape.inputs).toEqual([[], [0], [], [2], [], [4], [1, 3], [5, 6]]);
});

test('the same seed makes the same naps', () => {
  expect(naps(32, 7)).toEqual(naps(32, 7));
  expect(naps(32, 7)).not.toEqual(naps(32, 8));
});
