import { anywhere } from '../support/anywhere.ts';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { NodeEvent } from '../../src/activities/index.ts';
import { createFileStore, readResult } from '../../src/store/index.ts';
import type { RunResult, RunStatus } from '../../src/protocol/index.ts';
import { combine, planOf, task } from '../support/plans.ts';
import { startWorker } from '../support/start-worker.ts';

const nap = (file: string) => task('nap', { until: file });

test('a run goes on after its worker was killed, and no finished node runs again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-crash-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const taskQueue = `crash-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const client = new Client({ connection });

  const first = await startWorker(folder, taskQueue);
  const plan = combine('UNION', combine('UNION', nap('a'), nap('b')), combine('UNION', nap('c'), nap('d')));
  const run = await client.workflow.start('planWorkflow', {
    taskQueue,
    workflowId: taskQueue,
    args: [planOf(plan, { approval: 'effects' })],
  });
  await writeFile(join(folder, 'a'), '');
  await writeFile(join(folder, 'b'), '');
  await first.until((events) => events.filter(({ what }) => what === 'succeeded').length === 3);
  await until(async () => (await run.query<RunStatus>('status')).counts.succeeded === 3);
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');

  const second = await startWorker(folder, taskQueue);
  await writeFile(join(folder, 'c'), '');
  await writeFile(join(folder, 'd'), '');
  const { outcome, result } = (await run.result()) as RunResult;

  expect(outcome).toBe('done');
  const store = createFileStore(join(folder, 'results'));
  expect(await readResult(anywhere(store), result?.ref ?? '')).toMatchObject({ set: { ids: ['a', 'b', 'c', 'd'] } });
  const finishedBefore = idsOf(first.events, 'succeeded');
  expect(finishedBefore).toEqual(['node_1', 'node_2', 'node_3']);
  expect(idsOf(second.events, 'started')).toEqual(['node_4', 'node_5', 'node_6', 'node_7']);
});

function idsOf(events: readonly NodeEvent[], what: NodeEvent['what']): string[] {
  return events
    .filter((event) => event.what === what)
    .map(({ nodeId }) => nodeId)
    .toSorted();
}

/** Asks again until it is so; the server's own deadline ends it. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
