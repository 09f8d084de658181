/** One writer at a time over all runs: who waits, for how long and in which order, and whose lock is worth nothing. */

import { setImmediate as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLockQueues, type Lease, type LockTimings } from '../../src/activities/lock-queue.ts';
import type { Lock, ResourceLocks, Writer } from '../../src/activities/resource-locks.ts';

const writer = (workflowId: string): Writer => ({
  workflowId,
  runId: 'r',
  activityId: '1',
  attempt: 1,
  nodeId: 'node_1',
});
const own = writer('own');

/** A double of the server, that lets one lock be open and counts what it is asked. */
function openLocks(first?: Writer | 'nonsense', atWork: readonly string[] = []) {
  const told: string[] = [];
  const asked = { lock: 0, ended: 0, find: 0, isAtWork: 0, unlock: 0 };
  const waiting = new Set<(isGone: boolean) => void>();
  const lockOf = (by: Writer | undefined): Lock => ({
    writer: by,
    async unlock(why) {
      asked.unlock += 1;
      told.push(why);
      if (open !== lock) return;
      open = undefined;
      await later();
      for (const tell of waiting) tell(true);
    },
  });
  let lock: Lock | undefined;
  let open: Lock | undefined;
  const put = (by: Writer | undefined) => (open = lock = lockOf(by));
  if (first !== undefined) put(first === 'nonsense' ? undefined : first);
  const locks: ResourceLocks = {
    async lock(_, by) {
      asked.lock += 1;
      await later();
      return open === undefined ? put(by) : undefined;
    },
    async find() {
      asked.find += 1;
      await later();
      return open;
    },
    ended(_, withinMs) {
      asked.ended += 1;
      if (open === undefined) return Promise.resolve(true);
      return new Promise((resolve) => {
        const tell = (isGone: boolean) => {
          clearTimeout(timer);
          waiting.delete(tell);
          resolve(isGone);
        };
        const timer = setTimeout(() => tell(false), withinMs);
        waiting.add(tell);
      });
    },
    isAtWork({ workflowId }) {
      asked.isAtWork += 1;
      return Promise.resolve(atWork.includes(workflowId));
    },
  };
  return { locks, told, asked, holder: () => open?.writer?.workflowId };
}

const QUICK: LockTimings = { waitMs: 60_000, lookMs: { first: 5, next: 10 }, turnMs: 50, leaveMs: 10 };
/** What is not looked at: nothing here lasts so long. */
const NEVER: LockTimings = { ...QUICK, lookMs: { first: 20_000, next: 20_000 } };
const at = (signal = new AbortController().signal) => ({ forMs: 1000, signal });

test.each<[string, Writer | 'nonsense' | undefined, string | undefined]>([
  ['is free', undefined, undefined],
  ['is held by an attempt that nobody waits for any more', writer('gone'), 'its writer is not at work any more'],
  ['is held by who says nothing of himself', 'nonsense', 'its writer is not at work any more'],
])('a resource that %s is taken, and given back', async (_, first, closed) => {
  const { locks, told, holder } = openLocks(first);
  const hold = await createLockQueues(locks, QUICK).hold('magnet-12', own, at());
  expect(holder()).toBe('own');
  if (hold.ok) await hold.release();
  expect(told).toEqual([...(closed === undefined ? [] : [closed]), 'its writer has ended']);
  expect(holder()).toBeUndefined();
});

test('one that is written is waited for, and in the end its writer is named', async () => {
  const { locks, told } = openLocks(writer('other'), ['other']);
  const hold = await createLockQueues(locks, { ...QUICK, waitMs: 500 }).hold('magnet-12', own, at());
  expect(hold).toEqual({ ok: false, reason: 'magnet-12 is written by node_1 of run other' });
  expect(told).toEqual([]);
});

test('somebody who makes up locks without an end holds a worker neither for ever nor at full speed', async () => {
  let looks = 0;
  const locks: ResourceLocks = {
    lock: () => Promise.resolve(undefined),
    find: () => Promise.resolve({ writer: undefined, unlock: () => Promise.resolve() }),
    async ended(_, withinMs) {
      looks += 1;
      await new Promise((resolve) => setTimeout(resolve, withinMs));
      return false;
    },
    isAtWork: () => Promise.resolve(false),
  };
  const pace = { ...QUICK, waitMs: 100, lookMs: { first: 60, next: 60 } };
  expect(await createLockQueues(locks, pace).hold('magnet-12', own, at())).toEqual({
    ok: false,
    reason: 'magnet-12 is written by somebody unknown',
  });
  // A look lasts as long as it says: one has ended before the wait has, and one has not.
  expect(looks).toBeLessThanOrEqual(2);
});

test('who is cancelled waits no longer, and a lock that comes too late for it is given back', async () => {
  const { locks, holder, asked } = openLocks();
  const stop = new AbortController();
  const waiting = createLockQueues(locks, QUICK).hold('magnet-12', own, at(stop.signal));
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await expect.poll(() => asked.unlock).toBe(1);
  expect(holder()).toBeUndefined();
});

test('a hundred writers of a worker write in the order in which they came, with two calls each', async () => {
  const { locks, asked } = openLocks();
  const { hold } = createLockQueues(locks, NEVER);
  const order: string[] = [];
  let atOnce = 0;
  const write = async (name: string) => {
    const got = await hold('magnet-12', writer(name), at());
    if (!got.ok) throw new Error(got.reason);
    expect((atOnce += 1)).toBe(1);
    order.push(name);
    await later();
    atOnce -= 1;
    await got.release();
  };
  const names = Array.from({ length: 100 }, (_, index) => `run-${index}`);
  await Promise.all(names.map(write));
  expect(order).toEqual(names);
  expect(asked).toEqual({ lock: 100, ended: 0, find: 0, isAtWork: 0, unlock: 100 });
});

test('two workers share a resource: none waits until the other has none left, with at most three calls a wait', async () => {
  const names = (worker: string) => Array.from({ length: 50 }, (_, index) => `${worker}-${index}`);
  const { locks, asked } = openLocks(undefined, [...names('a'), ...names('b')]);
  const order: string[] = [];
  let atOnce = 0;
  const write = async (hold: (name: string) => Promise<Lease>, name: string) => {
    const got = await hold(name);
    if (!got.ok) throw new Error(got.reason);
    expect((atOnce += 1)).toBe(1);
    order.push(name);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce -= 1;
    await got.release();
  };
  const workers = ['a', 'b'].map((worker) => {
    const { hold } = createLockQueues(locks, NEVER);
    return names(worker).map((name) => write((each) => hold('magnet-12', writer(each), at()), name));
  });
  await Promise.all(workers.flat());
  const [first = ''] = order;
  expect(order.findIndex((name) => name.charAt(0) !== first.charAt(0))).toBeLessThan(50);
  expect(order.filter((name) => name.startsWith('a'))).toEqual(names('a'));
  expect(order.filter((name) => name.startsWith('b'))).toEqual(names('b'));
  expect(asked.lock + asked.ended + asked.find + asked.isAtWork).toBeLessThanOrEqual(300);
});

test('who went back to its run because the wait was long has its place when it comes again', async () => {
  const { locks, holder } = openLocks(writer('other'), ['other']);
  const pace = { ...NEVER, waitMs: 40 };
  const { hold } = createLockQueues(locks, pace);
  const early = hold('magnet-12', writer('early'), at());
  pace.waitMs = 60_000;
  const late = hold('magnet-12', writer('late'), at());
  expect((await early).ok).toBe(false);
  const again = hold('magnet-12', writer('early'), at());
  await (await locks.find('magnet-12'))?.unlock('it has ended');
  // A writer that is not at work loses its lock after a while, so that the second would have its turn too.
  const got = await Promise.race([late, again]);
  expect(holder()).toBe('early');
  if (got.ok) await got.release();
  expect((await late).ok).toBe(true);
});

test('beyond a thousand places only the oldest is lost', async () => {
  const { locks } = openLocks(writer('other'), ['other']);
  const pace = { ...NEVER, waitMs: 40 };
  const { hold } = createLockQueues(locks, pace);
  const early = Array.from({ length: 1001 }, (_, nth) => hold('magnet-12', writer(`early ${nth}`), at()));
  expect((await Promise.all(early)).filter(({ ok }) => ok)).toEqual([]);
  pace.waitMs = 60_000;
  const order: string[] = [];
  const turns = ['late', 'early 0', 'early 1000', 'early 1'].map(async (name) => {
    const got = await hold('magnet-12', writer(name), at());
    order.push(name);
    if (got.ok) await got.release();
  });
  await (await locks.find('magnet-12'))?.unlock('it has ended');
  await Promise.all(turns);
  expect(order.slice(0, 2).toSorted()).toEqual(['early 1', 'early 1000']);
  expect(order.slice(2)).toEqual(['late', 'early 0']);
});

test('a writer of the same worker that goes on after it was given up keeps nobody from its resource', async () => {
  const { locks, told } = openLocks();
  const { hold } = createLockQueues(locks, QUICK);
  await hold('magnet-12', writer('stuck'), at());
  const next = await hold('magnet-12', own, at());
  expect(next.ok).toBe(true);
  expect(told).toEqual(['its writer is not at work any more']);
});
