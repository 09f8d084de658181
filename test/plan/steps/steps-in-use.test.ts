import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addStep,
  compilePlan,
  effectOrder,
  findReferences,
  readySteps,
  referencedStep,
  stepById,
  stepsDocument,
  validateStep,
} from '../../../src/plan/index.ts';
import { RUNS } from '../arbitraries.ts';
import { exampleCatalogue } from '../example-catalogue.ts';
import { combine, compiled, task } from '../example-plans.ts';
import type { CompiledPlan, Effect } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

const plan = (...steps: readonly object[]): CompiledPlan =>
  compiledPlan({ goal: 'g', steps }, { contextKeys: ['out'] }).plan;

const step = (context_key: string | number, rest: object = {}): object => ({
  context_key: String(context_key),
  capability: 'search',
  task_objective: `Search ${context_key}`,
  ...rest,
});
const list = plan(
  step('a'),
  step(7, { inputs: ['a'] }),
  step('c', { inputs: [{ T: 'out' }], parameters: { x: 1 }, success_criteria: 's', expected_output: 'e' }),
  step('d', { capability: 'respond' }),
);
const tree = compiled(combine('UNION', task('A'), task('B', { input: task('C') })));

test('Calute: a reference is a step key, else a position, and a tree has none', () => {
  expect(['7', 'a', '1', '4', '5', '0', '01', 'x'].map((name) => referencedStep(list, name))).toEqual([
    'node_2',
    'node_1',
    'node_1',
    'node_4',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(referencedStep(tree, '1')).toBeUndefined();
});

test('Calute: references are found at any depth, with their paths', () => {
  expect(
    findReferences({
      a: ['result_from_step_1 ', { b: 'x result_from_step_k-2, result_from_step_É.' }],
      result_from_step_3: 4,
    }),
  ).toEqual([
    { step: '1', path: ['a', 0], whole: true },
    { step: 'k-2', path: ['a', 1, 'b'], whole: false },
    { step: 'É', path: ['a', 1, 'b'], whole: false },
  ]);
  expect(findReferences('result_from_step_')).toEqual([]);
});

test('Calute: get_step is by step id, or else by node id', () => {
  expect([7, '7', 'a', 'node_1', 'x', 'toString'].map((id) => stepById(list, id)?.id)).toEqual([
    'node_2',
    'node_2',
    'node_1',
    'node_1',
    undefined,
    undefined,
  ]);
  expect(stepById(tree, 'node_4')).toBeUndefined();
});

test('Calute: get_next_steps are the steps not completed whose dependencies all are, in the order of the plan', () => {
  const ready = (...completed: readonly (string | number)[]) => readySteps(list, completed).map(({ id }) => id);
  expect(ready()).toEqual(['node_1', 'node_3']);
  expect(ready('a')).toEqual(['node_2', 'node_3']);
  expect(ready('node_1', 7)).toEqual(['node_3']);
  expect(ready('a', 7, 'c')).toEqual(['node_4']);
  expect(ready('a', 7, 'c', 'd', 'x')).toEqual([]);
  expect(readySteps(tree, ['node_1', 'node_2']).map(({ id }) => id)).toEqual(['node_3']);
});

describe('the order of effects', () => {
  const effects: readonly Effect[] = [
    'read',
    'idempotent',
    'read',
    'read',
    'at-most-once',
    'read',
    'idempotent',
    'read',
  ];
  const steps = effects.map((_, index) => step(`k${index + 1}`, index === 4 ? { inputs: ['k3'] } : {}));
  const ordered = plan(...steps.slice(0, -1), { ...steps.at(-1), capability: 'respond' });
  const effectOf = ({ id }: { readonly id: string }): Effect => effects[Number(id.slice(5)) - 1]!;

  test('an effect waits for the one before it and for the reads between, less what it takes as input', () => {
    expect(effectOrder(ordered, effectOf)).toEqual({
      node_2: ['node_1'],
      node_5: ['node_2', 'node_4'],
      node_7: ['node_5', 'node_6'],
    });
  });

  test('Calute: get_next_steps holds an effect back until those before it are completed, where effects are known', () => {
    const ready = (...completed: readonly string[]) => readySteps(ordered, completed, effectOf).map(({ id }) => id);
    expect(ready()).toEqual(['node_1', 'node_3', 'node_4', 'node_6']);
    expect(ready('k1', 'k3')).toEqual(['node_2', 'node_4', 'node_6']);
    expect(ready('k1', 'k2', 'k3')).toEqual(['node_4', 'node_6']);
    expect(ready('k1', 'k2', 'k3', 'k4')).toEqual(['node_5', 'node_6']);
    // Without the effects, every step only reads.
    expect(readySteps(ordered, []).map(({ id }) => id)).toEqual([
      ...['node_1', 'node_2', 'node_3', 'node_4', 'node_6', 'node_7'],
    ]);
  });

  test('Calute: whatever get_next_steps gives first, every step comes once, after those that go before it', () => {
    const effect = fc.constantFrom<Effect>('read', 'idempotent', 'at-most-once');
    fc.assert(
      fc.property(fc.array(effect, { minLength: 8, maxLength: 8 }), fc.nat(), (drawn, seed) => {
        const drawnEffect = ({ id }: { readonly id: string }): Effect => drawn[Number(id.slice(5)) - 1]!;
        const after = effectOrder(ordered, drawnEffect);
        const completed: string[] = [];
        for (let turn = seed; completed.length < 8; turn = Math.floor(turn / 2)) {
          const ready = readySteps(ordered, completed, drawnEffect);
          const { id, dependsOn } = ready[turn % ready.length]!;
          expect(completed).toEqual(expect.arrayContaining([...dependsOn, ...(after[id] ?? [])]));
          completed.push(id);
        }
        expect(new Set(completed).size).toBe(8);
        const performed = completed.filter((id) => drawnEffect({ id }) !== 'read');
        expect(performed).toEqual(performed.toSorted());
      }),
      RUNS,
    );
  });

  test('reads have no order, nor has a tree', () => {
    expect(effectOrder(ordered, () => 'read')).toEqual({});
    expect(effectOrder(tree, () => 'at-most-once')).toEqual({});
  });

  test('effects alone are a chain', () => {
    expect(effectOrder(plan(step('a'), step('b'), step('c', { capability: 'respond' })), () => 'idempotent')).toEqual({
      node_2: ['node_1'],
    });
  });
});

describe('a list of steps as a document again', () => {
  test('compiles to the same plan', () => {
    const again = compilePlan(JSON.stringify(stepsDocument(list)), { contextKeys: list.external ?? [] });
    expect(again).toEqual({ ok: true, plan: list, warnings: [] });
    expect(stepsDocument(tree)).toBeUndefined();
  });

  test('Calute: add_step puts a step before the answer, or becomes the answer', () => {
    const longer = addStep(list, step('n', { inputs: ['c', 'out'] }));
    expect(longer.ok && longer.plan.tasks.map(({ contextKey }) => contextKey)).toEqual(['a', '7', 'c', 'n', 'd']);
    expect(longer.ok && longer.plan.tasks[3]).toMatchObject({ dependsOn: ['node_3'], externalInputs: ['out'] });
    const answered = addStep(list, step('n', { capability: 'Clarify' }));
    expect(answered.ok && answered.plan.tasks.at(-1)).toMatchObject({
      contextKey: 'n',
      dependsOn: ['node_1', 'node_2', 'node_3', 'node_4'],
    });
    expect(addStep(list, step('a'))).toMatchObject({ ok: false, issues: [{ code: 'duplicate-step-key' }] });
    expect(addStep(list, 5)).toMatchObject({ ok: false, issues: [{ code: 'not-a-step' }] });
    expect(addStep(tree, step('a'))).toMatchObject({ ok: false, issues: [{ code: 'unknown-format' }] });
  });
});

describe('Osprey: validate_single_step', () => {
  const catalogue = exampleCatalogue({ capabilities: ['search', 'respond'], agents: ['Writer'] });

  test('that fits says what it takes and what carries it out', () => {
    const available = { steps: ['a', 'b'], external: ['out'] };
    expect(
      validateStep(
        step('n', { inputs: [{ T: 'b' }, 'out'], parameters: { q: 'result_from_step_1' } }),
        available,
        catalogue,
      ),
    ).toEqual({
      ok: true,
      step: {
        contextKey: 'n',
        task: 'Search n',
        capability: 'search',
        arguments: { q: 'result_from_step_1' },
        externalInputs: ['out'],
        inputTypes: { b: 'T' },
        inputs: ['a', 'b'],
      },
      executor: { kind: 'capability', name: 'search', version: '1', effect: 'read' },
      warnings: [],
    });
    expect(validateStep(step('n', { capability: 'RESPOND' }), available, catalogue)).toMatchObject({
      ok: true,
      step: { capability: 'respond', inputs: ['a', 'b'] },
    });
  });

  test('that does not fit has all of its problems told', () => {
    const result = validateStep(step('a', { capability: 'serach', inputs: ['z'] }), { steps: ['a'] }, catalogue);
    expect(result.ok ? [] : result.issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'duplicate-step-key $',
      'unknown-reference $.inputs[0]',
      'unknown-capability $.capability',
    ]);
    expect(validateStep(null, { steps: [] })).toMatchObject({ ok: false, issues: [{ code: 'not-a-step' }] });
  });

  test('without a catalogue its names are not checked', () => {
    expect(validateStep(step('n', { capability: 'anything' }), { steps: [] })).toMatchObject({ ok: true });
  });
});
