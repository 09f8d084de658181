/** A compiled plan as a flat list of nodes, as a model is shown it, and the way back. */

import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan, MODEL_LIMITS, type CompiledPlan } from '../../../src/plan/index.ts';
import { writtenFormOf, writeNodes } from '../../../src/planner/index.ts';
import { planFormat } from '../../../src/planner/form/index.ts';
import { erase, writer } from '../../support/scripted-planner.ts';
import { planTree, RUNS } from '../../plan/arbitraries.ts';
import { validPlans } from '../../plan/plan-fixtures.ts';
import { compiledPlan } from '../../support/plans.ts';

/** The form of a revision of this plan, where the project has what the plan names. */
function formatFor(plan: CompiledPlan) {
  const named = (key: 'capability' | 'agent') => [...new Set(plan.tasks.flatMap((one) => one[key] ?? []))];
  const capabilities = named('capability').map((name) => ({ ...erase, name }));
  const agents = named('agent').map((name) => ({ ...writer, name }));
  return planFormat([...capabilities, erase], agents, { hasDefault: true, isRevision: true });
}

describe('a compiled plan as the model would write it', () => {
  test.each(validPlans())('is the same plan again: $name', ({ text }) => {
    const result = compiledPlan(text);
    fitsItsForm(result.plan);
    expect(again(result.plan)).toBe(result.plan.digest);
  });

  test('whatever the tree', () => {
    fc.assert(
      fc.property(planTree, (plan) => {
        const result = compiledPlan({ goal: 'a goal', plan }, { limits: MODEL_LIMITS });
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
  const document = { goal: plan.goal, ...JSON.parse(writeNodes(plan)) };
  const format = writtenFormOf(plan) === 'tree' ? 'tree' : 'auto';
  const result = compilePlan(document, { format, contextKeys: plan.external ?? [] });
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
