/** What a test of killed workers has to itself: a folder, a task queue, a client, and workers in processes of their own. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { inject, onTestFinished } from 'vitest';
import type { RunStatus } from '../../src/protocol/index.ts';
import { createFileStore, readResult } from '../../src/store/index.ts';
import { anywhere } from './anywhere.ts';
import { startWorker, type DiesAt, type WorkerProcess } from './start-worker.ts';
import { testFolder } from './folders.ts';
import { eventually } from './eventually.ts';

let count = 0;

export async function openCrashSite() {
  const folder = testFolder('crash');
  const taskQueue = `crash-${process.pid}-${Date.now()}-${++count}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const client = new Client({ connection });
  return {
    folder,
    client,
    connection,
    /** @param model address of a model server @param diesAt see `startWorker` */
    hire: (model?: string, diesAt?: DiesAt) => startWorker(folder, taskQueue, undefined, model, diesAt),
    /** @param name of one run among several */
    start: (input: object, name = 'run') =>
      client.workflow.start('planWorkflow', { taskQueue, workflowId: `${taskQueue}-${name}`, args: [input] }),
    /** The lines that capabilities have written so far. */
    async ledger(): Promise<readonly string[]> {
      const text = await readFile(join(folder, 'ledger'), 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    },
    read: (ref: string | undefined) => readResult(anywhere(createFileStore(join(folder, 'results'))), ref ?? ''),
  };
}

export async function kill({ process: worker }: WorkerProcess): Promise<void> {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
}

/** A run may not have heard yet of what has just come. */
export function settled(run: WorkflowHandle, holds: (status: RunStatus) => boolean): Promise<RunStatus> {
  return eventually(async () => {
    const status = await run.query<RunStatus>('status');
    return holds(status) && status;
  });
}

/** @param revision of the plan that is approved. Default: the first that waits */
export async function approve(run: WorkflowHandle, revision?: number): Promise<void> {
  const { digest } = await settled(
    run,
    (status) => status.phase === 'awaiting-approval' && (revision ?? status.revision) === status.revision,
  );
  await run.executeUpdate('decide', { args: [{ kind: 'approve', digest, by: 'operator' }] });
}
