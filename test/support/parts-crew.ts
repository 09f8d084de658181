/** Runs in parts, carried out by workers in processes of their own that a test may kill. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { inject, onTestFinished } from 'vitest';
import type { NodesPage } from '../../src/protocol/index.ts';
import { idsOf, planOf } from './plans.ts';
import { startWorker, type WorkerProcess } from './start-worker.ts';

let count = 0;

/** A task queue and a store for one test. */
export async function openParts() {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-crash-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const taskQueue = `parts-${process.pid}-${Date.now()}-${++count}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const client = new Client({ connection });
  return {
    folder,
    hire: () => startWorker(folder, taskQueue),
    start: (plan: object, options: object) =>
      client.workflow.start('planWorkflow', {
        taskQueue,
        workflowId: taskQueue,
        args: [planOf(plan, { lane: 'parts', approval: 'effects', ...options })],
      }),
  };
}

export const leaves = (many: number) => Array.from({ length: many }, (_, n) => idsOf(`i${n}`));

export const begunBy = ({ events }: WorkerProcess, id: string) =>
  events.filter(({ what, nodeId }) => what === 'started' && nodeId === id).length;

/** The id of the node whose summary has the text. */
export async function idOf(run: WorkflowHandle, text: string): Promise<string> {
  const { nodes } = await run.query<NodesPage>('nodes');
  return nodes.find(({ summary }) => summary.includes(text))?.id ?? '';
}
