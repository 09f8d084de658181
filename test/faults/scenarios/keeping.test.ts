/** A release, a key that is rotated, a copy of server and store, gc in a loop, and a server that is restored from the copy, under open runs. */

import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { checkStore, copyItems } from '../../../src/operations/upkeep/read-store.ts';
import { collect } from '../../../src/operations/upkeep/collect.ts';
import { pinnedBuilds } from '../../../src/config/project/index.ts';
import { createFileStore, encryptedStore } from '../../../src/store/index.ts';
import { release } from '../../support/deployments.ts';
import { deedsOf } from '../ledger.ts';
import { attend, BY, compiled } from '../operator.ts';
import { inParallel } from '../parallel.ts';
import { leaf, together } from '../plans.ts';
import { settle } from '../report.ts';
import { startOwnServer } from '../server.ts';
import { openSite, until, type Site, type Started } from '../site.ts';

const [WAITING, TREES, PATIENCE_MS] = inject('long') ? [50, 10, 600_000] : [8, 2, 150_000];
const EFFECTS = ['first', 'second'] as const;
const OPTIONS = { approval: 'effects', onFailure: 'ask', lane: 'visible' } as const;
const key = () => randomBytes(32).toString('base64');

/** Two steps that happen at most once, the second after the first and after reads. */
const document = (ms: number) => ({
  goal: 'kept',
  plan: leaf(
    'mark-once',
    'second',
    { ms },
    {
      input: together([leaf('mark-once', 'first', { ms }), leaf('look', 'third', { ms })]),
    },
  ),
});

const begunOf = (site: Site) => deedsOf(site.lines(), 'begin').filter(({ effect }) => effect === 'at-most-once');
const approve = (site: Site, { run, plan: { digest } }: Started) =>
  site.say({ run: run.workflowId, word: 'approve' }, () => run.decide({ kind: 'approve', digest, by: BY }));

const haveEnded = async (site: Site, runs: readonly Started[]) => {
  const ends = runs.map(({ run }) => site.client.workflow.getHandle(run.workflowId).describe());
  return (await Promise.all(ends)).every(({ status }) => status.name === 'COMPLETED');
};

const collectOnce = ({ store, client, address }: Site, over = {}) =>
  collect(store, [{ client, namespace: 'default', address }], { remove: true, ...over });

/** @returns how often it was done */
async function collectInLoop(site: Site, over: { readonly is: boolean }): Promise<number> {
  let rounds = 0;
  for (; !over.is; rounds += 1) await collectOnce(site);
  return rounds;
}

test('nothing is lost, repeated or done without approval', async () => {
  const server = await startOwnServer();
  const keys = { old: key(), new: key() };
  const both = { keys, current: 'old' };
  const site = await openSite({ address: server.address, encryption: both });
  const name = `keeping-${randomUUID().slice(0, 8)}`;
  const [old, next] = [
    { name, build: '1' },
    { name, build: '2' },
  ] as const;
  const first = { deployment: old, encryption: { keys: { old: keys.old }, current: 'old' } };
  const leaving = [await site.hire(first), await site.hire(first)];
  await release(site.client, old);
  const open = async (count: number, ms: number) => {
    const runs: Started[] = [];
    await inParallel(Array.from({ length: count }), 8, async () => {
      const started = await site.start(document(ms), EFFECTS, OPTIONS);
      await compiled(started);
      runs.push(started);
    });
    return runs;
  };
  const [waiting, busy, last] = [await open(WAITING, 100), await open(TREES, 2500), await open(TREES, 2500)];
  const all = [...waiting, ...busy, ...last];
  const over = { is: false };
  const collecting = collectInLoop(site, over);

  // A release whose workers encrypt with another key, under effects.
  const second = { deployment: next, encryption: { keys, current: 'new' } };
  await Promise.all([site.hire(second), site.hire(second)]);
  await Promise.all(busy.map((one) => approve(site, one)));
  await until('effects are under way', () => site.flying().length >= TREES);
  await release(site.client, next);
  const goOn = ({ run }: Started) => run.control({ action: 'go-on', by: BY });
  await Promise.all([...waiting, ...last].map(goOn));
  // On a slow machine they have ended.
  await Promise.allSettled(busy.map(goOn));
  const isFree = async () =>
    (await pinnedBuilds(site.client, 'default', site.taskQueue)).every(({ build }) => build !== '1');
  await until('no open run holds the old build', isFree, PATIENCE_MS);
  for (const worker of leaving) await site.fault('replaced', () => worker.stop());
  await until('what was under way is done', () => haveEnded(site, busy), PATIENCE_MS);
  over.is = true;
  const rounds = await collecting;

  // The server first: what it refers to is in the copy of the store then.
  let copy = '';
  await site.fault('copied', async () => (copy = await server.copy()));
  const copied = encryptedStore(createFileStore(join(site.folder, 'copy')), both);
  expect((await copyItems(site.store, copied)).problems).toEqual([]);
  expect((await checkStore(copied)).problems).toEqual([]);

  // Of what is done after the copy the restored server knows nothing, nor of a run that was started then.
  const done = waiting.slice(0, WAITING / 2);
  await Promise.all(done.map((one) => approve(site, one)));
  await until('runs have ended of which the copy does not know it', () => haveEnded(site, done), PATIENCE_MS);
  const lost = await site.plans.start(document(100), { workflowId: `${site.taskQueue}-lost`, options: OPTIONS });
  expect(lost).toMatchObject({ ok: true });
  await until('it has done something', () => deedsOf(site.lines(), 'end').some(({ run }) => run.endsWith('-lost')));
  await Promise.all(last.map((one) => approve(site, one)));
  await until('effects are under way again', () => site.flying().length >= TREES);
  // A worker that lives on would answer for a run as it remembers it.
  for (const worker of site.crew()) await site.fault('kill -9', () => worker.kill());
  await site.fault('restored', () => server.restore(copy));
  await Promise.all([site.hire(second), site.hire(second)]);
  const attended = await Promise.all(all.map((one) => attend(site, one, PATIENCE_MS)));
  const settled = attended.reduce((sum, one) => sum + one.settled, 0);

  const { failing } = await settle(site, 'a restored server', { settled, 'gc rounds': rounds });
  expect(failing).toEqual([]);
  const outcomes = site.lines().flatMap((line) => (line.kind === 'ended' ? [line.outcome] : []));
  expect(outcomes).toEqual(Array<string>(all.length).fill('done'));
  const begun = begunOf(site).map(({ run, name: of }) => `${run} ${of}`);
  expect(new Set(begun).size).toBe(EFFECTS.length * all.length);
  // Only where a person has had it done again, for those that nobody knows to have ended.
  const again = begun.filter((one, at) => begun.indexOf(one) < at).map((one) => one.split(' ')[0]);
  expect(again.length).toBeLessThanOrEqual(settled);
  const inTheAir = last.map(({ run }) => run.workflowId);
  expect(again.filter((run) => !inTheAir.includes(run ?? ''))).toEqual([]);
  expect(rounds).toBeGreaterThan(0);
  // What is younger than a day stays without a question.
  await expect(collectOnce(site, { ageMs: 0 })).rejects.toThrow('it was restored from an earlier backup');
});
