/** A result store that is full, read-only, damaged or robbed: no effect without its claim, and every run ends and says why. */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allObjects, DAMAGES, mountSmallDisk, objectPaths, type SmallDisk } from '../disk.ts';
import { KNOWN_STORE } from '../known.ts';
import { deedsOf } from '../ledger.ts';
import { attend, BY } from '../operator.ts';
import { leaf, randomWork, together } from '../plans.ts';
import { createRandom, seeds } from '../random.ts';
import { settle, tell } from '../report.ts';
import { openSite, until, type Site, type Started } from '../site.ts';

const DISK_FAULTS: Readonly<Record<string, (disk: SmallDisk) => Promise<() => Promise<void> | void>>> = {
  full: async (disk) => {
    await disk.fill();
    return () => disk.free();
  },
  'read-only': (disk) => {
    disk.setWritable(false);
    return Promise.resolve(() => disk.setWritable(true));
  },
};

test.for(Object.keys(DISK_FAULTS))('a store that is %s for a while', async (what, context) => {
  const site = await openSite();
  const disk = await mountSmallDisk(site.storeDir);
  if (disk === undefined) return void context.skip('mounting a small disk takes root on Linux');
  await site.hire();
  const { document, names } = randomWork(createRandom(seeds(1)[0] ?? 1), 10);
  const started = await site.start(document, names, { approval: 'effects', onFailure: 'ask', concurrency: 4 });
  const attended = attend(site, started);
  await until('work is in flight', () => site.flying().length > 0);
  let mend: (() => Promise<void> | void) | undefined;
  await site.fault(what, async () => (mend = await DISK_FAULTS[what]?.(disk)));
  // What an effect has come to waits in its worker, unseen; whatever else needs the store has the run say so.
  await until(
    'the run says what it waits for',
    async () =>
      (await started.run.view(['status']).catch(() => undefined))?.status.waits?.startsWith('waits for the store: ') ===
      true,
  ).catch(() => undefined);
  const { counts } = (await started.run.view(['status'])).status;
  expect(counts.failed).toBe(0);
  await mend?.();
  const { settled } = await attended;
  const { failing } = await settle(site, `a store that is ${what}`, { settled });
  expect(failing).toEqual([]);
});

test('a file under a result that is still needed is damaged', async () => {
  const site = await openSite();
  await site.hire();
  for (const [what, damage] of Object.entries(DAMAGES)) {
    const first = await waitForFirst(site, what);
    for (const { summary, result } of (await first.run.view(['nodes'])).nodes) {
      if (result === undefined || !summary.includes('first')) continue;
      const paths = await objectPaths(site.storeDir, result.ref);
      expect(paths).not.toEqual([]);
      await site.fault(what, () => Promise.all(paths.map(damage)));
    }
    expect(await endOf(site, first)).toMatch(/PlanFailed .*(was changed or cut|There is no result)/);
    // The same result, made anew, takes the place of the damaged one.
    const end = await endOf(site, await waitForFirst(site, what));
    const known = KNOWN_STORE[what];
    if (known === undefined) expect(end).toMatch(/^done/);
    else tell(`  ${what}, made anew`, { ends: end.slice(0, 40), known });
  }
  expect((await settle(site, 'damaged results')).failing).toEqual([]);
});

test('every stored file is damaged and the worker is replaced: the run fails and says why', async () => {
  const site = await openSite();
  const old = await site.hire();
  const plan = together([leaf('look', 'first', { ms: 3000 }), leaf('look', 'second')]);
  const started = await site.start({ goal: 'all damaged', plan }, [], { approval: 'effects' });
  await until(
    'the second is done',
    async () => (await started.run.view(['status']).catch(() => undefined))?.status.counts.succeeded === 1,
  );
  for (const path of await allObjects(site.storeDir)) await DAMAGES['a flipped byte']?.(path);
  await site.fault('every file is damaged', () => old.kill());
  await site.hire();
  expect(await endOf(site, started)).toMatch(/was changed or cut/);
  expect((await settle(site, 'every stored file damaged')).failing).toEqual([]);
});

/** What is removed is written to meanwhile. */
const AGAIN = { recursive: true, force: true, maxRetries: 10, retryDelay: 10 };

test('a store that has lost what its runs have done goes on', async () => {
  const site = await openSite();
  await site.hire();
  const parts = [leaf('mark-once', 'first'), leaf('choose', 'which'), leaf('mark-once', 'second', { ms: 200 })];
  const started = await site.start({ goal: 'lost', plan: together(parts) }, ['first', 'second'], {
    approval: 'effects',
  });
  const attended = attend(site, started);
  await until('an effect has begun', () => deedsOf(site.lines(), 'begin').length > 0);
  await site.fault('entries removed', () => removeEntries(site));
  await attended;
  expect((await settle(site, 'a store that has lost entries')).failing).toEqual([]);
});

/** All that its runs have there but contents. */
async function removeEntries(site: Site): Promise<void> {
  const folders = await readdir(join(site.storeDir, 'runs'), { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of folders) {
    if (['done', 'begun', 'effects'].includes(name)) await rm(join(parentPath, name), AGAIN);
  }
}

/** Starts a run whose first work is done and whose rest waits for an answer. */
async function waitForFirst(site: Site, goal: string): Promise<Started> {
  const plan = together([leaf('look', 'first'), leaf('choose', 'which')]);
  const started = await site.start({ goal, plan }, [], { approval: 'effects' });
  await until('the first is done and a question is open', async () => {
    const { status } = (await started.run.view(['status']).catch(() => undefined)) ?? {};
    return status?.counts.succeeded === 1 && status.waitingFor === 1;
  });
  return started;
}

/** Answers what is asked and waits for the end. */
async function endOf(site: Site, started: Started): Promise<string> {
  const { run } = started;
  for (const { id, kind } of (await run.view(['open'])).open) {
    if (kind === 'question') await run.answer({ question: id, value: ['chosen'], by: BY });
  }
  await attend(site, started);
  const end = site.lines().find((line) => line.kind === 'ended' && line.run === run.workflowId);
  return end?.kind === 'ended' ? `${end.outcome} ${end.reason}` : 'nothing';
}
