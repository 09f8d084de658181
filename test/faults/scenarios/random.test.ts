/** Random plans under random faults: whatever dies, no finished work is repeated, and every run ends. */

import { expect, inject, test } from 'vitest';
import { torment, WORKER_FAULTS } from '../chaos.ts';
import { attend } from '../operator.ts';
import { randomWork } from '../plans.ts';
import { createRandom, seeds } from '../random.ts';
import { settle } from '../report.ts';
import { openSite } from '../site.ts';

const isLong = inject('long');
const [LEAVES, RUNS, FAULTS] = isLong ? [40, 4, 14] : [10, 2, 4];

test.each(seeds(isLong ? 3 : 1))('workers are killed, frozen and replaced, seed %i', async (seed) => {
  const random = createRandom(seed);
  const site = await openSite();
  await Promise.all([site.hire(), site.hire()]);
  const works = Array.from({ length: RUNS }, () => randomWork(random, LEAVES));
  const options = { approval: 'effects', onFailure: 'ask', concurrency: 8 };
  const started = await Promise.all(works.map(({ document, names }) => site.start(document, names, options)));
  const attended = Promise.all(started.map((one) => attend(site, one)));
  await torment(site, random, WORKER_FAULTS, FAULTS, attended);
  const settled = (await attended).reduce((sum, one) => sum + one.settled, 0);
  const { failing } = await settle(site, 'random plans, workers', { seed, settled });
  expect(failing).toEqual([]);
});
