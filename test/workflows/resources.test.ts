/** One writer at a time, on the server: the nodes of a run that write to one resource take turns, and so do runs. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { createBarrier, tool } from '../support/capabilities.ts';
import { planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const begun: string[] = [];
const set = tool(
  { name: 'set', resource: ({ magnet }) => magnet },
  'idempotent',
  'set',
  z.object({ magnet: z.string(), at: z.string() }),
  async ({ arguments: { at }, signal }) => {
    begun.push(at);
    await barrier.wait(at, signal);
    return createSet([{ id: at }]);
  },
);

const rig = await sharedRig({ capabilities: [set] });

const one = (at: string) => planOf(task('set', { magnet: 'magnet-12', at }));
const secondsOf = (time: { seconds?: unknown } | null | undefined) => Number(time?.seconds ?? Number.NaN);
const lock = () => rig.client.workflow.getHandle('planwright-resource/magnet-12').describe();

test('of two runs one writes at a time, the lock says which, and both end', async () => {
  const runs = [await rig.start(one('run-a')), await rig.start(one('run-b'))] as const;
  await rig.approve(runs[0]);
  await barrier.reached('run-a');
  expect((await lock()).memo).toMatchObject({
    writer: { workflowId: runs[0].workflowId, nodeId: 'node_1', attempt: 1 },
  });
  const { workflowExtendedInfo, workflowExecutionInfo } = (await lock()).raw;
  const { events = [] } = await runs[0].fetchHistory();
  const attempt = events?.findLast((event) => event.activityTaskScheduledEventAttributes != null);
  // The lock outlasts whatever it locks: it was taken after the attempt began.
  expect(
    secondsOf(workflowExtendedInfo?.executionExpirationTime) - secondsOf(workflowExecutionInfo?.startTime),
  ).toBeGreaterThan(secondsOf(attempt?.activityTaskScheduledEventAttributes?.startToCloseTimeout));
  await rig.approve(runs[1]);
  // It is begun by a worker, and looks for its turn.
  await expect.poll(async () => (await runs[1].describe()).raw.pendingActivities?.[0]?.state).toBe(2);
  expect(begun).not.toContain('run-b');
  barrier.open('run-a');
  await barrier.reached('run-b');
  expect(await runs[0].result()).toMatchObject({ outcome: 'done' });
  expect((await lock()).memo).toMatchObject({ writer: { workflowId: runs[1].workflowId } });
  barrier.open('run-b');
  expect(await runs[1].result()).toMatchObject({ outcome: 'done' });
  await expect.poll(async () => (await lock()).status.name).toBe('TERMINATED');
});

test('a lock of an attempt that has long ended holds up nobody', async () => {
  await rig.client.workflow.start('planwrightResource', {
    taskQueue: 'nobody',
    workflowId: 'planwright-resource/magnet-12',
    startDelay: '1 hour',
    memo: { writer: { ...whoever, workflowId: 'never-was' } },
  });
  const name = 'after it';
  const run = await rig.startApproved(one(name));
  await barrier.reached(name);
  barrier.open(name);
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});

const whoever = { runId: 'f4b1c9a2-54b6-4c5e-8d92-7f3f3d0c5a11', activityId: '1', attempt: 1, nodeId: 'node_1' };
