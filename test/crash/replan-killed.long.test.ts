/** The worker is killed while the plan is made anew, with the reply of the model in hand: nothing is bought or done twice. */

import { anywhere } from '../support/anywhere.ts';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { RunResult, RunStatus } from '../../src/protocol/index.ts';
import { createFileStore, readResult } from '../../src/store/index.ts';
import { chatDelta, startModelServer, type Answer, type Asked } from '../support/model-server.ts';
import { startWorker } from '../support/start-worker.ts';

const marked = { id: 'm', task: 'Mark it', capability: 'mark', arguments: { name: 'once' } };
const read = (name: string) => ({ id: 'b', task: 'Read', capability: 'list', arguments: { name } });

/** The first plan names a list that is not there, the second another one. */
function answer({ body }: Asked): Answer {
  const isAnew = JSON.stringify(body).includes('How its nodes went');
  const value = { explanation: 'As asked.', nodes: [marked, read(isAnew ? 'there' : 'gone')] };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const said = [chatDelta({ content: JSON.stringify(value) }), chatDelta({}, 'stop'), { choices: [], usage }];
  return { events: [...said, 'data: [DONE]\n\n'] };
}

test('a worker that is killed with the new plan in hand is followed by one that neither buys it nor repeats what is done', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-crash-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const model = await startModelServer(answer);
  const taskQueue = `crash-replan-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const run = await new Client({ connection }).workflow.start('planWorkflow', {
    taskQueue,
    workflowId: taskQueue,
    args: [{ goal: 'Mark and read', options: { onFailure: 'replan' } }],
  });
  const settled = async (holds: (status: RunStatus) => boolean): Promise<RunStatus> => {
    for (;;) {
      const status = await run.query<RunStatus>('status').catch(() => undefined);
      if (status !== undefined && holds(status)) return status;
      await pause(20);
    }
  };
  const approve = async (revision: number) => {
    const { digest } = await settled((status) => status.revision === revision && status.phase === 'awaiting-approval');
    await run.executeUpdate('decide', { args: [{ kind: 'approve', digest, by: 'operator' }] });
  };

  const first = await startWorker(folder, taskQueue, undefined, model.baseURL);
  await approve(1);
  // The reply is in the journal, and its plan is being compiled.
  while (!existsSync(join(folder, 'looks'))) await pause(20);
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  expect(model.asked.length).toBe(2);

  await startWorker(folder, taskQueue, undefined, model.baseURL);
  await writeFile(join(folder, 'there'), '');
  await approve(2);
  const { outcome, results } = (await run.result()) as RunResult & {
    readonly results: Record<string, { ref: string }>;
  };
  expect(outcome).toBe('done');
  expect(await readResult(anywhere(createFileStore(join(folder, 'results'))), results['b']?.ref ?? '')).toMatchObject({
    set: { ids: ['there'] },
  });
  const asked = model.asked.filter(({ body }) => JSON.stringify(body).includes('"plan"'));
  expect(asked.length).toBe(2);
  expect((await readFile(join(folder, 'ledger'), 'utf8')).trim().split('\n')).toHaveLength(1);
});
