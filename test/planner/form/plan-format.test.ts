/** The schema that a model writes a plan by, and the example that it is shown, for the capabilities of a project. */

import { Ajv } from 'ajv';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { planExample, planFormat } from '../../../src/planner/form/index.ts';
import { argumentSchema } from '../../../src/planner/form/plan-example.ts';
import { rank, researcher, search } from '../../support/scripted-planner.ts';
import type { Capability } from '../../../src/capabilities/index.ts';

const square = { ...rank, name: 'square', output: 'value', input: z.object({ of: z.number() }) } as Capability;
const all = { hasDefault: false, asks: true };
const fits = (capabilities: readonly Capability[], nodes: readonly unknown[], options = all) =>
  new Ajv().compile(planFormat(capabilities, [researcher], options).schema)({ nodes, explanation: 'x' });

const found = { id: 'a', capability: 'search', arguments: { text: 'x' }, task: 'Find' };

describe('the schema', () => {
  test.each<[name: string, nodes: readonly unknown[], fit: boolean]>([
    ['a task with its arguments', [found], true],
    ['what else a task may have', [{ ...found, inputs: ['b'], hint: 'h' }], true],
    ['an agent', [{ id: 'a', agent: 'researcher', task: 'Find' }], true],
    ['two sets', [found, { id: 'c', operator: 'MINUS', inputs: ['a', 'a'] }], true],
    ['a question in the place of a plan', [{ question: 'Which?', suggestions: ['a'] }], true],
    ['no nodes', [], false],
    ['arguments of another capability', [{ ...found, arguments: { of: 2 } }], false],
    ['arguments left out', [{ id: 'a', capability: 'search', task: 'Find' }], false],
    ['a capability that there is not', [{ ...found, capability: 'find' }], false],
    ['an agent that there is not', [{ id: 'a', agent: 'writer', task: 'Find' }], false],
    ['a task that nothing carries out', [{ id: 'a', task: 'Find' }], false],
    ['an operator that there is not', [{ id: 'c', operator: 'XOR', inputs: ['a', 'a'] }], false],
    ['an approval', [{ ...found, approved: true }], false],
  ])('%s: fits %s', (_name, nodes, fit) => {
    expect(fits([search, square], nodes)).toBe(fit);
  });

  test('a task without an executor fits where the project has a default', () => {
    expect(fits([search], [{ id: 'a', task: 'Find' }], { ...all, hasDefault: true })).toBe(true);
  });
});

test.each<[name: string, input: z.ZodType, schema: object]>([
  [
    'members that may be left out',
    z.object({ a: z.string(), b: z.number().default(2) }),
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    },
  ],
  [
    'a pattern, which ends a call of llama.cpp, is left to the compiler',
    z.object({ mail: z.email() }),
    { type: 'object', properties: { mail: { type: 'string' } }, required: ['mail'], additionalProperties: false },
  ],
  [
    'whole numbers',
    z.object({ n: z.int().min(2) }),
    {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 2 } },
      required: ['n'],
      additionalProperties: false,
    },
  ],
  ['any names', z.record(z.string(), z.number()), { type: 'object', additionalProperties: { type: 'number' } }],
  ['no object', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), { type: 'object' }],
  ['no schema', z.custom(), { type: 'object' }],
])('the schema of arguments: %s', (_name, input, schema) => expect(argumentSchema(input)).toEqual(schema));

test('a schema of arguments that names itself is open where it does', () => {
  const tree = z.object({
    name: z.string(),
    get parts() {
      return z.array(tree);
    },
  });
  expect(argumentSchema(tree)).toMatchObject({ properties: { parts: { items: {} } } });
});

describe('the example', () => {
  const nodesOf = (capabilities: readonly Capability[], agents = [researcher]) =>
    JSON.parse(planExample(capabilities, agents) ?? 'null')?.nodes;

  test('has the arguments of the guide, and an operator where something gives a set', () => {
    expect(nodesOf([search, square])).toEqual([
      { id: 'a', capability: 'search', arguments: { text: 'kinase' }, task: 'Finds genes.' },
      { id: 'b', capability: 'search', arguments: { text: 'kinase' }, task: 'Finds genes.' },
      { id: 'c', operator: 'INTERSECT', inputs: ['a', 'b'] },
    ]);
  });

  test('else the least arguments that fit', () => {
    expect(nodesOf([square])).toEqual([{ id: 'a', capability: 'square', arguments: { of: 1 }, task: 'Does rank.' }]);
  });
});
