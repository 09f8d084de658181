/** One writer at a time over runs: who was killed while it wrote keeps nobody from its resource, and none overlap. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approve, kill, openCrashSite } from '../support/crash-site.ts';
import { planOf, task } from '../support/plans.ts';

async function openDevice(capability: string) {
  const site = await openCrashSite();
  const approved = async (name: string, args: object) => {
    const run = await site.start(planOf(task(capability, { name, ...args })), name);
    await approve(run);
    return run;
  };
  return { ...site, approved };
}

test('two runs write one after the other though the worker of the first was killed in its write', async () => {
  const { folder, hire, ledger, approved } = await openDevice('write-device');
  const first = await hire();
  const one = await approved('one', { until: 'go' });
  await expect.poll(ledger).toEqual(['begin one']);
  const two = await approved('two', { until: 'go' });
  await kill(first);
  await hire();
  await expect.poll(async () => (await ledger()).length).toBe(2);
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
  const { hire, ledger, approved } = await openDevice('write-slowly');
  const first = await hire();
  const names = ['one', 'two', 'three', 'four'];
  const runs = [await approved('one', { seconds: 7 })];
  await expect.poll(ledger).toEqual(['begin one']);
  await hire();
  for (const name of names.slice(1)) runs.push(await approved(name, { seconds: 2 }));
  // Its seven seconds go by with three who wait; the next writer of this worker is killed, whoever it is. The first is
  // waited for until the server knows its end: a worker killed before that has the write repeated, as it should.
  await runs[0]?.result();
  await kill(first);
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
