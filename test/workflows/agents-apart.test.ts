/** An agent's run does not hold its parent: that goes on in new histories meanwhile, and learns how the agent ended whatever became of it. */

import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { WorkflowHandle } from '@temporalio/client';
import { beforeEach, describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/capabilities/index.ts';
import type { ModelClient } from '../../src/models/index.ts';
import type { RunResult } from '../../src/protocol/index.ts';
import { createBarrier, waits, writes } from '../support/capabilities.ts';
import { forgetRun } from '../support/forget-run.ts';
import { handOver, SHORT_HISTORIES } from '../support/hand-over.ts';
import { resetRun } from '../support/reset-run.ts';
import { ownRig, sharedRig } from '../support/rig.ts';
import { WORKFLOW_SOURCES } from '../../src/worker/workflow-sources.ts';

const paid: string[] = [];
const barrier = createBarrier();
const tools = [writes('pays', 'at-most-once', paid)];

/** Pays, then says so: its reply depends on nothing but what it has seen. */
const model = {
  name: 'payer',
  complete({ messages }) {
    const [name, args] = messages.some(({ role }) => role === 'tool')
      ? ['finish', { answer: 'paid' }]
      : ['pays', { value: 'bill' }];
    const usage = { calls: 1, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
    const toolCalls = [{ id: 'c', name, arguments: JSON.stringify(args) }];
    return Promise.resolve({ model: 'payer', text: '', toolCalls, finish: 'tool-calls' as const, usage });
  },
} satisfies ModelClient;

const agent = defineAgent({ name: 'payer', description: 'Pays.', instructions: 'Pay.', capabilities: tools });
const rig = await sharedRig({
  capabilities: [...tools, waits(barrier)],
  agents: [agent],
  model,
  budget: SHORT_HISTORIES,
});
beforeEach(() => void (paid.length = 0));

const PLAN = { goal: 'Pay it', plan: { task: 'Pay', agent: 'payer' }, options: { approval: 'effects' } };

/** A run whose agent waits for a person, in the history after the one that started it. */
async function handedOver(here = rig) {
  const run = here.client.workflow.getHandle((await here.startApproved(PLAN)).workflowId);
  const child = await here.childOf(run);
  await waitsIn(run, 1);
  const { runId } = await run.describe();
  await handOver(run);
  return { run, child, first: runId };
}

const waitsIn = (run: WorkflowHandle, count: number) =>
  rig.until(run, ({ children = [] }) => children[0]?.waitingFor === count);

async function failureOf(run: WorkflowHandle): Promise<string> {
  return run.result().then(
    () => 'done',
    (error: Error) => (error.cause as Error).message,
  );
}

async function inputOf(child: WorkflowHandle): Promise<{ readonly key: string; readonly firstRunId: string }> {
  const { events } = await child.fetchHistory();
  const data = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
  return JSON.parse(Buffer.from(data ?? []).toString('utf8')) as { key: string; firstRunId: string };
}

test('what waits in the agent stays listed, its end is heard, and it pays once', async () => {
  const { run, child } = await handedOver();
  await waitsIn(run, 1);
  await handOver(run);
  await rig.approve(child);
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { kind: 'text' } });
  expect(paid).toHaveLength(1);
});

test('a kill reaches the agent with its reason, and a pause', async () => {
  const { run, child } = await handedOver();
  await rig.say(run, 'control', { action: 'pause', by: 'operator' });
  const begins = () => child.query<{ words: readonly unknown[] }, [object]>('mayBegin', { work: [{ agent: 'any' }] });
  await expect.poll(async () => (await begins()).words[0]).toContain('paused');
  await rig.say(run, 'control', { action: 'kill', by: 'operator', comment: 'enough' });
  expect(await run.result()).toMatchObject({ outcome: 'aborted', by: 'operator' });
  expect(await child.result()).toMatchObject({ outcome: 'aborted', by: 'operator', comment: 'enough' });
});

test('a cancellation reaches the agent, and is waited for', async () => {
  const { run, child } = await handedOver();
  await run.cancel();
  await expect(run.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect((await child.describe()).status.name).toBe('CANCELLED');
});

test('a node that is cancelled by hand cancels its agent', async () => {
  const { run, child } = await handedOver();
  await rig.say(run, 'control', { action: 'cancel-node', node: 'node_1', by: 'operator' });
  expect(await failureOf(run)).toContain('cancelled');
  expect((await child.describe()).status.name).toBe('CANCELLED');
});

test('a forged end is no end, and one that names another chain is not even looked at', async () => {
  const { run, child } = await handedOver();
  const { key, firstRunId } = await inputOf(child);
  await run.signal('agent', { key, firstRunId: 'another', isDone: true, waitingFor: 7 });
  await run.signal('agent', { key, firstRunId, isDone: true });
  const looked = async () =>
    (await run.fetchHistory()).events?.some(
      ({ activityTaskScheduledEventAttributes: task }) => task?.activityType?.name === 'lookAtAgents',
    );
  await expect.poll(looked).toBe(true);
  const { counts, children } = await rig.until(run, () => true);
  expect([counts.running, children?.[0]?.waitingFor]).toEqual([1, 1]);
  await rig.approve(child);
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});

test('an agent whose parent is gone ends all the same', async () => {
  const { run, child } = await handedOver();
  await run.terminate();
  await rig.approve(child);
  expect(await child.result()).toMatchObject({ outcome: 'done' });
});

test('an agent that goes on in each task keeps its parent, which does so too, in the picture', async () => {
  const steps = 2;
  const patient = {
    name: 'payer',
    complete({ messages }: Parameters<ModelClient['complete']>[0]) {
      const done = messages.filter(({ role }) => role === 'tool').length;
      const [name, args] = done === steps ? ['finish', { answer: 'paid' }] : ['pays', { value: `bill ${done}` }];
      const usage = { calls: 1, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
      const toolCalls = [{ id: `c${done}`, name, arguments: JSON.stringify(args) }];
      return Promise.resolve({ model: 'payer', text: '', toolCalls, finish: 'tool-calls' as const, usage });
    },
  } satisfies ModelClient;
  const budget = { soft: { events: 1, bytes: 2 ** 20 }, hard: { events: 4000, bytes: 2 ** 22 } };
  const here = await ownRig({ capabilities: tools, agents: [agent], model: patient, budget });
  const run = here.client.workflow.getHandle((await here.startApproved(PLAN)).workflowId);
  const child = await here.childOf(run);
  for (let step = 0; step < steps; step += 1) {
    const { digest } = await here.opened(child, ({ kind, text }) => kind === 'approval' && text !== '');
    await here.opened(run, (one) => (one as unknown as { items?: { digest: string }[] }).items?.[0]?.digest === digest);
    await here.approve(child);
    await here
      .until(child, ({ loop, outcome }) => (loop?.round ?? 0) > step + 1 || outcome !== undefined)
      .catch(() => undefined);
  }
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(paid).toHaveLength(steps);
});

describe('a reset of the parent', () => {
  test('to after the hand-over finds the agent', async () => {
    const { run, child } = await handedOver();
    await waitsIn(run, 1);
    await resetRun(rig, run);
    await waitsIn(run, 1);
    await rig.approve(child);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(paid).toHaveLength(1);
  });

  test('to before the hand-over finds it too', async () => {
    const { run, child, first } = await handedOver();
    await resetRun(rig, rig.client.workflow.getHandle(run.workflowId, first));
    await waitsIn(run, 1);
    await rig.approve(child);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(paid).toHaveLength(1);
  });
});

describe('an agent that says nothing', { tags: ['slow'], timeout: 240_000 }, () => {
  test('since it is terminated fails its node', async () => {
    const { run, child } = await handedOver();
    await child.terminate();
    expect(await failureOf(run)).toContain("the agent's run was terminated");
  });

  test('since it has timed out fails its node', async () => {
    const { workflowInterceptorModules: own } = WORKFLOW_SOURCES;
    const times = fileURLToPath(new URL('../support/agents-time-out.ts', import.meta.url));
    const { code: bundle } = await bundleWorkflowCode({
      ...WORKFLOW_SOURCES,
      workflowInterceptorModules: [...own, times],
      logger: new DefaultLogger('ERROR'),
    });
    const here = await ownRig({ capabilities: tools, agents: [agent], model, budget: SHORT_HISTORIES });
    await here.stopWorker();
    await here.startWorker(undefined, undefined, { bundle });
    const { run, child } = await handedOver(here);
    expect(await failureOf(run)).toContain("the agent's run took longer than its execution may");
    expect((await child.describe()).status.name).toBe('TIMED_OUT');
  });

  test('since it was deleted fails its node', async () => {
    const { run, child } = await handedOver();
    await forgetRun(rig, child);
    expect(await failureOf(run)).toContain('was deleted');
  });

  test('since it was reset goes on, and its end is the one of its newest execution', async () => {
    const { run, child } = await handedOver();
    const again = await resetRun(rig, child);
    await rig.opened(again, ({ kind }) => kind === 'approval');
    await rig.approve(again);
    expect(((await run.result()) as RunResult).outcome).toBe('done');
  });
});
