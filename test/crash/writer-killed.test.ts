/** One writer at a time over runs: who was killed while it wrote keeps nobody from its resource, and none overlap. */

import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { OpenItem } from '../../src/contract/index.ts';
import { planOf, task } from '../support/plans.ts';
import { startWorker } from '../support/start-worker.ts';

test('two runs write one after the other though the worker of the first was killed in its write', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-crash-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const taskQueue = `writer-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const client = new Client({ connection });
  const ledger = async () => (await readFile(join(folder, 'ledger'), 'utf8').catch(() => '')).trim().split('\n');
  const approved = async (name: string) => {
    const plan = planOf(task('write-device', { name, until: 'go' }));
    const run = await client.workflow.start('planWorkflow', {
      taskQueue,
      workflowId: `${taskQueue}-${name}`,
      args: [plan],
    });
    await expect.poll(() => run.query<readonly OpenItem[]>('questions')).toHaveLength(1);
    const [item] = await run.query<readonly OpenItem[]>('questions');
    await run.executeUpdate('decide', { args: [{ kind: 'approve', digest: item?.digest, by: 'operator' }] });
    return run;
  };

  const first = await startWorker(folder, taskQueue);
  const one = await approved('one');
  await expect.poll(ledger).toEqual(['begin one']);
  const two = await approved('two');
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  await startWorker(folder, taskQueue);
  await expect.poll(async () => (await ledger()).length, { timeout: 30_000 }).toBe(2);
  await writeFile(join(folder, 'go'), '');
  for (const run of [one, two]) expect(await run.result()).toMatchObject({ outcome: 'done' });

  const [begun, ...after] = await ledger();
  expect(begun).toBe('begin one');
  const whole = [
    ['begin one', 'end one', 'begin two', 'end two'],
    ['begin two', 'end two', 'begin one', 'end one'],
  ];
  expect(whole).toContainEqual(after);
}, 60_000);
