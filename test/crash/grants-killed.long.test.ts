/** Workers that are killed while fifty runs look for a grant of twenty uses. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { createFileStore } from '../../src/store/index.ts';
import { kill, openCrashSite, settled } from '../support/crash-site.ts';
import { giveGrant } from '../support/grants.ts';
import { planOf, task } from '../support/plans.ts';
import { IDENTITY, OPERATOR, WORKERS } from '../support/receipts.ts';
import { tool } from '../support/capabilities.ts';

const RUNS = 50;
const USES = 20;
const KILLS = 6;
/** Half a second to four seconds after a worker is ready: while runs compile, take a use, or carry out their effect. */
const [PAUSES = []] = fc.sample(fc.array(fc.integer({ min: 500, max: 4000 }), { minLength: KILLS, maxLength: KILLS }), {
  seed: 7,
  numRuns: 1,
});

test(`of ${RUNS} runs exactly ${USES} have a use each, however often workers are killed`, async () => {
  vi.stubEnv('RECEIPTS', JSON.stringify({ identity: IDENTITY, key: WORKERS.privateKey }));
  const site = await openCrashSite();
  const store = createFileStore(join(site.folder, 'results'));
  // As in `worker-process.ts`: a shape holds the versions of its executors.
  const input = z.object({ name: z.string(), until: z.string().optional() });
  const registry = createRegistry([tool('mark-once', 'at-most-once', 'text', input, () => '')]);
  const payment = (name: string) => planOf(task('mark-once', { name }, { task: 'Mark' }));
  const vary = { 'node_1/arguments/name': { type: 'string', pattern: '^run-[0-9]{1,2}$' } };
  const signing = { key: OPERATOR.privateKey, kid: 'operator' };
  await giveGrant({ registry, store }, payment('any'), { ...signing, terms: { vary, uses: USES } });
  const workers = [await site.hire(), await site.hire()];
  const runs = await Promise.all(Array.from({ length: RUNS }, (_, n) => site.start(payment(`run-${n}`), `${n}`)));
  for (const pause of PAUSES) {
    await sleep(pause);
    const [oldest] = workers.splice(0, 1);
    await kill(oldest!);
    workers.push(await site.hire());
  }
  const ends = await Promise.all(
    runs.map((run) => settled(run, ({ phase, waitingFor }) => phase === 'closed' || waitingFor > 0)),
  );
  const covered = ends.flatMap(({ grants = [] }) => grants);
  expect(new Set(covered).size).toBe(USES);
  expect(ends.filter(({ phase }) => phase === 'awaiting-approval')).toHaveLength(RUNS - USES);
  const lines = await site.ledger();
  expect(new Set(lines).size).toBe(lines.length);
  const done = ends.filter(({ outcome }) => outcome === 'done');
  // An effect whose worker was killed after its claim waits for a person; nobody knows whether it has its line.
  expect(lines.length).toBeGreaterThanOrEqual(done.length);
  expect(lines.length).toBeLessThanOrEqual(USES);
});
