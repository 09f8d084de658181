/** Before a model is asked the run is: a run that says no buys nothing, whatever work asks. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineCapability, type TaskContext } from '../../src/capabilities/index.ts';
import type { AskRun } from '../../src/activities/gate.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { scriptedClient, type ModelClient } from '../../src/models/index.ts';
import type { RoundSurroundings } from '../../src/capabilities/index.ts';
import { definePolicy } from '../../src/capabilities/policy/index.ts';
import { openModels } from '../../src/config/own-worker/index.ts';
import { search } from '../support/scripted-planner.ts';
import { failureOf, openActivities, type ActivityRig } from './rig.ts';

const WORK = 7;
const HELD = { deferred: 'run', reason: 'the run is paused' };

/** Whose run says no from the n-th question on. */
async function gatedAfter(times: number, model: ModelClient, more: Parameters<typeof openActivities>[1] = {}) {
  const asked: unknown[] = [];
  const askRun: AskRun = (_, works) => {
    asked.push(...works);
    return Promise.resolve({ words: works.map(() => (asked.length > times ? HELD.reason : null)) });
  };
  const rig = await openActivities([search, writesWith, readsWith], {
    askRun,
    models: openModels({ model })!,
    ...more,
  });
  return { rig, asked };
}

/** Whatever the model answers: a capability may go on without it. */
const asks = async ({ model }: TaskContext<unknown>): Promise<string> =>
  model === undefined
    ? 'no model'
    : model({ messages: [{ role: 'user', content: 'Say it.' }] }).then(
        ({ text }) => text,
        (error: unknown) => `it failed: ${String(error)}`,
      );
const declared = { description: 'Says.', input: z.object({}), output: 'text' } as const;
const readsWith = defineCapability({ ...declared, name: 'readsWith', effect: 'read', execute: asks });
const writesWith = defineCapability({ ...declared, name: 'writesWith', effect: 'idempotent', execute: asks });

const lines = (count: number) => scriptedClient(Array.from({ length: count }, () => ({ reply: 'yes' })));

async function nodeOf(rig: ActivityRig, capability: string) {
  const { revisionRef: revision } = await rig.compiled({ goal: 'Say it', plan: { task: 'Say it', capability } });
  return { revision, nodeId: 'node_1', inputs: [], work: WORK };
}

describe('a run that is paused buys nothing', () => {
  test('a stage of planning is held back before its model is asked', async () => {
    const model = lines(3);
    const { rig, asked } = await gatedAfter(0, model);
    const request = { stage: 'write', call: 'plan.1/write/1', goal: 'Find genes', work: WORK } as const;
    expect(await rig.call('planGoal', request)).toEqual(HELD);
    expect([asked, model.requests.length]).toEqual([[WORK], 0]);
  });

  test('a decision is held back, also by a stage that makes something of the error', async () => {
    const model = lines(3);
    const forgiving = definePolicy<object, { readonly action: 'finish'; readonly answer: string }, RoundSurroundings>({
      name: 'forgiving',
      initial: () => ({}),
      stages: [
        {
          kind: 'decide',
          name: 'decide',
          run: async (_, around) => ({
            decision: { action: 'finish', answer: await around.decide().then(String, () => 'without a model') },
          }),
        },
      ],
      actions: { finish: { ends: true, dispatch: ({ answer }) => ({ is: 'finish', answer }) } },
    });
    const { rig } = await gatedAfter(0, model, { loopPolicy: forgiving });
    const request = { task: { goal: 'Find' }, round: 1, call: 'step_1/decide/1', options: {}, work: WORK };
    expect(await rig.call('decideStep', request)).toEqual(HELD);
    expect(model.requests).toHaveLength(0);
  });

  test('a report is made without a model', async () => {
    const model = lines(3);
    const { rig } = await gatedAfter(0, model);
    const facts = {
      severity: 'CRITICAL',
      task: 'Find',
      operation: 'write',
      message: 'no',
      done: [],
      failed: [],
    } as const;
    const reply = await rig.call('reportFailure', { call: 'report/1', ...facts, work: WORK });
    expect(reply).toMatchObject({ usage: { calls: 0 }, report: expect.stringContaining('No analysis by a model') });
    expect(model.requests).toHaveLength(0);
  });

  test('a capability that reads is held back, whatever it makes of the error', async () => {
    const model = lines(3);
    const { rig } = await gatedAfter(0, model);
    expect(await rig.call('runTask', await nodeOf(rig, 'readsWith'))).toMatchObject(HELD);
    expect(model.requests).toHaveLength(0);
  });

  test('an effect that has begun goes on and buys what it needs: it was asked about when it began', async () => {
    const model = lines(3);
    const { rig, asked } = await gatedAfter(1, model);
    expect(await rig.call('runTask', await nodeOf(rig, 'writesWith'))).toMatchObject({ kind: 'text' });
    expect([asked, model.requests.length]).toEqual([[WORK], 1]);
  });

  test('a reply that was bought before is free, and nobody is asked about it', async () => {
    const model = lines(1);
    const { rig, asked } = await gatedAfter(1, model);
    const request = await nodeOf(rig, 'readsWith');
    const first = await rig.call('runTask', request);
    expect(await rig.call('runTask', request)).toEqual(first);
    expect([asked, model.requests.length]).toEqual([[WORK], 1]);
  });
});

test('limits.attemptMs of an agent bounds each call of its model: its task fails, and is not tried again', async () => {
  const silent: ModelClient = {
    name: 'silent',
    complete: (_, { signal } = {}) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
      }),
  };
  const desk = defineAgent({
    name: 'desk',
    description: 'Thinks.',
    instructions: 'Think.',
    capabilities: [search],
    limits: { attemptMs: 20 },
  });
  const { rig } = await gatedAfter(9, silent, { registry: createRegistry([search], { agents: [desk] }) });
  const planShape = await rig.compiled({ goal: 'Think', plan: { task: 'Think it over', agent: 'desk' } });
  const task = { agent: planShape.executors[0]!.label, revision: planShape.revisionRef, nodeId: 'node_1', inputs: [] };
  const request = { task, round: 1, call: 'step_1/decide/1', options: {}, work: WORK };
  const failure = await failureOf(rig.call('decideStep', request));
  expect(failure).toMatchObject({ type: 'CRITICAL', nonRetryable: true });
  expect(failure.message).toBe('agent desk: its model has not answered within 20 ms (limits.attemptMs)');
});
