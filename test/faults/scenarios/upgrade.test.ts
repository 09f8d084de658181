/** A rolling upgrade: workers of one version are replaced one by one by those of the next, under open runs whose steps happen at most once. */

import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { pinnedBuilds } from '../../../src/config/project/index.ts';
import { buildOfRun, release } from '../../support/deployments.ts';
import { deedsOf } from '../ledger.ts';
import { attend, compiled } from '../operator.ts';
import { inParallel } from '../parallel.ts';
import { leaf, together } from '../plans.ts';
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

const [TREES, LEAVES, FLYING, LAST_MS] = isLong ? [10, 20, 100, 12_000] : [4, 10, 20, 4000];

/** Reads that last, and over them a step that happens at most once. */
function tree(n: number) {
  const names = Array.from({ length: LEAVES }, (_, at) => `r${n}-look-${at}`);
  const reads = together(names.map((name, at) => leaf('look', name, { ms: LAST_MS + 100 * (at % 10) })));
  const last = `r${n}-mark-once`;
  return {
    names: [...names, last],
    document: { goal: `tree ${n}`, plan: leaf('mark-once', last, { ms: 300 }, { input: reads }) },
  };
}

test('runs with nodes under way are taken to the next build, while a worker of the old one is killed', async () => {
  const site = await openSite();
  const name = `upgrade-${randomUUID().slice(0, 8)}`;
  const [old, next] = [
    { name, build: '1' },
    { name, build: '2' },
  ] as const;
  const [killed, kept] = [await site.hire({ deployment: old }), await site.hire({ deployment: old })];
  await release(site.client, old);
  await Promise.all([site.hire({ deployment: next }), site.hire({ deployment: next })]);
  const options = { approval: 'effects', onFailure: 'ask', lane: 'visible' } as const;
  const runs = await Promise.all(
    Array.from({ length: TREES }, (_, n) => tree(n)).map(({ document, names }) => site.start(document, names, options)),
  );
  const attended = Promise.all(runs.map((one) => attend(site, one, PATIENCE_MS)));
  await until(`${FLYING} nodes are under way`, () => site.flying().length >= FLYING);
  await site.fault('kill -9', () => killed.kill());
  await release(site.client, next);
  await Promise.all(runs.map(({ run }) => run.control({ action: 'go-on', by: 'operator' })));
  // The last old worker leaves when nothing is pinned to its build any more.
  const isFree = async () =>
    (await pinnedBuilds(site.client, 'default', site.taskQueue)).every(({ build }) => build !== '1');
  await until('no open run holds the old build', isFree, PATIENCE_MS);
  await site.fault('replaced', () => kept.stop());
  const settled = (await attended).reduce((sum, one) => sum + one.settled, 0);
  const ends = await Promise.all(runs.map(({ run }) => buildOfRun(site.client, run.workflowId)));
  const moved = ends.filter((build) => build === '2').length;

  const { failing } = await settle(site, 'a release under runs', { settled, moved });
  expect(failing).toEqual([]);
  expect(moved).toBe(TREES);
  const outcomes = site.lines().flatMap((line) => (line.kind === 'ended' ? [line.outcome] : []));
  expect(outcomes).toEqual(Array<string>(TREES).fill('done'));
  const once = deedsOf(site.lines(), 'begin').filter(({ effect }) => effect === 'at-most-once');
  expect(once.map(({ run }) => run).toSorted()).toEqual(runs.map(({ run }) => run.workflowId).toSorted());
});
