/** A rolling upgrade: workers of one version are replaced one by one by those of the next, under open runs whose steps happen at most once. */

import { expect, inject, test } from 'vitest';
import { deedsOf } from '../ledger.ts';
import { attend, compiled } from '../operator.ts';
import { inParallel } from '../parallel.ts';
import { leaf } from '../plans.ts';
import { settle } from '../report.ts';
import { openSite, until, type Started } from '../site.ts';

const isLong = inject('long');
const [RUNS, WORKERS, PATIENCE_MS] = isLong ? [40, 3, 600_000] : [8, 2, 150_000];
const [OLD, NEW] = ['1', '2'];
const STEPS = ['first', 'second'] as const;

/** Two steps that happen at most once, the second after the first. */
const plan = leaf('mark-once', 'second', { ms: 300 }, { input: leaf('mark-once', 'first', { ms: 300 }) });

test('every open run ends done, each effect once, while its workers are replaced', async () => {
  const site = await openSite();
  const old = await Promise.all(Array.from({ length: WORKERS }, () => site.hire({ version: OLD })));
  const open: Started[] = [];
  await inParallel(Array.from({ length: RUNS }), 8, async () => {
    const started = await site.start({ goal: 'upgraded', plan }, STEPS, { approval: 'effects', onFailure: 'ask' });
    await compiled(started);
    open.push(started);
  });
  /** A share of the runs is approved for each old worker that is there: the others wait for their word meanwhile. */
  const share = Math.ceil(RUNS / WORKERS);
  const attended: ReturnType<typeof attend>[] = [];
  for (const [n, member] of old.entries()) {
    await site.hire({ version: NEW });
    attended.push(...open.slice(n * share, (n + 1) * share).map((one) => attend(site, one, PATIENCE_MS)));
    await until('effects are under way', () => site.flying().length > 0);
    if (n < old.length - 1) await site.fault('replaced', () => member.stop());
  }
  // The last old one leaves when the runs that were approved for its version have ended.
  const settled = (await Promise.all(attended)).reduce((sum, one) => sum + one.settled, 0);
  await site.fault('replaced', () => old.at(-1)?.stop() ?? Promise.resolve());
  const next = await site.start({ goal: 'after the upgrade', plan }, STEPS, { approval: 'effects' });
  await attend(site, next);

  const { failing } = await settle(site, 'a rolling upgrade', { settled });
  expect(failing).toEqual([]);
  const outcomes = site.lines().flatMap((line) => (line.kind === 'ended' ? [line.outcome] : []));
  expect(outcomes).toEqual(Array<string>(RUNS + 1).fill('done'));
  const begun = deedsOf(site.lines(), 'begin').map(({ run, name }) => `${run} ${name}`);
  expect(new Set(begun).size).toBe(STEPS.length * (RUNS + 1));
  expect(begun).toHaveLength(STEPS.length * (RUNS + 1));
});
