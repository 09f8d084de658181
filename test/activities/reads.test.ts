/** What capabilities say that they read at the time is named where their effects are approved. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineAgent, defineCapability } from '../../src/capabilities/index.ts';
import { questionsOf } from '../../src/workflows/views/open-items.ts';
import { runDetails } from '../../src/workflows/views/details.ts';
import { openedRun } from '../workflows/run/make-run.ts';
import { openActivities } from './rig.ts';

const told = { description: 'Does it.', output: 'value', input: z.looseObject({}), execute: () => 0 } as const;
const pay = defineCapability({ ...told, name: 'pay', effect: 'at-most-once', reads: ['prices.csv', 'https://bank'] });
const look = defineCapability({ ...told, name: 'look', effect: 'read', reads: ['the weather'] });
const words = { description: 'Buys.', instructions: 'Buy.' };
const buyer = defineAgent({ name: 'buyer', ...words, capabilities: [pay, look] });

async function linesOf(task: object) {
  const rig = await openActivities([], { registry: createRegistry([pay, look], { agents: [buyer] }) });
  const run = openedRun(await rig.compiled({ goal: 'Buy', plan: { type: 'task', task: 'Buy', ...task } }));
  return { context: questionsOf(run)[0]?.context, details: runDetails(run) };
}

test('an effect is asked about with what it reads at the time, in the item and in the Web UI', async () => {
  const { context, details } = await linesOf({ capability: 'pay' });
  expect(context).toEqual(['pay reads at the time: prices.csv, https://bank']);
  expect(details).toContain('pay reads at the time: prices');
});

test('an agent with an effect is asked about with all that its capabilities read', async () => {
  const { context } = await linesOf({ agent: 'buyer' });
  expect(context).toEqual(['buyer reads at the time: prices.csv, https://bank, the weather']);
});

test('a read is not', async () => {
  expect((await linesOf({ capability: 'look' })).context).toBeUndefined();
});

test.each([['files'], [['']], [['x'.repeat(81)]], [Array.from({ length: 6 }, () => 'a')], [[1]]])(
  'reads of %j are refused',
  (reads) => {
    expect(() => defineCapability({ ...told, name: 'x', effect: 'read', reads: reads as string[] })).toThrow(
      'reads is a list of at most 5 texts of 1 to 80 characters',
    );
  },
);
