/** Values from outside the plan are part of what its digest names. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compilePlan,
  contextRefs,
  contextText,
  decodePlan,
  diffPlans,
  encodePlan,
  renderDiff,
  stepsDocument,
  withoutContext,
  type CompileOptions,
} from '../../../src/plan/index.ts';
import { refOfBytes, decodeResult } from '../../../src/store/index.ts';
import { RUNS } from '../arbitraries.ts';
import { compiledPlan } from '../../support/plans.ts';

type Step = Readonly<Record<string, unknown>> & { readonly context_key: string };
const step = (key: string, inputs: readonly string[] = [], more: object = {}): Step => ({
  context_key: key,
  capability: 'pay',
  task_objective: `Do ${key}`,
  inputs,
  ...more,
});
const document = { goal: 'Pay', steps: [step('one', ['account']), step('two'), step('three', ['one'])] };

const compiled = (of: unknown, options: CompileOptions = {}) => compiledPlan(of, options);

/** JSON that comes back as it was, so that two values are the same where their texts are. */
const value = fc.jsonValue({ maxDepth: 3 }).map((one): unknown => JSON.parse(JSON.stringify(one)));

test('the reference is the one under which a result store keeps the value', () => {
  const { plan } = compiled(document, { context: { account: { b: [1, null], a: 'é' } } });
  const bytes = Buffer.from(contextText({ a: 'é', b: [1, null] }));
  expect(contextRefs(plan)).toEqual({ account: refOfBytes(bytes) });
  expect(decodeResult(bytes)).toEqual({ ok: true, result: { kind: 'value', value: { a: 'é', b: [1, null] } } });
});

test('another value is another plan, in the nodes that read it and those above; the same value is the same', () => {
  fc.assert(
    fc.property(value, value, (left, right) => {
      const [one, other] = [left, right].map((account) => compiled(document, { context: { account } }).plan);
      const isSame = contextText(left) === contextText(right);
      expect(one!.digest === other!.digest).toBe(isSame);
      expect(one!.tasks.map(({ key }, at) => key === other!.tasks[at]!.key)).toEqual([isSame, true, isSame, isSame]);
    }),
    RUNS,
  );
});

/** Whatever of a list can be changed, one thing at a time. */
const CHANGES: Readonly<Record<string, (steps: readonly Step[]) => object>> = {
  goal: (steps) => ({ goal: 'Pay twice', steps }),
  task: ([first, ...rest]) => ({ goal: 'Pay', steps: [{ ...first, task_objective: 'Do it' }, ...rest] }),
  arguments: ([first, ...rest]) => ({ goal: 'Pay', steps: [{ ...first, parameters: { amount: 7.5 } }, ...rest] }),
  action: ([first, ...rest]) => ({ goal: 'Pay', steps: [{ ...first, action: 'act' }, ...rest] }),
  capability: ([first, ...rest]) => ({ goal: 'Pay', steps: [{ ...first, capability: 'look' }, ...rest] }),
  output: ([first, ...rest]) => ({ goal: 'Pay', steps: [{ ...first, expected_output: 'X' }, ...rest] }),
  criteria: ([first, ...rest]) => ({ goal: 'Pay', steps: [{ ...first, success_criteria: 'X' }, ...rest] }),
  key: ([first, ...rest]) => ({ goal: 'Pay', steps: [{ ...first, context_key: 'other' }, ...rest] }),
  inputs: ([first, ...rest]) => ({ goal: 'Pay', steps: [{ ...first, inputs: ['account', 'second'] }, ...rest] }),
};

test('whatever of a plan is changed among what a task is given, the digest changes', () => {
  const names = fc.constantFrom(...Object.keys(CHANGES));
  const amounts = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(amounts, names, value, value, (list, name, account, second) => {
      const steps = list.map((amount, at) =>
        step(`step ${at}`, at === 0 ? ['account'] : [], { parameters: { amount } }),
      );
      const options = { context: { account, second } };
      const before = compiled({ goal: 'Pay', steps }, options).plan;
      const after = compiled(CHANGES[name]!(steps), options).plan;
      expect(after.digest).not.toBe(before.digest);
    }),
    RUNS,
  );
});

test('a plan with values is stored, read and written as a document again', () => {
  const { plan } = compiled(document, { context: { account: 'shop' } });
  expect(decodePlan(encodePlan(plan))).toEqual({ ok: true, plan });
  const again = compiled(stepsDocument(plan), { contextRefs: contextRefs(plan) });
  expect(again.plan.digest).toBe(plan.digest);
});

test('without its values it is the plan that is compiled without any', () => {
  const bare = compiled(document, { contextKeys: ['account'] }).plan;
  const bound = compiled(document, { context: { account: 'shop' } }).plan;
  expect(bound.digest).not.toBe(bare.digest);
  expect(withoutContext(bound)).toEqual(bare);
  const diff = diffPlans(bare, bound);
  expect(diff).toMatchObject({ same: true, withoutContext: true, changed: [] });
  expect(renderDiff(diff, bare, bound)).toContain('compared without values of external context');
  const other = compiled(document, { context: { account: 'stranger' } }).plan;
  expect(diffPlans(bound, other)).toMatchObject({ same: false });
  expect(diffPlans(bound, other)).not.toHaveProperty('withoutContext');
});

describe('odd context', () => {
  test('a name that no task reads is not bound, and is told', () => {
    const known = compiled(document, { context: { account: 'shop' } });
    const { plan, warnings } = compiled(document, { context: { account: 'shop', colour: 'red' } });
    expect(plan.digest).toBe(known.plan.digest);
    expect(warnings.map(({ code }) => code)).toContain('unread-context');
    expect(known.warnings.map(({ code }) => code)).not.toContain('unread-context');
  });

  test('a thousand names are bound, each to its own value, and names with a meaning in JavaScript too', () => {
    const names = [...Array.from({ length: 999 }, (_, at) => `n${at}`), '__proto__'];
    const steps = { goal: 'Pay', steps: [step('one', names)] };
    const context = Object.fromEntries(names.map((name, at) => [name, at]));
    const { plan } = compiled(steps, { context });
    expect(Object.keys(contextRefs(plan))).toHaveLength(1000);
    const other = compiled(steps, { context: Object.fromEntries([...Object.entries(context), ['__proto__', 'x']]) });
    expect(other.plan.digest).not.toBe(plan.digest);
  });

  test('ten megabytes are bound', () => {
    const text = 'x'.repeat(10_000_000);
    const of = (account: string) => compiled(document, { context: { account } }).plan.digest;
    expect(of(`${text}a`)).not.toBe(of(`${text}b`));
  });

  test.each([
    ['no JSON', Number.NaN],
    ['half a character', '\ud800'],
    ['a function', () => 1],
  ])('%s is an issue', (_, account) => {
    const result = compilePlan(document, { context: { account } });
    expect(!result.ok && result.issues.find(({ severity }) => severity === 'error')).toMatchObject({
      code: 'invalid-context',
    });
  });
});
