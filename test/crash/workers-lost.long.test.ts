/** A worker that dies has said nothing about the node it carried out: that is no failure of the node. */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import { planOf, task } from '../support/plans.ts';
import { startWorker } from '../support/start-worker.ts';

test('a healthy read outlives more lost workers than it may fail itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-crash-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const taskQueue = `lost-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const client = new Client({ connection });
  const args = [planOf(task('nap', { until: 'a' }), { approval: 'effects' })];
  const run = await client.workflow.start('planWorkflow', { taskQueue, workflowId: taskQueue, args });
  for (let lost = 0; lost < 3; lost += 1) {
    const worker = await startWorker(folder, taskQueue);
    await worker.until((events) => events.some(({ what }) => what === 'started'));
    worker.process.kill('SIGKILL');
    await once(worker.process, 'exit');
  }
  await writeFile(join(folder, 'a'), '');
  const last = await startWorker(folder, taskQueue);
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(last.events.map(({ what, attempt }) => [what, attempt])).toEqual([
    ['started', 4],
    ['succeeded', 4],
  ]);
});
