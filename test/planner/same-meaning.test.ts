/** Two plans that mean the same are told to, however they are written; two that do not are told apart. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameMeaning } from '../../src/planner/same-meaning.ts';
import { compiledPlan } from '../support/plans.ts';

type Tree = { readonly task: string } | { readonly operator: string; readonly left: Tree; readonly right: Tree };

const A = { task: 'a' };
const B = { task: 'b' };
const C = { task: 'c' };
const op = (operator: string, left: object, right: object, more: object = {}) => ({ operator, left, right, ...more });
const near = (upstream: number, more: object = {}) => op('COLOCATE', A, B, { colocate: { upstream, ...more } });

const planOf = (plan: object) => compiledPlan({ goal: 'Compare', plan }).plan;
const differs = (one: object, other: object, seed = 1) => sameMeaning(planOf(one), planOf(other), seed) !== undefined;

test.each<[object, object]>([
  [op('MINUS', A, B), op('RMINUS', B, A)],
  [op('UNION', op('UNION', A, B), C), op('UNION', A, op('UNION', B, C))],
  [op('MINUS', A, op('UNION', B, C)), op('MINUS', op('MINUS', A, B), C)],
  [op('INTERSECT', A, op('UNION', B, C)), op('UNION', op('INTERSECT', A, B), op('INTERSECT', A, C))],
  [{ ...A, display_name: 'Genes' }, A],
  [
    { task: 'Read it', capability: 'read', input: op('UNION', A, B) },
    { task: 'Take it', capability: 'read', input: op('UNION', B, A) },
  ],
])('the same %j and %j', (one, other) => {
  expect(differs(one, other)).toBe(false);
});

test.each<[object, object]>([
  [op('UNION', A, B), op('INTERSECT', A, B)],
  [
    { task: 'a', capability: 'read', arguments: { of: 'x' } },
    { task: 'a', capability: 'read', arguments: { of: 'y' } },
  ],
  [
    { task: 'Read', capability: 'read', input: A },
    { task: 'Read', capability: 'read', input: B },
  ],
  [near(1000), near(999)],
  [near(1000), op('COLOCATE', A, B, { colocate: { downstream: 1000 } })],
  [near(1000, { strand: 'same' }), near(1000)],
  [near(1000, { invert: true }), near(1000)],
])('not the same %j and %j', (one, other) => {
  expect(differs(one, other)).toBe(true);
});

const leaf = fc.constantFrom('a', 'b', 'c', 'd').map((task): Tree => ({ task }));
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({
      operator: fc.constantFrom('UNION', 'INTERSECT', 'MINUS', 'RMINUS'),
      left: tie('tree'),
      right: tie('tree'),
    }),
  ),
}));

/** The same with the sides of every operator changed, and its name where the order of its sides counts. */
function turned(one: Tree): Tree {
  if ('task' in one) return one;
  const names: Readonly<Record<string, string>> = { MINUS: 'RMINUS', RMINUS: 'MINUS' };
  return { operator: names[one.operator] ?? one.operator, left: turned(one.right), right: turned(one.left) };
}

test('a tree means the same as itself with all sides turned', () => {
  fc.assert(
    fc.property(tree, fc.nat(), (one, seed) => !differs(one, turned(one), seed)),
    { numRuns: 60 },
  );
});

test('a MINUS of two tasks never means what it means with its sides swapped', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => differs(op('MINUS', A, B), op('MINUS', B, A), seed)),
    { numRuns: 60 },
  );
});
