/** A worker that is stopped between its permission and its claim, and wakes when others have gone on: its effect does not begin. */

import { expect, test } from 'vitest';
import { deedsOf } from '../ledger.ts';
import { attend } from '../operator.ts';
import { leaf } from '../plans.ts';
import { settle } from '../report.ts';
import { openSite, until, type Site } from '../site.ts';

const WORK = { goal: 'mark once', plan: leaf('mark-once', 'mark', { ms: 3000 }) };

/** A run whose only effect is permitted, on a worker that has stopped itself right before it claims it. */
async function stopped(site: Site) {
  const sleeper = await site.hire({ stopsAtClaim: true });
  const started = await site.start(WORK, ['mark'], { approval: 'effects', onFailure: 'ask' });
  const attended = attend(site, started);
  await until('the worker has stopped itself', () => sleeper.isStopped());
  return { sleeper, attended };
}

const begun = (site: Site) => deedsOf(site.lines(), 'begin');

test('the next attempt has done the effect', async () => {
  const site = await openSite();
  const { sleeper, attended } = await stopped(site);
  await site.hire();
  await until('another worker has done it', () => deedsOf(site.lines(), 'end').length === 1);
  sleeper.wake();
  await attended;
  await sleeper.stop();
  expect(begun(site)).toHaveLength(1);
  expect((await settle(site, 'stopped before the claim')).failing).toEqual([]);
});

test('a person has had the effect repeated', async () => {
  const site = await openSite();
  const { sleeper, attended } = await stopped(site);
  const second = await site.hire();
  await until('another worker is at it', () => begun(site).length === 1);
  await second.kill();
  await site.hire();
  await until('a third one has done it', () => deedsOf(site.lines(), 'end').length === 1);
  sleeper.wake();
  const { settled } = await attended;
  await sleeper.stop();
  expect(settled).toBe(1);
  const keys = begun(site).map(({ key }) => key);
  expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
  expect((await settle(site, 'stopped before the claim, repeated')).failing).toEqual([]);
});
