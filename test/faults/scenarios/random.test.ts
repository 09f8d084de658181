/** Random plans under random faults: whatever dies or is cut off, no finished work is repeated, and every run ends. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { torment, WORKER_FAULTS, type Faults } from '../chaos.ts';
import { attend } from '../operator.ts';
import { randomWork } from '../plans.ts';
import { openWay, type Way } from '../proxy.ts';
import { postgresStores, s3Stores } from '../../store/stores.ts';
import { createRandom, seeds, type Random } from '../random.ts';
import { settle } from '../report.ts';
import { startOwnServer } from '../server.ts';
import { openSite, type Site } from '../site.ts';

const isLong = inject('long');
const [LEAVES, RUNS, FAULTS] = isLong ? [40, 4, 14] : [10, 2, 4];
const SEEDS = seeds(isLong ? 3 : 1);
const OPTIONS = { approval: 'effects', onFailure: 'ask', concurrency: 8 } as const;

test.each(SEEDS)('workers are killed, frozen and replaced, seed %i', async (seed) => {
  await stand(await openSite(), 'workers', seed, WORKER_FAULTS);
});

/** The short form has a folder alone: these servers are installed or built, which takes minutes. */
const REMOTE = [
  ['PostgreSQL', postgresStores],
  ['S3', s3Stores],
] as const;

test.each(isLong ? REMOTE : [])('workers are killed, frozen and replaced on a store in %s', async (name, open) => {
  const kind = await open();
  onTestFinished(() => kind.close());
  for (const seed of SEEDS) {
    const { place } = await kind.make();
    await stand(await openSite({ place }), name, seed, WORKER_FAULTS);
  }
});

/** In the short form, workers alone. */
const LONG_SEEDS = isLong ? SEEDS : [];

test.each(LONG_SEEDS)('the server is killed on its database, seed %i', async (seed) => {
  const server = await startOwnServer();
  const crash = (_: Site, random: Random) => server.crash(random.below(8000));
  const faults = { ...WORKER_FAULTS, 'server kill -9': crash };
  await stand(await openSite({ address: server.address }), 'server', seed, faults);
});

test.each(LONG_SEEDS)('the way to the server is held, cut, delayed and reset, seed %i', async (seed) => {
  const way = await openWay(inject('address'));
  onTestFinished(() => way.close());
  await stand(await openSite({ address: way.address }), 'network', seed, networkFaults(way));
});

function networkFaults(way: Way): Faults {
  return {
    'black hole': async (_, random) => {
      way.hold();
      await sleep(500 + random.below(20_000));
      way.release();
    },
    delay: async (_, random) => {
      way.delay(50 + random.below(500));
      await sleep(1500);
      way.delay(0);
    },
    'cut bytes': () => Promise.resolve(way.cut()),
    reset: () => Promise.resolve(way.reset()),
  };
}

/** Runs random plans while the faults are made, and judges them. */
async function stand(site: Site, what: string, seed: number, faults: Faults, most = FAULTS): Promise<void> {
  const random = createRandom(seed);
  await Promise.all([site.hire(), site.hire()]);
  const works = Array.from({ length: RUNS }, () => randomWork(random, LEAVES));
  const started = await Promise.all(works.map(({ document, names }) => site.start(document, names, OPTIONS)));
  const attended = Promise.all(started.map((one) => attend(site, one)));
  await torment(site, random, faults, most, attended);
  const settled = (await attended).reduce((sum, one) => sum + one.settled, 0);
  const { failing } = await settle(site, `random plans, ${what}`, { seed, settled });
  expect(failing).toEqual([]);
}
