/** An agent belongs to the run of its parent: a reset of that finds it, done or at work, and a second start of the id has one of its own. */

import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineAgent } from '../../src/capabilities/index.ts';
import { scriptedClient, type ScriptedLine } from '../../src/models/index.ts';
import type { RunResult } from '../../src/protocol/index.ts';
import { writes } from '../support/capabilities.ts';
import { resetRun } from '../support/reset-run.ts';
import { openRig, type Rig } from '../support/rig.ts';

const paid: string[] = [];
const tools = [writes('pays', 'at-most-once', paid)];
const agent = defineAgent({ name: 'payer', description: 'Pays.', instructions: 'Pay.', capabilities: tools });
const call = (name: string, args: object): ScriptedLine => ({
  reply: { toolCalls: [{ id: 'c', name, arguments: JSON.stringify(args) }] },
});
const PAYS = [call('pays', { value: 'bill' }), call('finish', { answer: 'paid' })];
const PLAN = { goal: 'Pay it', plan: { task: 'Pay', agent: 'payer' }, options: { approval: 'effects' } };

let rig: Rig | undefined;
beforeEach(() => void (paid.length = 0));
afterEach(() => rig?.close());

async function started(...lines: readonly ScriptedLine[]) {
  rig = await openRig({ capabilities: tools, agents: [agent], model: scriptedClient(lines) });
  const run = await rig.start(PLAN);
  await rig.approve(run);
  return { rig, run };
}

async function childOf(here: Rig, run: WorkflowHandle): Promise<WorkflowHandle> {
  const { children = [] } = await here.until(run, (status) => (status.children?.length ?? 0) > 0);
  const child = here.client.workflow.getHandle(children[0]?.workflowId ?? '');
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
  const second = await here.start(PLAN, run.workflowId);
  await here.approve(second);
  const child = await childOf(here, second);
  expect(child.workflowId).not.toBe(first.workflowId);
  const { warning } = await here.opened(child, ({ kind }) => kind === 'approval');
  expect(warning).toContain('may have run already');
  await here.approve(child);
  expect(await second.result()).toMatchObject({ outcome: 'done' });
  expect(paid).toHaveLength(2);
});
