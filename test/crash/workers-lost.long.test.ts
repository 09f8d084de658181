/** A worker that dies has said nothing about the node it carried out: that is no failure of the node. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kill, openCrashSite } from '../support/crash-site.ts';
import { planOf, task } from '../support/plans.ts';

test('a healthy read outlives more lost workers than it may fail itself', async () => {
  const { folder, hire, start } = await openCrashSite();
  const run = await start(planOf(task('nap', { until: 'a' }), { approval: 'effects' }));
  for (let lost = 0; lost < 3; lost += 1) {
    const worker = await hire();
    await worker.until((events) => events.some(({ what }) => what === 'started'));
    await kill(worker);
  }
  await writeFile(join(folder, 'a'), '');
  const last = await hire();
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(last.events.map(({ what, attempt }) => [what, attempt])).toEqual([
    ['started', 4],
    ['succeeded', 4],
  ]);
});
