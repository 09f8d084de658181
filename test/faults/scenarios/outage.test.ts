/** The database of a store or of the server is away, full, or of other settings: runs wait and go on. */

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { mountSmallDisk } from '../disk.ts';
import { attend, compiled } from '../operator.ts';
import { randomWork } from '../plans.ts';
import { createRandom, seeds } from '../random.ts';
import { settle } from '../report.ts';
import { startOwnServer } from '../server.ts';
import { openSite, until } from '../site.ts';
import { memoryFolder } from '../../support/memory-folder.ts';
import { postgresStores } from '../../store/stores.ts';

const OUTAGE_MS = inject('long') ? 20 * 60_000 : 20_000;
const RUNS = 3;

test('PostgreSQL is stopped while work is in flight', { timeout: OUTAGE_MS + 600_000 }, async () => {
  const kind = await postgresStores();
  onTestFinished(() => kind.close());
  const { place } = await kind.make();
  const site = await openSite({ place });
  await Promise.all([site.hire(), site.hire()]);
  const random = createRandom(seeds(1)[0] ?? 1);
  const works = Array.from({ length: RUNS }, () => randomWork(random, 20));
  const options = { approval: 'effects', onFailure: 'ask', concurrency: 8 } as const;
  const started = await Promise.all(works.map(({ document, names }) => site.start(document, names, options)));
  const attended = Promise.all(started.map((one) => attend(site, one, OUTAGE_MS + 120_000)));
  await until('work is in flight', () => site.flying().length > 2);
  await site.fault('stopped', () => kind.server.stop());
  for (const { run } of started) {
    await until('the run says what it waits for, and when a person is asked', async () => {
      const { status } = await run.view(['status']);
      return /^waits for the store: .+, since .+; try \d+ at .+; a person is asked at /.test(status.waits ?? '');
    });
  }
  await sleep(OUTAGE_MS);
  for (const { run } of started) expect((await run.view(['status'])).status).toMatchObject({ phase: 'running' });
  await kind.server.start();
  const settled = (await attended).reduce((sum, one) => sum + one.settled, 0);
  expect((await settle(site, 'PostgreSQL is stopped', { settled })).failing).toEqual([]);
});

const FULL_MS = 15_000;

test("the disk of the server's database is full for a while", async (context) => {
  const dir = await mkdtemp(join(memoryFolder(), 'planwright-faults-disk-'));
  const disk = await mountSmallDisk(dir, '16m');
  if (disk === undefined) return void context.skip('mounting a small disk takes root on Linux');
  const site = await openSite({ address: (await startOwnServer(dir)).address });
  await site.hire();
  const { document, names } = randomWork(createRandom(seeds(1)[0] ?? 1), 20);
  const started = await site.start(document, names, { approval: 'effects', onFailure: 'ask', concurrency: 2 });
  const attended = attend(site, started);
  await until('work is in flight', () => site.flying().length > 0);
  await site.fault('full', () => disk.fill());
  await sleep(FULL_MS);
  await disk.free();
  const { settled } = await attended;
  expect((await settle(site, "the disk of the server's database is full", { settled })).failing).toEqual([]);
});

test('a run that began on a server without our settings goes on with them, on the same database', async () => {
  const server = await startOwnServer(undefined, true);
  const site = await openSite({ address: server.address });
  await site.hire();
  const { document, names } = randomWork(createRandom(seeds(1)[0] ?? 1), 20);
  const options = { approval: 'required', onFailure: 'ask' } as const;
  const [first, second] = [await site.start(document, names, options), await site.start(document, names, options)];
  await attend(site, first);
  await compiled(second);
  await site.fault('other settings', () => server.crash(0));
  await attend(site, second);
  expect((await settle(site, 'a server without our settings')).failing).toEqual([]);
});
