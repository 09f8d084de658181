/** Attempts at a node on a real server: those that count, and the ends that are no attempt. */

import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createBarrier, tool } from '../support/capabilities.ts';
import type { NodesPage } from '../../src/protocol/index.ts';
import { createActivities } from '../../src/activities/index.ts';
import { DATA_CONVERTER } from '../../src/worker/index.ts';
import { planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const begins: unknown[] = [];
/** A long read that says how far it is. */
const reads = tool('reads', 'read', 'text', z.object({ until: z.string() }), async (given) => {
  const {
    arguments: { until },
    heartbeat,
    lastHeartbeat,
    signal,
  } = given;
  begins.push(lastHeartbeat);
  heartbeat({ row: begins.length });
  await barrier.wait(until, signal);
  return `row ${begins.length}`;
});
const flaky = tool(
  { name: 'flaky', retry: { attempts: 3, initialMs: 1, factor: 1 } },
  'read',
  'text',
  z.object({}),
  () => {
    throw ApplicationFailure.create({ message: 'busy', type: 'RETRIABLE' });
  },
);
const rig = await sharedRig({ capabilities: [reads, flaky], shutdownGraceTime: 1 });

test('six graceful shutdowns of the worker of one read, more than it has attempts, are none, and it goes on where it was', async () => {
  const run = await rig.startApproved(planOf(task('reads', { until: 'six' })));
  for (let nth = 1; nth <= 6; nth += 1) {
    await expect.poll(() => begins.length).toBe(nth);
    await rig.stopWorker();
    await rig.startWorker();
  }
  await expect.poll(() => begins.length).toBe(7);
  barrier.open('six');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(begins).toEqual([undefined, ...Array.from({ length: 6 }, (_, nth) => ({ row: nth + 1 }))]);
  expect(rig.ledger.filter(({ what }) => what === 'started').map(({ attempt }) => attempt)).toEqual(
    begins.map(() => 1),
  );
});

test('a read that fails is tried as often as its capability says, by the policy of its activity', async () => {
  const run = await rig.startApproved(planOf(task('flaky', {})));
  await expect(run.result()).rejects.toThrow();
  const { events } = await run.fetchHistory();
  const scheduled = events?.find(
    ({ activityTaskScheduledEventAttributes: of }) => of?.activityType?.name === 'runTask',
  );
  expect(scheduled?.activityTaskScheduledEventAttributes?.retryPolicy).toMatchObject({ maximumAttempts: 3 });
  const started = events?.findLast((event) => event.activityTaskStartedEventAttributes);
  expect(started?.activityTaskStartedEventAttributes).toMatchObject({ attempt: 3 });
});

test('a build that lacks an activity is not asked for it for ever: the node fails, and says so', async () => {
  await rig.stopWorker();
  const connection = await NativeConnection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const { registry, store, taskQueue } = rig;
  const { runTask: _, runPart: __, ...activities } = createActivities({ registry, store });
  const lacking = await Worker.create({
    ...{ connection, taskQueue, activities, dataConverter: DATA_CONVERTER },
    workflowBundle: { codePath: inject('bundlePath') },
  });
  const run = await rig.start(planOf(task('flaky', {}), { approval: 'effects' }));
  await lacking.runUntil(run.result().catch(() => undefined));
  await rig.startWorker();
  const { nodes } = await run.query<NodesPage>('nodes');
  expect(nodes).toMatchObject([{ status: 'failed' }]);
  expect(JSON.stringify(nodes)).toContain('Activity function runTask is not registered');
});
