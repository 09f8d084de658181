import { expect, test } from 'vitest';
import { z } from 'zod';
import type { NodesPage } from '../../src/protocol/index.ts';
import { createBarrier, ids, waits, writes, tool } from '../support/capabilities.ts';
import { sharedRig } from '../support/rig.ts';

const weather = tool(
  'current_weather',
  'read',
  'value',
  z.object({ place: z.string().default('San Francisco') }),
  (task) => ({ place: task.arguments.place, sky: 'clear' }),
);
/** What it was given, so that a test can see it. */
const shows = tool('given', 'read', 'value', z.looseObject({}), async (task) => {
  const inputs = await Promise.all(task.inputs.map(async (one) => [one.name, (await one.read()).kind]));
  return { arguments: task.arguments as never, inputs };
});
const barrier = createBarrier();
const written: string[] = [];

const rig = await sharedRig({
  capabilities: [weather, shows, ids, waits(barrier), writes('write', 'idempotent', written)],
});

const stepsOf = (steps: object[], options?: object) => ({
  plan: { goal: 'Test a list of steps', steps },
  ...(options !== undefined && { options }),
});
const step = (context_key: string, capability: string, over: object = {}) => ({
  context_key,
  capability,
  task_objective: `do ${context_key}`,
  ...over,
});

test('Osprey: a list of steps runs to its response: each has its inputs by key and references replaced by results', async () => {
  const result = await rig.run(
    stepsOf(
      [
        step('weather_data', 'current_weather', { expected_output: 'CURRENT_WEATHER', success_criteria: 'retrieved' }),
        step('list', 'ids', { parameters: { ids: ['x', 'y'] } }),
        step('b', 'given', {
          inputs: [{ WEATHER: 'weather_data' }, 'beam'],
          parameters: { list: 'result_from_step_list', deep: { sky: ['result_from_step_weather_data'] } },
        }),
        step('user_response', 'respond', { task_objective: 'Present the weather', inputs: ['weather_data'] }),
      ],
      { context: { beam: { current: 3 } } },
    ),
  );
  expect(Object.keys(result.results ?? {})).toEqual(['weather_data', 'list', 'b', 'user_response']);
  expect(await rig.read(result.result?.ref)).toEqual({
    kind: 'text',
    text: expect.stringMatching(
      /^Present the weather\n[^]*\nweather_data: \{"place":"San Francisco","sky":"clear"\}/,
    ) as string,
  });
  const given = await rig.read(result.results?.['b']?.ref);
  expect(given).toMatchObject({
    value: {
      arguments: { list: ['x', 'y'], deep: { sky: [{ place: 'San Francisco', sky: 'clear' }] } },
      inputs: [
        ['weather_data', 'value'],
        ['list', 'set'],
        ['beam', 'value'],
      ],
    },
  });
});

test('keeps the order of effects: a write waits for what stands before it, reads do not wait', async () => {
  const run = await rig.startApproved(
    stepsOf([
      step('look', 'waits', { parameters: { at: 'look' } }),
      step('set', 'write', { parameters: { value: 'on' } }),
      step('other', 'current_weather'),
    ]),
  );
  await barrier.reached('look');
  await rig.until(run, ({ counts }) => counts.succeeded === 1);
  const { nodes } = await run.query<NodesPage>('nodes');
  expect(nodes.map(({ status }) => status)).toEqual(['running', 'pending', 'succeeded', 'pending']);
  expect(written).toEqual([]);
  barrier.open('look');
  await run.result();
  expect(written).toHaveLength(1);
});
