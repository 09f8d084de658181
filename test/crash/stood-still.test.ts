/** Workers that stand still for a while, or are killed beside another one: what is safe to repeat is under way again in seconds. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { approve, kill, openCrashSite } from '../support/crash-site.ts';
import { combine, planOf, task } from '../support/plans.ts';

/** A read, and a read behind an effect: all wait for the file `go`. */
const plan = (effect: string) =>
  planOf(
    combine(
      'UNION',
      task('nap', { until: 'go' }),
      task('nap', { until: './go' }, { input: task(effect, { name: 'water', until: 'go' }) }),
    ),
  );

/** @returns a worker with the read and the effect of the plan under way */
async function atWork(effect: string) {
  const site = await openCrashSite();
  const worker = await site.hire();
  const run = await site.start(plan(effect));
  await approve(run);
  await worker.until((events) => events.filter(({ what }) => what === 'started').length === 2);
  while ((await site.ledger()).length === 0) await sleep(20);
  return { ...site, worker, run, letGo: () => writeFile(join(site.folder, 'go'), '') };
}

test.each([2, 4, 10])(
  'a worker that stood still for %i s goes on, and repeats no effect at most once',
  { tags: ['slow'] },
  async (seconds) => {
    const { worker, run, ledger, letGo } = await atWork('mark-once');
    worker.process.kill('SIGSTOP');
    await sleep(seconds * 1000);
    worker.process.kill('SIGCONT');
    await letGo();
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(await ledger()).toHaveLength(1);
  },
);

// Workers are killed and frozen at any moment in test/faults, whose short form is no slow test.
test(
  'a read and an idempotent effect of a killed worker are soon under way in one that stands by',
  { tags: ['slow'] },
  async () => {
    const { worker, run, hire, ledger, letGo } = await atWork('mark');
    const other = await hire();
    const from = performance.now();
    await kill(worker);
    await other.until((events) => events.filter(({ what }) => what === 'started').length === 2);
    // It takes 3 to 7 s; a busy machine has ten times as long.
    expect(performance.now() - from).toBeLessThan(70_000);
    await letGo();
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(new Set(await ledger()).size).toBe(1);
  },
);
