/** A node that ends its process in a part goes alone from then on, and is found. */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import type { NodesPage, RunResult } from '../../src/wire/contract/index.ts';
import { idsOf, planOf, task, treeOver } from '../support/plans.ts';
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

async function idOf(run: WorkflowHandle, text: string): Promise<string> {
  const { nodes } = await run.query<NodesPage>('nodes');
  return nodes.find(({ summary }) => summary.includes(text))?.id ?? '';
}

test('what ends its process goes alone and has failed after five workers; what had ended before stands', async () => {
  const workers = [await startWorker(folder, taskQueue)];
  const run = await start(task('exit', {}, { input: treeOver(leaves(20)) }), { onFailure: 'partial' });
  const over = { is: false };
  const result = run.result().finally(() => (over.is = true)) as Promise<RunResult>;
  while (!over.is) {
    const last = workers.at(-1);
    await Promise.race([result, last?.process.exitCode === null ? once(last.process, 'exit') : undefined]);
    if (!over.is) workers.push(await startWorker(folder, taskQueue));
  }
  const { outcome, missing } = await result;
  expect(outcome).toBe('partial');
  const bad = await idOf(run, 'exit');
  expect(missing?.map(({ id, failure }) => [id, failure?.type])).toEqual([[bad, 'WorkerLost']]);
  // As often as it may lose a worker alone, and in its part until what it stands on is kept.
  const begun = workers.reduce((sum, worker) => sum + begunBy(worker, bad), 0);
  expect(begun).toBeGreaterThanOrEqual(6);
  const others = workers.flatMap(({ events }) =>
    events.filter(({ what, nodeId }) => what === 'started' && nodeId !== bad),
  );
  expect(new Set(others.map(({ nodeId }) => nodeId)).size).toBe(39);
}, 300_000);
