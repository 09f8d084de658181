/** An attempt whose worker dies counts, and the last one of a read may still succeed. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kill, openCrashSite } from '../support/crash-site.ts';
import { planOf, task } from '../support/plans.ts';

test('a read outlives four lost workers', async () => {
  const { folder, hire, start } = await openCrashSite();
  const run = await start(planOf(task('nap', { until: 'a' }), { approval: 'effects' }));
  for (let lost = 0; lost < 4; lost += 1) {
    const worker = await hire();
    await worker.until((events) => events.some(({ what }) => what === 'started'));
    await kill(worker);
  }
  await writeFile(join(folder, 'a'), '');
  const last = await hire();
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(last.events.map(({ what, attempt }) => [what, attempt])).toEqual([
    ['started', 5],
    ['succeeded', 5],
  ]);
});
