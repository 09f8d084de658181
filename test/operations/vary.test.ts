/** Which values a grant may let vary: only arguments, never what a model reads, and never by a schema that restricts nothing. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineAgent } from '../../src/capabilities/index.ts';
import { varyProblems } from '../../src/operations/grants/vary.ts';
import { ids, tool } from '../support/capabilities.ts';
import { shapedPlan } from '../support/grants.ts';

const pay = tool('pay', 'at-most-once', 'value', z.looseObject({}), () => 1);
const helper = defineAgent({ name: 'helper', description: 'Helps.', instructions: 'Help.', capabilities: [pay] });
const registry = createRegistry([pay, ids], { agents: [helper] });
const steps = shapedPlan(
  {
    goal: 'Pay',
    steps: [
      {
        context_key: 'first',
        capability: 'pay',
        task_objective: 'Pay',
        parameters: { amount: 5, to: 'shop', list: [1], 'a/b': 2 },
      },
      {
        context_key: 'second',
        capability: 'pay',
        task_objective: 'Pay',
        parameters: { amount: 'result_from_step_first' },
      },
      { context_key: 'third', agent: 'helper', action: 'help', task_objective: 'Help', parameters: { amount: 5 } },
      { context_key: 'last', capability: 'respond', task_objective: 'Answer', inputs: ['first'] },
    ],
  },
  registry,
);
const tree = shapedPlan(
  {
    goal: 'Pay',
    plan: {
      operator: 'UNION',
      left: { task: 'a', capability: 'ids', arguments: { ids: ['a'] } },
      right: { task: 'b', capability: 'ids', arguments: { ids: ['b'] } },
    },
  },
  registry,
);
const NUMBER = { type: 'number', minimum: 0, maximum: 500 };

test.each<[string, unknown]>([
  ['node_1/arguments/amount', NUMBER],
  ['node_1/arguments/to', { enum: ['shop', 'bakery'] }],
  ['node_1/arguments/to', { type: 'string', maxLength: 20, pattern: '^[a-z]+$' }],
  ['node_1/arguments/list/0', NUMBER],
  ['node_1/arguments/list', { type: 'array', items: NUMBER, maxItems: 3 }],
  ['node_1/arguments/list', { type: 'array', prefixItems: [NUMBER], minItems: 1, items: false, maxItems: 1 }],
  ['node_1/arguments/amount', { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 500 }],
  ['node_1/arguments/amount', { type: ['integer', 'null'], enum: [4, 5] }],
  ['node_1/arguments/amount', { type: 'number', const: 5 }],
  ['node_1/arguments/a~1b', NUMBER],
])('%s may vary by %j', (path, schema) => {
  expect(varyProblems({ [path]: schema }, steps)).toEqual([]);
});

const OBJECT = { type: 'object', additionalProperties: false };
const LIST = { type: 'array', maxItems: 3 };
/** Each restricts nothing, or something in it does not. */
const OPEN: readonly [unknown, RegExp][] = [
  ...['anyOf', 'oneOf', 'allOf'].map((sum): [unknown, RegExp] => [{ [sum]: [NUMBER, {}] }, /restricts the value/]),
  [{ anyOf: [NUMBER, true] }, /restricts the value.*got boolean true/],
  [{ anyOf: [{ allOf: [{ description: 'any' }] }] }, /restricts the value/],
  [{ ...OBJECT, properties: { a: {} } }, /restricts the value/],
  [{ ...OBJECT, properties: { a: { anyOf: [{}] } } }, /restricts the value/],
  [{ ...OBJECT, properties: { a: true } }, /restricts the value/],
  [{ ...OBJECT, properties: { a: { type: 'string' } } }, /needs "maxLength"/],
  [{ ...OBJECT, patternProperties: { '': NUMBER } }, /"patternProperties" cannot be used/],
  [LIST, /needs "maxItems" and "items"/],
  [{ ...LIST, items: {} }, /restricts the value/],
  [{ ...LIST, items: true }, /restricts the value/],
  [{ ...LIST, prefixItems: [{}], minItems: 1, items: false, maxItems: 1 }, /restricts the value/],
  ...[{ $ref: '#/$defs/a', $defs: { a: NUMBER } }, { anyOf: [NUMBER, { $ref: '#' }] }].map(
    (schema): [unknown, RegExp] => [schema, /"\$ref" cannot be used/],
  ),
  ...[
    { type: 'number' },
    { type: ['null', 'integer'] },
    { type: 'number', minimum: 0 },
    { type: 'integer', exclusiveMaximum: 9, multipleOf: 5 },
    { ...LIST, items: { type: 'number', maximum: 9 } },
    { anyOf: [{ type: 'integer' }, NUMBER] },
  ].map((schema): [unknown, RegExp] => [schema, /needs "minimum" and "maximum"/]),
  [{ not: { type: 'null' } }, /"not" cannot be used/],
  [{ if: NUMBER, else: NUMBER }, /cannot be used/],
  [{ type: 'number', maxmum: 500 }, /its schema cannot be used: unknown keyword/],
];

test.each<[string, unknown, RegExp, typeof steps?]>([
  ['', NUMBER, /the plan has no node ""/],
  ['plan', NUMBER, /the plan has no node "plan"/],
  ['node_9/arguments/amount', NUMBER, /the plan has no node "node_9"/],
  ['__proto__/arguments/amount', NUMBER, /the plan has no node/],
  ['node_1', NUMBER, /a whole node/],
  ['node_1/arguments', NUMBER, /all of its arguments/],
  ['node_1/arguments/none', NUMBER, /no such argument/],
  ['node_1/arguments/list/length', NUMBER, /no such argument/],
  ['node_1/arguments/amount/__proto__', NUMBER, /no such argument/],
  ['node_1/capability', NUMBER, /what carries a node out/],
  ['node_3/agent', NUMBER, /what carries a node out/],
  ['node_3/operator', NUMBER, /a set operator never varies/, tree],
  ['node_4/dependsOn', NUMBER, /takes from others/],
  ['node_1/task', NUMBER, /reads this text as an instruction/],
  ['node_1/hint', NUMBER, /reads this text as an instruction/],
  ['node_3/arguments/amount', NUMBER, /reads the arguments of helper as instructions/],
  ['node_2/arguments/amount', { type: 'string', maxLength: 50 }, /the result of another step/],
  ['node_1/arguments/amount', {}, /restricts the value/],
  ['node_1/arguments/amount', true, /restricts the value/],
  ['node_1/arguments/amount', { description: 'any' }, /restricts the value/],
  ['node_1/arguments/amount', { ...NUMBER, maximum: 4 }, /own value does not fit/],
  ['node_1/arguments/amount', { type: 'nummer' }, /cannot be used/],
  ['node_1/arguments/to', { type: 'string' }, /needs "maxLength"/],
  ['node_1/arguments/to', { type: ['string', 'null'] }, /needs "maxLength"/],
  ['node_1/arguments/to', { type: 'string', maxLength: 5000 }, /needs "maxLength"/],
  ['node_1/arguments/list', { type: 'array', maxItems: 3, items: { type: 'string' } }, /needs "maxLength"/],
  ['node_1/arguments/list', { type: 'array', items: NUMBER }, /needs "maxItems"/],
  ['node_1/arguments/to', { anyOf: [{ type: 'object' }, { type: 'string', maxLength: 9 }] }, /"additionalProperties"/],
  ...OPEN.map(([schema, reason]): [string, unknown, RegExp] => ['node_1/arguments/amount', schema, reason]),
  ...['^(a+)+$', '^(a|a)*$', '^(a{2}){3}$', String.raw`^(a)\1$`].map((pattern): [string, unknown, RegExp] => [
    'node_1/arguments/to',
    { type: 'string', maxLength: 99, pattern },
    /can take very long/,
  ]),
])('%s by %j is rejected, with the reason', (path, schema, reason, of = steps) => {
  const [problem = ''] = varyProblems({ [path]: schema }, of);
  expect(problem).toMatch(reason);
  expect(problem.startsWith(`${path}: `)).toBe(true);
});

test('of two places of which one contains the other, the outer one is rejected', () => {
  const vary = {
    'node_1/arguments/list': { type: 'array', items: NUMBER, maxItems: 2 },
    'node_1/arguments/list/0': NUMBER,
  };
  expect(varyProblems(vary, steps)).toEqual([expect.stringMatching('contains node_1/arguments/list/0')]);
});

/** Each puts a schema where a value, or a part of it, has to fit it. */
const AROUND: readonly ((inner: unknown) => unknown)[] = [
  ...['anyOf', 'oneOf', 'allOf'].map((sum) => (inner: unknown) => ({ [sum]: [NUMBER, inner] })),
  (inner) => ({ ...OBJECT, properties: { other: NUMBER, a: inner } }),
  (inner) => ({ ...LIST, items: inner }),
  (inner) => ({ ...LIST, minItems: 2, prefixItems: [NUMBER, inner], items: NUMBER }),
];
const open = fc.constantFrom<unknown>(
  ...[{}, true, { description: 'any' }, { type: 'string' }, { type: 'array', maxItems: 2 }, { type: 'object' }],
  { type: 'integer', minimum: 1 },
);

test('however deep in a schema one restricts nothing, the whole is rejected, and else it is not', () => {
  const problemOf = (around: readonly (typeof AROUND)[number][], innermost: unknown) => {
    const schema = around.reduce((inner, wrap) => wrap(inner), innermost);
    return varyProblems({ 'node_1/arguments/amount': schema }, steps).join();
  };
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...AROUND), { minLength: 1, maxLength: 6 }), open, (around, hole) => {
      expect(problemOf(around, NUMBER)).toMatch(/^$|own value does not fit/);
      expect(problemOf(around, hole)).toMatch(/restricts the value|that varies needs/);
    }),
    { numRuns: 100 },
  );
});
