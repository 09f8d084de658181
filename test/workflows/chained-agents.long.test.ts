/** An agent belongs to the run of its parent: a reset of that finds it, done or at work, and a second start of the id has one of its own. */

import type { WorkflowHandle } from '@temporalio/client';
import { beforeEach, describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/capabilities/index.ts';
import { scriptedClient, type ScriptedLine } from '../../src/models/index.ts';
import type { RunResult } from '../../src/protocol/index.ts';
import { writes } from '../support/capabilities.ts';
import { forgetRun } from '../support/forget-run.ts';
import { resetRun } from '../support/reset-run.ts';
import type { Rig } from '../support/rig.ts';
import { call, finish } from '../support/calls.ts';
import { asStranger, FALSE_RUN } from '../support/stranger.ts';
import { ownRig } from '../support/rig.ts';

const paid: string[] = [];
const tools = [writes('pays', 'at-most-once', paid)];
const agent = defineAgent({ name: 'payer', description: 'Pays.', instructions: 'Pay.', capabilities: tools });
const PAYS = [call('pays', { value: 'bill' }), finish('paid')];
const PLAN = { goal: 'Pay it', plan: { task: 'Pay', agent: 'payer' }, options: { approval: 'effects' } };

beforeEach(() => void (paid.length = 0));

async function started(...lines: readonly ScriptedLine[]) {
  const model = scriptedClient(lines);
  const rig = await ownRig({ capabilities: tools, agents: [agent], model });
  const run = await rig.startApproved(PLAN);
  return { rig, run, model };
}

async function childOf(here: Rig, run: WorkflowHandle): Promise<WorkflowHandle> {
  const child = await here.childOf(run);
  await here.opened(child, ({ kind }) => kind === 'approval');
  return child;
}

test('a reset of a closed run finds what its agent came to, and buys and pays nothing', async () => {
  const { rig: here, run } = await started(...PAYS);
  await here.approve(await childOf(here, run));
  const before = (await run.result()) as RunResult;
  // A third call of the model would fail: its script is over.
  expect(await (await resetRun(here, run)).result()).toMatchObject({ outcome: 'done', result: before.result });
  expect(paid).toHaveLength(1);
});

test('a reset while the agent is at work waits for it, and is told what waits there', async () => {
  const { rig: here, run } = await started(...PAYS);
  const child = await childOf(here, run);
  const again = await resetRun(here, run);
  const known = await childOf(here, again);
  expect(known.workflowId).toBe(child.workflowId);
  await here.approve(child);
  expect(await again.result()).toMatchObject({ outcome: 'done' });
  expect(paid).toHaveLength(1);
});

test('a cancellation after a reset reaches the agent', async () => {
  const { rig: here, run } = await started(...PAYS);
  const child = await childOf(here, run);
  const again = await resetRun(here, run);
  await childOf(here, again);
  await again.cancel();
  await expect(again.result()).rejects.toThrow();
  await expect(child.result()).rejects.toThrow();
  expect(paid).toHaveLength(0);
});

test('a second start of the id has an agent of its own, whose question says what the first began', async () => {
  const { rig: here, run } = await started(...PAYS, ...PAYS);
  const first = await childOf(here, run);
  await here.approve(first);
  await run.result();
  const second = await here.startApproved(PLAN, run.workflowId);
  const child = await childOf(here, second);
  expect(child.workflowId).not.toBe(first.workflowId);
  const { warning } = await here.opened(child, ({ kind }) => kind === 'approval');
  expect(warning).toContain('may have run already');
  await here.approve(child);
  expect(await second.result()).toMatchObject({ outcome: 'done' });
  expect(paid).toHaveLength(2);
});

test('a reset of a run whose agent the server has forgotten starts it anew, which buys nothing and pays nothing', async () => {
  const { rig: here, run } = await started(...PAYS);
  const child = await childOf(here, run);
  await here.approve(child);
  const before = (await run.result()) as RunResult;
  await forgetRun(here, child);
  const again = await resetRun(here, run);
  // Its replies are in the journal of its run, and its effect in the results: only people are asked once more.
  await here.approve(await childOf(here, again));
  expect(await again.result()).toMatchObject({ outcome: 'done', result: before.result });
  expect(paid).toHaveLength(1);
});

describe('an agent that is started by hand with the chain of another run, under the id of its agent', () => {
  async function closed() {
    const { rig: here, run, model } = await started(...PAYS);
    const child = await childOf(here, run);
    await here.approve(child);
    await run.result();
    const { events } = await child.fetchHistory();
    const data = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    const input = JSON.parse(Buffer.from(data ?? []).toString('utf8')) as { readonly firstRunId: string };
    return { here, child, input, model };
  }

  test('has a chain of its own, which knows no such task: it says so, asks no model, and pays nothing', async () => {
    const { here, child, input, model } = await closed();
    const { taskQueue } = here;
    const { workflowId } = child;
    const other = await here.client.workflow.start('agentWorkflow', { taskQueue, workflowId, args: [input] });
    const { firstRunId } = await here.until(other, ({ waits = '' }) =>
      waits.includes('does not have the plan of this run'),
    );
    expect(firstRunId).toBe(other.firstExecutionRunId);
    expect([paid.length, model.requests.length]).toEqual([1, 2]);
  });

  test('as a child of a stranger is refused before it reads what was bought for the other', async () => {
    const { here, child, input, model } = await closed();
    const args = [here.taskQueue, child.workflowId, input];
    const end = await asStranger(here, FALSE_RUN, (execute) =>
      execute('falseParent', `${here.taskQueue}-stranger-1`, args),
    );
    expect(end).toContain(`NotApproved: its request names the run ${input.firstRunId}`);
    expect([paid.length, model.requests.length]).toEqual([1, 2]);
  });
});
