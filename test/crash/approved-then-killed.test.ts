import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import type { Reply, OpenItem } from '../../src/protocol/index.ts';
import { startWorker, type WorkerProcess } from '../support/start-worker.ts';

let folder: string;
let taskQueue: string;
let client: Client;
let first: WorkerProcess;
let count = 0;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planwright-crash-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  taskQueue = `approved-${process.pid}-${Date.now()}-${++count}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  client = new Client({ connection });
  first = await startWorker(folder, taskQueue);
});

const steps = (capability: string) => ({
  plan: {
    goal: 'Mark three',
    steps: ['a', 'b', 'c'].map((name) => ({ step_id: name, capability, arguments: { name }, description: name })),
  },
});
const say = (run: WorkflowHandle, name: string, message: object) =>
  run.executeUpdate<Reply, [object]>(name, { args: [{ by: 'operator', ...message }] });

async function opened(input: object): Promise<{ run: WorkflowHandle; digest: string }> {
  const run = await client.workflow.start('planWorkflow', { taskQueue, workflowId: taskQueue, args: [input] });
  for (;;) {
    // What has just come a run may not have heard of yet.
    const [item] = await run.query<readonly OpenItem[]>('questions').catch(() => []);
    if (item !== undefined) return { run, digest: item.digest };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function kill({ process }: WorkerProcess): Promise<void> {
  process.kill('SIGKILL');
  await once(process, 'exit');
}

const ledger = async () => (await readFile(join(folder, 'ledger'), 'utf8')).trim().split('\n');

test('killed between the approval and the first node: the approval holds, and each effect happens once', async () => {
  const { run, digest } = await opened(steps('mark-once'));
  // Paused, the approval is taken and nothing can have started when the worker dies.
  await say(run, 'control', { action: 'pause' });
  expect(await say(run, 'decide', { kind: 'approve', digest })).toMatchObject({ ok: true });
  await kill(first);
  const second = await startWorker(folder, taskQueue);
  await say(run, 'control', { action: 'resume' });
  expect(await run.result()).toMatchObject({ outcome: 'done', digest });
  expect(first.events).toEqual([]);
  expect((await ledger()).map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'c']);
  expect(second.events.filter(({ what }) => what === 'started')).toHaveLength(4);
});

test(
  'killed the moment an approval is answered: no effect is made under two keys, and none is lost',
  { tags: ['slow'] },
  async () => {
    const { run, digest } = await opened(steps('mark'));
    await say(run, 'decide', { kind: 'approve', digest });
    await kill(first);
    await startWorker(folder, taskQueue);
    expect(await run.result()).toMatchObject({ outcome: 'done', digest });
    expect([...new Set(await ledger())].map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'c']);
  },
);
