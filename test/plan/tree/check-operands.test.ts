/** An operator over what is known to be no set. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../../../src/capabilities/builtin/index.ts';
import { defineAgent, defineCapability } from '../../../src/capabilities/index.ts';
import { compilePlan } from '../../../src/plan/index.ts';
import { createSet } from '../../../src/plan/algebra/index.ts';
import { combine, task } from '../example-plans.ts';

const base = { description: 'Does it.', input: z.object({}), effect: 'read' } as const;
const genes = defineCapability({ ...base, name: 'genes', output: 'set', execute: () => createSet([]) });
const page = defineCapability({ ...base, name: 'page', output: 'text', execute: () => '' });
const count = defineCapability({ ...base, name: 'count', output: 'value', execute: () => 1 });
const helper = defineAgent({ name: 'helper', description: 'Helps.', instructions: 'Help.', capabilities: [] });
const catalogue = createRegistry([genes, page, count], { agents: [helper], defaultExecutor: 'page' });
const of = (capability: string) => task(capability, { capability });

test.each<[name: string, plan: object, issues: readonly (readonly [path: string, got: string])[]]>([
  ['two sets', combine('UNION', of('genes'), of('genes')), []],
  ['a text', combine('UNION', of('genes'), of('page')), [['$.plan.right.capability', 'text']]],
  [
    'a value and an agent',
    combine('MINUS', of('count'), task('ask', { agent: 'HELPER' })),
    [
      ['$.plan.left.capability', 'value'],
      ['$.plan.right.agent', 'text'],
    ],
  ],
  ['the default', combine('UNION', task('any'), of('genes')), [['$.plan.left', 'text']]],
  ['an operator in an operator', combine('UNION', combine('MINUS', of('genes'), of('genes')), of('genes')), []],
  [
    'below a task',
    task('x', { capability: 'page', input: combine('UNION', of('genes'), of('count')) }),
    [['$.plan.input.right.capability', 'value']],
  ],
])('%s', (_name, plan, issues) => {
  const result = compilePlan({ goal: 'x', plan }, { catalogue });
  const told = result.ok ? [] : result.issues.filter(({ code }) => code === 'not-a-set');
  expect(told.map(({ path, got }) => [path, got])).toEqual(issues);
  for (const { expected } of told) expect(expected).toEqual(['genes']);
});

test('says what to do', () => {
  const result = compilePlan({ goal: 'x', plan: combine('UNION', of('genes'), of('page')) }, { catalogue });
  expect(result).toMatchObject({
    issues: [
      {
        message:
          'UNION joins two sets, and the capability "page" gives a text. Take a capability that gives a set ("genes") in its place, or leave the operator out, and let a task take both results.',
      },
    ],
  });
});

test('without a catalogue nothing is known', () => {
  expect(compilePlan({ goal: 'x', plan: combine('UNION', of('genes'), of('page')) }).ok).toBe(true);
});
