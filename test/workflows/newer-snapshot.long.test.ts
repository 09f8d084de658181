/** A run that a worker of a newer build has written down waits for one of that build, and is not failed by an older one. */

import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { PLAN_WORKFLOW } from '../../src/protocol/index.ts';
import { STATE_VERSION } from '../../src/workflows/run/index.ts';
import { createWorker } from '../../src/worker/index.ts';
import { openRig } from '../support/rig.ts';

test('a snapshot of the next version: workflow tasks fail until a worker of the newer build takes the run up', async () => {
  const rig = await openRig({ capabilities: [] });
  const connection = await NativeConnection.connect({ address: inject('address') });
  // Two builds share a queue, whose histories one of them alone can replay.
  const place = { connection, namespace: 'default', taskQueue: `${rig.taskQueue}-builds` };
  const newer = () =>
    Worker.create({
      ...place,
      maxCachedWorkflows: 0,
      workflowsPath: fileURLToPath(new URL('../support/newer-build-workflow.ts', import.meta.url)),
    });
  try {
    const { taskQueue } = place;
    const run = await rig.client.workflow.start(PLAN_WORKFLOW, { taskQueue, workflowId: `${taskQueue}-1`, args: [{}] });
    const first = await newer();
    await first.runUntil(() => expect.poll(() => isSecond()).toBe(true));
    // It has something to hear, so that a workflow task waits for whoever takes it.
    await run.signal('end');

    const { registry, store } = rig;
    const sdk = { workflowBundle: { codePath: inject('bundlePath') } };
    const today = await createWorker({ ...place, registry, store, sdk });
    await today.runUntil(() => expect.poll(() => failures()).not.toEqual([]));
    const [failure] = await failures();
    expect(failure).toContain(`version ${STATE_VERSION + 1}, this worker reads ${STATE_VERSION}`);
    expect(failure).toContain('start a worker of that build');
    expect((await run.describe()).status.name).toBe('RUNNING');

    const again = await newer();
    expect(await again.runUntil(() => run.result())).toBe('taken up by the newer build');

    async function isSecond(): Promise<boolean> {
      return (await run.describe()).runId !== run.firstExecutionRunId;
    }
    async function failures(): Promise<readonly string[]> {
      const { events } = await rig.client.workflow.getHandle(run.workflowId).fetchHistory();
      return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? []);
    }
  } finally {
    await connection.close();
    await rig.close();
  }
});
