import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Capability } from '../../src/capabilities/index.ts';
import type { NodesPage } from '../../src/protocol/index.ts';
import { createBarrier, ids, waits, writes, tool } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';
import { resetRun } from '../support/reset-run.ts';

const barrier = createBarrier();
const written: string[] = [];
/** Begins its effect, then waits. */
const moves = tool('moves', 'at-most-once', 'text', z.object({ at: z.string() }), async (given) => {
  await barrier.wait(given.arguments.at, given.signal);
  return 'moved';
});

/** A read whose own error hides the cancellation. */
const stubborn = tool({ name: 'stubborn', retry: { attempts: 1 } }, 'read', 'text', z.object({}), async (given) => {
  await barrier.wait('stubborn', given.signal).catch(() => {
    throw new Error('socket hang up');
  });
  return '';
});

/** Does its work, and returns what cannot be stored. */
const forgetful = tool('forgetful', 'at-most-once', 'value', z.object({}), () => ({ motor: () => 'moves' }) as never);

/** A double of a lost worker: the server hears that the attempt is over, and this process says no more of it. */
async function lose(): Promise<never> {
  const { cancelled, info } = Context.current();
  const { taskToken } = info;
  await rig.connection.workflowService.respondActivityTaskFailed({
    namespace: 'default',
    taskToken,
    failure: { message: 'worker lost', applicationFailureInfo: { type: 'RETRIABLE' } },
  });
  return cancelled;
}

const lost = (name: string, initialMs: number): Capability => {
  const valve = tool(
    { name, retry: { initialMs } },
    'at-most-once',
    'text',
    z.object({ when: z.enum(['before', 'after']), id: z.string() }),
    async ({ arguments: { when, id } }) => {
      written.push(id);
      if (when === 'after') await lose();
      return 'open';
    },
  );
  return Object.assign(valve, {
    async versionNow() {
      const { attempt, workflowExecution } = Context.current().info;
      if (attempt === 1 && workflowExecution?.workflowId.includes('before') === true) await lose();
      return valve.version;
    },
  });
};

const rig = await sharedRig({
  capabilities: [
    lost('valve', 10),
    lost('slow-valve', 3_600_000),
    ids,
    waits(barrier),
    moves,
    stubborn,
    forgetful,
    writes('once', 'at-most-once', written),
  ],
});

const statuses = async (run: WorkflowHandle) => (await run.query<NodesPage>('nodes')).nodes.map(({ status }) => status);

test('an at-most-once effect that is under way when the run is cancelled is uncertain', async () => {
  const run = await rig.startApproved(planOf(task('moves', { at: 'motor' })));
  await barrier.reached('motor');
  await run.cancel();
  await expect(run.result()).rejects.toThrow();
  expect((await run.describe()).status.name).toBe('CANCELLED');
  expect(await statuses(run)).toEqual(['uncertain']);
});

test.each([
  ['before it began is carried out by the next', 'valve', 'before', ['succeeded'], 1],
  ['after it began is uncertain, and not repeated', 'valve', 'after', ['uncertain'], 1],
  ['before it began, and that is cancelled then, is cancelled', 'slow-valve', 'before', ['cancelled'], 0],
  ['after it began, and that is cancelled then, is uncertain', 'slow-valve', 'after', ['uncertain'], 1],
] as const)('an at-most-once effect whose attempt is lost %s', async (_, capability, when, expected, times) => {
  const id = `lost-${when}-${randomUUID()}`;
  const run = await rig.startApproved(planOf(task(capability, { when, id }), { answerDeadline: '1ms' }), id);
  if (capability === 'slow-valve') {
    await expect.poll(async () => (await run.describe()).raw.pendingActivities?.[0]?.attempt).toBe(2);
    await run.cancel();
  }
  await run.result().catch(() => undefined);
  expect(await statuses(run)).toEqual(expected);
  expect(written.filter((one) => one === id)).toHaveLength(times);
});

test('an at-most-once effect whose result cannot be stored has succeeded, and a note says so', async () => {
  const run = await rig.startApproved(planOf(task('forgetful', {})));
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(await statuses(run)).toEqual(['succeeded']);
  const told = (await rig.trace(run, 'node')).map(({ text }) => text);
  expect(told).toContainEqual(expect.stringMatching(/^node_1 it was done, and its result could not be stored: /));
});

test('what fails before the capability is called had no effect', async () => {
  const run = await rig.startApproved({
    plan: {
      goal: 'g',
      steps: [
        { step_id: 1, capability: 'ids', arguments: { ids: ['x'] }, description: 'a list' },
        { step_id: 2, capability: 'once', arguments: { value: 'result_from_step_1' }, description: 'wants a text' },
      ],
    },
  });
  await expect(run.result()).rejects.toMatchObject({ cause: { type: 'PlanFailed' } });
  expect(await statuses(run)).toEqual(['succeeded', 'failed', 'skipped']);
  expect(written.filter((one) => !one.startsWith('lost'))).toEqual([]);
});

test.each([
  ['gives the result that was kept of it', 'works'],
  ['leaves it uncertain where there is none', 'breaks'],
])('a reset of the workflow does not begin an at-most-once effect again, and %s', async (_, mode) => {
  written.length = 0;
  const run = await rig.start(planOf(task('once', { value: 'on', mode }), { answerDeadline: '1ms' }));
  await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  const { digest } = await rig.until(run, () => true);
  // A signal is applied again after a reset; an update would not be.
  await run.signal('approve', { digest, by: 'operator' });
  const first: unknown = await run.result().catch(() => undefined);
  expect(written).toHaveLength(1);
  const reset = await resetRun(rig, run);
  if (mode === 'works') expect(await reset.result()).toEqual(first);
  else {
    await expect(reset.result()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('this effect was begun before') as string },
    });
  }
  expect(await statuses(reset)).toEqual([mode === 'works' ? 'succeeded' : 'uncertain']);
  expect(written).toHaveLength(1);
});

test('a node whose activity is completed from outside with nonsense has failed', async () => {
  const run = await rig.startApproved(
    planOf(combine('UNION', task('waits', { at: 'outside' }), idsOf('a')), { lane: 'visible' }),
  );
  await barrier.reached('outside');
  await rig.client.activity.complete({ workflowId: run.workflowId, activityId: 'node_1' }, 7);
  await expect(run.result()).rejects.toMatchObject({
    cause: { type: 'PlanFailed', message: expect.stringContaining('completed with what is no handle') as string },
  });
  barrier.open('outside');
});

test('a read that answers a cancellation with an error of its own is cancelled, and so is the run', async () => {
  const run = await rig.startApproved(planOf(task('stubborn', {})));
  await barrier.reached('stubborn');
  await run.cancel();
  await expect(run.result()).rejects.toThrow();
  expect((await run.describe()).status.name).toBe('CANCELLED');
  expect(await statuses(run)).toEqual(['cancelled']);
});
