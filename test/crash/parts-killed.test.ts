/** A part whose worker is lost: what is said meanwhile holds. */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import type { NodesPage, Reply, RunResult, RunStatus } from '../../src/wire/contract/index.ts';
import { combine, idsOf, planOf, task, treeOver } from '../support/plans.ts';
import { startWorker, type WorkerProcess } from '../support/start-worker.ts';

let folder: string;
let taskQueue: string;
let client: Client;
let count = 0;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planwright-crash-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  taskQueue = `parts-${process.pid}-${Date.now()}-${++count}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  client = new Client({ connection });
});

const leaves = (many: number) => Array.from({ length: many }, (_, n) => idsOf(`i${n}`));
const start = (plan: object, options: object) =>
  client.workflow.start('planWorkflow', {
    taskQueue,
    workflowId: taskQueue,
    args: [planOf(plan, { lane: 'parts', approval: 'effects', ...options })],
  });
const begunBy = ({ events }: WorkerProcess, id: string) =>
  events.filter(({ what, nodeId }) => what === 'started' && nodeId === id).length;

async function settled(run: WorkflowHandle, holds: (status: RunStatus) => boolean): Promise<void> {
  for (;;) {
    const status = await run.query<RunStatus>('status').catch(() => undefined);
    if (status !== undefined && holds(status)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function idOf(run: WorkflowHandle, text: string): Promise<string> {
  const { nodes } = await run.query<NodesPage>('nodes');
  return nodes.find(({ summary }) => summary.includes(text))?.id ?? '';
}

test('a node that is cancelled while the worker of its part is gone takes no other with it', async () => {
  const naps = combine('UNION', task('nap', { until: 'a' }), task('nap', { until: 'b' }));
  const first = await startWorker(folder, taskQueue);
  const run = await start(combine('UNION', treeOver(leaves(20)), naps), { onFailure: 'partial' });
  await settled(run, ({ counts }) => counts.succeeded === 39);
  const cancelled = await idOf(run, '"a"');
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  const said = run.executeUpdate<Reply, [object]>('control', {
    args: [{ action: 'cancel-node', node: cancelled, by: 'operator' }],
  });
  const second = await startWorker(folder, taskQueue);
  await said;
  await writeFile(join(folder, 'b'), '');
  const { outcome, missing } = (await run.result()) as RunResult;
  expect(outcome).toBe('partial');
  expect(missing?.map(({ status }) => status)).toEqual(['cancelled', 'skipped', 'skipped']);
  expect(begunBy(second, cancelled)).toBe(0);
  expect(second.events.filter(({ what }) => what === 'started').map(({ nodeId }) => nodeId)).toEqual([
    await idOf(run, '"b"'),
  ]);
}, 300_000);
