/** Approval rules: what is one, what is none, and which nodes each is about. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ApprovalRule, parsePolicy, parseRules } from '../../../src/protocol/index.ts';
import { executor } from '../run/make-run.ts';
import { matches, reachedRules, rulesOf, type NodeTraits } from '../../../src/workflows/approval/rules.ts';

const EFFECTS = ['read', 'idempotent', 'at-most-once'] as const;

describe('an approval policy', () => {
  test.each([
    ['required', [{}]],
    ['effects', [{ effect: 'idempotent' }]],
    [{ rules: [{ minCost: 3 }] }, [{ minCost: 3 }]],
  ])('%j is the rules %j', (policy, rules) => {
    const problems: string[] = [];
    const parsed = parsePolicy(policy, '$.approval', problems);
    expect(problems).toEqual([]);
    expect(parsed === undefined ? undefined : rulesOf(parsed)).toEqual(rules);
  });

  const long = 'x'.repeat(201);
  test.each<[string, unknown, string[]]>([
    ['none', undefined, ['$.approval: expected "required", "effects" or']],
    ['another word', 'never', ['$.approval: expected "required", "effects" or { "rules": [...] }, got "never"']],
    ['a list', [{}], ['$.approval: expected']],
    ['rules and more', { rules: [{}], mode: 1 }, ['$.approval: expected']],
    ['rules that are no list', { rules: {} }, ['$.approval: expected']],
    ['no rules', { rules: [] }, ['$.approval.rules: expected 1 to 100 rules, got 0; "effects" lets reads run unasked']],
    [
      '101 rules',
      { rules: Array.from({ length: 101 }, () => ({})) },
      ['$.approval.rules: expected 1 to 100 rules, got 101'],
    ],
    ['a rule that is none', { rules: [{}, null] }, ['$.approval.rules[1]: expected { effect?, capability?']],
    ['a list for a rule', { rules: [[]] }, ['$.approval.rules[0]: expected']],
    ['an unknown key', { rules: [{ role: 'ops' }] }, ['$.approval.rules[0]: unknown key "role". Known are']],
    ['an unknown effect', { rules: [{ effect: 'write' }] }, ['$.approval.rules[0].effect: expected "read" or']],
    ['a blank capability', { rules: [{ capability: ' ' }] }, ['$.approval.rules[0].capability: expected the name']],
    ['a long capability', { rules: [{ capability: long }] }, ['$.approval.rules[0].capability']],
    ['a cost below nothing', { rules: [{ minCost: -1 }] }, ['$.approval.rules[0].minCost: expected a number from 0']],
    ['a cost that is no number', { rules: [{ minCost: Number.NaN }] }, ['$.approval.rules[0].minCost']],
    ['a cost as text', { rules: [{ minCost: '1' }] }, ['$.approval.rules[0].minCost']],
    ['a sum below nothing', { rules: [{ minTotalCost: -1 }] }, ['$.approval.rules[0].minTotalCost: expected a number']],
    ['a sum that is no number', { rules: [{ minTotalCost: Number.NaN }] }, ['$.approval.rules[0].minTotalCost']],
    ['no roles', { rules: [{ roles: [] }] }, ['$.approval.rules[0].roles: expected a list of roles, at least one']],
    ['a role that is no list', { rules: [{ roles: 'ops' }] }, ['$.approval.rules[0].roles']],
    ['a blank role', { rules: [{ roles: ['ops', ''] }] }, ['$.approval.rules[0].roles']],
    ['a long role', { rules: [{ roles: [long] }] }, ['$.approval.rules[0].roles']],
    ['nobody', { rules: [{ count: 0 }] }, ['$.approval.rules[0].count: expected a whole number from 1 to 100']],
    ['half a person', { rules: [{ count: 1.5 }] }, ['$.approval.rules[0].count']],
    ['too many people', { rules: [{ count: 101 }] }, ['$.approval.rules[0].count']],
    ['null in a field', { rules: [{ effect: null }] }, ['$.approval.rules[0].effect']],
    [
      'everything wrong at once',
      { rules: [{}, { effect: 1, count: 0 }, { roles: [] }] },
      ['$.approval.rules[1].effect', '$.approval.rules[1].count', '$.approval.rules[2].roles'],
    ],
  ])('is refused with its path: %s', (_, policy, expected) => {
    const problems: string[] = [];
    expect(parsePolicy(policy, '$.approval', problems)).toBeUndefined();
    expect(problems).toHaveLength(expected.length);
    expected.forEach((start, at) => expect(problems[at]?.startsWith(start) ? start : problems[at]).toBe(start));
  });

  test('is read without a throw, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), fc.array(fc.anything()), (value, values) => {
        const problems: string[] = [];
        if (parsePolicy(value, '$', problems) === undefined) expect(problems.length).toBeGreaterThan(0);
        const before = problems.length;
        if (parseRules(values, '$', problems) === undefined) expect(problems.length).toBeGreaterThan(before);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});

test('a rule is about the nodes that fit all its selectors', () => {
  const strengths = { read: 0, idempotent: 1, 'at-most-once': 2 };
  const choices = <T>(...of: T[]) => [undefined, ...of];
  for (const effect of choices(...EFFECTS)) {
    for (const capability of choices('find', 'move')) {
      for (const minCost of choices(0, 1, 5)) {
        const rule = Object.fromEntries(
          Object.entries({ effect, capability, minCost }).filter(([, one]) => one !== undefined),
        ) as ApprovalRule;
        for (const claim of claims()) {
          const fits =
            (effect === undefined || strengths[claim.effect] >= strengths[effect]) &&
            (capability === undefined || claim.name === capability) &&
            (minCost === undefined || (claim.cost ?? 0) >= minCost);
          expect({ rule, claim, matches: matches(rule, claim) }).toEqual({ rule, claim, matches: fits });
        }
      }
    }
  }
});

function claims(): NodeTraits[] {
  const made: NodeTraits[] = [];
  for (const effect of EFFECTS) {
    for (const name of ['find', undefined]) {
      for (const cost of [undefined, 0, 1, 4]) {
        made.push({ effect, ...(name !== undefined && { name }), ...(cost !== undefined && { cost }) });
      }
    }
  }
  return made;
}

describe('a rule about the sum of costs', () => {
  const of = (...costs: readonly number[]) => ({
    executors: costs.map((cost) => executor('at-most-once', 'pay', cost)),
    executorOf: costs.map((_, node) => node),
  });
  const ten = of(...Array.from({ length: 10 }, () => 99));
  test.each<[what: string, rule: ApprovalRule, plan: ReturnType<typeof of>, spent: number, isReached: boolean]>([
    ['ten that are each below it', { minTotalCost: 100 }, ten, 0, true],
    ['the sum itself', { minTotalCost: 990 }, ten, 0, true],
    ['less than the sum', { minTotalCost: 991 }, ten, 0, false],
    ['what ran before in a loop', { minTotalCost: 991 }, ten, 1, true],
    ['only those that the rule selects', { minTotalCost: 100, capability: 'look' }, ten, 0, false],
    ['one executor of many nodes', { minTotalCost: 100 }, { ...of(50), executorOf: [0, 0] }, 0, true],
  ])('counts %s', (_, rule, plan, spent, isReached) => {
    expect(reachedRules([rule], plan, spent)).toEqual(isReached ? [rule] : []);
  });

  test('asks about every node with a cost, and about no other', () => {
    const costs = [0, 1, 99].map((cost) => matches({ minTotalCost: 100 }, { effect: 'read', cost }));
    expect([...costs, matches({ minTotalCost: 0 }, { effect: 'at-most-once' })]).toEqual([false, true, true, false]);
  });
});
