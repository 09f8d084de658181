/** The database of a store is stopped for 20 minutes: runs wait, say so, are asked about, and go on. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { attend } from '../operator.ts';
import { randomWork } from '../plans.ts';
import { createRandom, seeds } from '../random.ts';
import { settle } from '../report.ts';
import { openSite, until } from '../site.ts';
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
