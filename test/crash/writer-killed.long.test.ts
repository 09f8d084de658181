/** One writer at a time over runs: who was killed while it wrote keeps nobody from its resource, and none overlap. */

import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { OpenItem } from '../../src/protocol/index.ts';
import { planOf, task } from '../support/plans.ts';
import { startWorker } from '../support/start-worker.ts';

async function openDevice(capability: string) {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-crash-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const taskQueue = `writer-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const client = new Client({ connection });
  const ledger = async () => (await readFile(join(folder, 'ledger'), 'utf8').catch(() => '')).trim().split('\n');
  const approved = async (name: string, args: object) => {
    const plan = planOf(task(capability, { name, ...args }));
    const run = await client.workflow.start('planWorkflow', {
      taskQueue,
      workflowId: `${taskQueue}-${name}`,
      args: [plan],
    });
    await expect.poll(() => run.query<readonly OpenItem[]>('questions'), { timeout: 60_000 }).toHaveLength(1);
    const [item] = await run.query<readonly OpenItem[]>('questions');
    await run.executeUpdate('decide', { args: [{ kind: 'approve', digest: item?.digest, by: 'operator' }] });
    return run;
  };
  return { folder, taskQueue, ledger, approved };
}

test('two runs write one after the other though the worker of the first was killed in its write', async () => {
  const { folder, taskQueue, ledger, approved } = await openDevice('write-device');
  const first = await startWorker(folder, taskQueue);
  const one = await approved('one', { until: 'go' });
  await expect.poll(ledger, { timeout: 60_000 }).toEqual(['begin one']);
  const two = await approved('two', { until: 'go' });
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  await startWorker(folder, taskQueue);
  await expect.poll(async () => (await ledger()).length, { timeout: 60_000 }).toBe(2);
  await writeFile(join(folder, 'go'), '');
  for (const run of [one, two]) expect(await run.result()).toMatchObject({ outcome: 'done' });

  const [begun, ...after] = await ledger();
  expect(begun).toBe('begin one');
  const whole = [
    ['begin one', 'end one', 'begin two', 'end two'],
    ['begin two', 'end two', 'begin one', 'end one'],
  ];
  expect(whole).toContainEqual(after);
}, 180_000);

test('writes that are longer than any pause of those who wait never overlap, at two workers of which one is killed', async () => {
  const { folder, taskQueue, ledger, approved } = await openDevice('write-slowly');
  const first = await startWorker(folder, taskQueue);
  const names = ['one', 'two', 'three', 'four'];
  const runs = [await approved('one', { seconds: 7 })];
  await expect.poll(ledger, { timeout: 60_000 }).toEqual(['begin one']);
  await startWorker(folder, taskQueue);
  for (const name of names.slice(1)) runs.push(await approved(name, { seconds: 2 }));
  // Its seven seconds go by with three who wait; the next writer of this worker is killed, whoever it is. The first is
  // waited for until the server knows its end: a worker killed before that has the write repeated, as it should.
  await runs[0]?.result();
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'done' });

  const lines = await ledger();
  expect(lines.slice(0, 2)).toEqual(['begin one', 'end one']);
  expect(lines.filter((line) => line.startsWith('end')).toSorted()).toEqual(
    names.map((name) => `end ${name}`).toSorted(),
  );
  // A begin is followed by its own end; the one that was killed has none.
  const cut = lines.filter((line, at) => line.startsWith('begin') && lines[at + 1] !== line.replace('begin', 'end'));
  expect(cut.length).toBeLessThanOrEqual(1);
}, 180_000);
