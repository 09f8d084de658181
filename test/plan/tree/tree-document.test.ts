/** A compiled plan written as a document again is the same plan. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planDocument, type CompiledPlan } from '../../../src/plan/index.ts';
import { planTree, RUNS } from '../arbitraries.ts';
import { compiledPlan } from '../../support/plans.ts';

function compiled(document: unknown): CompiledPlan {
  return compiledPlan(document, { limits: { nodes: 100_000 } }).plan;
}

test('every tree has the digest that it had', () => {
  fc.assert(
    fc.property(planTree, (plan) => {
      const before = compiled({ goal: 'Count', plan });
      expect(compiled(JSON.stringify(planDocument(before))).digest).toBe(before.digest);
    }),
    RUNS,
  );
});

test('a list of steps stays one', () => {
  const before = compiled({ goal: 'Count', steps: [{ context_key: 'a', capability: 'x', task_objective: 'Find' }] });
  const document = planDocument(before);
  expect(document).toHaveProperty('steps');
  expect(compiled(document).digest).toBe(before.digest);
});

test.each([
  ['11 levels of a node taken twice are written', 11, true],
  ['12 would be more than 10,000 nodes', 12, false],
])('%s', (_name, levels, isWritten) => {
  // Each level is another node, of the level below it twice.
  let plan: object = { task: 'A' };
  for (let level = 0; level < levels; level += 1)
    plan = { operator: 'UNION', left: { task: `T${level}`, input: plan }, right: plan };
  expect(planDocument(compiled({ goal: 'Twice', plan })) !== undefined).toBe(isWritten);
});
