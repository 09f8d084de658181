/** A worker of a stranger beside those of a project, on a queue of its own, and the request that a run has made of its workers. */

import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import type { NodeRequest } from '../../src/protocol/index.ts';
import type { Rig } from './rig.ts';

type Execute = (type: string, workflowId: string, args: unknown[]) => Promise<unknown>;

/** Poses as a run, or as the parent of an agent. */
export const FALSE_RUN = new URL('./false-run-workflow.ts', import.meta.url);

export async function asStranger<T>(rig: Rig, workflows: URL, work: (execute: Execute) => Promise<T>): Promise<T> {
  const connection = await NativeConnection.connect({ address: inject('address') });
  const taskQueue = `${rig.taskQueue}-stranger`;
  const workflowsPath = fileURLToPath(workflows);
  const worker = await Worker.create({ connection, taskQueue, workflowsPath });
  try {
    return await worker.runUntil(() =>
      work((type, workflowId, args) => rig.client.workflow.execute(type, { taskQueue, workflowId, args })),
    );
  } finally {
    await connection.close();
  }
}

/** What the run has asked of a worker for its first task. */
export async function requestOf(run: WorkflowHandle): Promise<NodeRequest> {
  const { events } = await run.fetchHistory();
  const scheduled = events?.find(
    ({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name === 'runTask',
  );
  const data = scheduled?.activityTaskScheduledEventAttributes?.input?.payloads?.[0]?.data;
  return JSON.parse(Buffer.from(data ?? []).toString('utf8')) as NodeRequest;
}
