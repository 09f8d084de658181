import { describe, expect, test } from 'vitest';
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
const given = tool('given', 'read', 'value', z.looseObject({}), async (task) => {
  const inputs = await Promise.all(task.inputs.map(async (one) => [one.name, (await one.read()).kind]));
  return { arguments: task.arguments as never, inputs };
});
const barrier = createBarrier();
const written: string[] = [];

const rig = await sharedRig({
  capabilities: [
    weather,
    given,
    ids,
    waits(barrier),
    writes('write', 'idempotent', written),
    writes('once', 'at-most-once', []),
  ],
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
const valueOf = async (ref: string | undefined) => {
  const read = await rig.read(ref);
  return read.kind === 'value' ? read.value : read;
};

describe('Osprey: a list of steps', () => {
  test('runs to its response, with every result under its context key', async () => {
    const result = await rig.run(
      stepsOf([
        step('weather_data', 'current_weather', {
          expected_output: 'CURRENT_WEATHER',
          success_criteria: 'retrieved',
          inputs: [],
        }),
        step('user_response', 'respond', { task_objective: 'Present the weather', inputs: ['weather_data'] }),
      ]),
    );
    expect(Object.keys(result.results ?? {})).toEqual(['weather_data', 'user_response']);
    expect(await rig.read(result.result?.ref)).toEqual({
      kind: 'text',
      text: 'Present the weather\n\nweather_data: {"place":"San Francisco","sky":"clear"}',
    });
  });

  test('hands a step its inputs by key, typed ones too, and external context', async () => {
    const result = await rig.run(
      stepsOf([step('a', 'current_weather'), step('b', 'given', { inputs: [{ WEATHER: 'a' }, 'beam'] })], {
        context: { beam: { current: 3 } },
      }),
    );
    expect(await valueOf(result.results?.['b']?.ref)).toMatchObject({
      inputs: [
        ['a', 'value'],
        ['beam', 'value'],
      ],
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
});

describe('Calute: references to the result of a step', () => {
  const numbered = (step_id: number, over: object) => ({
    step_id,
    action: 'act',
    description: `step ${step_id}`,
    ...over,
  });

  test('is replaced where it is the whole argument, with the result among the inputs', async () => {
    const result = await rig.run(
      stepsOf([
        numbered(1, { capability: 'ids', arguments: { ids: ['x', 'y'] } }),
        numbered(2, { capability: 'current_weather' }),
        numbered(3, {
          capability: 'given',
          arguments: {
            list: 'result_from_step_1',
            deep: { sky: ['result_from_step_2'] },
          },
        }),
      ]),
    );
    expect(await valueOf(result.results?.['3']?.ref)).toEqual({
      arguments: {
        list: ['x', 'y'],
        deep: { sky: [{ place: 'San Francisco', sky: 'clear' }] },
      },
      inputs: [
        ['1', 'set'],
        ['2', 'value'],
      ],
    });
  });
});

test('the complexity of a plan stretches the time its nodes have', async () => {
  const run = await rig.startApproved({
    plan: { goal: 'g', complexity: 'high', estimated_time: 12, steps: [step('a', 'current_weather')] },
    options: { lane: 'visible' },
  });
  await run.result();
  const { events } = await run.fetchHistory();
  const scheduled = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  expect(scheduled.slice(1).map((one) => Number(one.startToCloseTimeout?.seconds))).toEqual([600, 600]);
  expect((await rig.until(run, () => true)).estimatedMinutes).toBe(12);
});
