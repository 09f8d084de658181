/** One writer at a time over all runs: who waits, for how long, and whose lock is worth nothing. */

import { expect, test } from 'vitest';
import { holdResource } from '../../src/activities/hold-resource.ts';
import type { Lock, ResourceLocks, Writer } from '../../src/activities/resource-locks.ts';

const writer = (workflowId: string): Writer => ({
  workflowId,
  runId: 'r',
  activityId: '1',
  attempt: 1,
  nodeId: 'node_1',
});
const own = writer('own');

/** A double of the server, that lets one lock be open. */
function openLocks(first: Writer | 'nonsense' | undefined, atWork: readonly string[] = []) {
  const told: string[] = [];
  const lockOf = (by: Writer | undefined): Lock => ({
    writer: by,
    unlock(why) {
      told.push(why);
      open = undefined;
      return Promise.resolve();
    },
  });
  let open = first === undefined ? undefined : lockOf(first === 'nonsense' ? undefined : first);
  const locks: ResourceLocks = {
    lock(_, by) {
      if (open !== undefined) return Promise.resolve(undefined);
      open = lockOf(by);
      return Promise.resolve(open);
    },
    find: () => Promise.resolve(open),
    isAtWork: ({ workflowId }) => Promise.resolve(atWork.includes(workflowId)),
  };
  return { locks, told, holder: () => open?.writer?.workflowId };
}

const at = (waitMs: number, signal = new AbortController().signal) => ({ forMs: 1000, signal, waitMs });

test.each<[string, Writer | 'nonsense' | undefined, string | undefined]>([
  ['is free', undefined, undefined],
  ['is held by an attempt that nobody waits for any more', writer('gone'), 'its writer is not at work any more'],
  ['is held by who says nothing of himself', 'nonsense', 'its writer is not at work any more'],
])('a resource that %s is taken, and given back', async (_, first, closed) => {
  const { locks, told, holder } = openLocks(first);
  const hold = await holdResource(locks, 'magnet-12', own, at(60_000));
  expect(holder()).toBe('own');
  if (hold.ok) await hold.release();
  expect(told).toEqual([...(closed === undefined ? [] : [closed]), 'its writer has ended']);
  expect(holder()).toBeUndefined();
});

test('one that is written is waited for, and in the end its writer is named', async () => {
  const { locks, told } = openLocks(writer('other'), ['other']);
  const hold = await holdResource(locks, 'magnet-12', own, at(0));
  expect(hold).toEqual({ ok: false, reason: 'magnet-12 is written by node_1 of run other' });
  expect(told).toEqual([]);
});

test('a lock that was made, and whose answer was lost, is its own', async () => {
  const { locks, told, holder } = openLocks(own, ['own']);
  const hold = await holdResource(locks, 'magnet-12', { ...own }, at(0));
  expect(hold.ok).toBe(true);
  if (hold.ok) await hold.release();
  expect([told, holder()]).toEqual([['its writer has ended'], undefined]);
});

test('no answer is no lock, and is said', async () => {
  const silent: ResourceLocks = { ...openLocks(undefined).locks, lock: () => Promise.reject(new Error('unavailable')) };
  const hold = await holdResource(silent, 'magnet-12', own, at(0));
  expect(hold).toEqual({
    ok: false,
    reason: 'the server did not say whether magnet-12 is free (unavailable)',
  });
});

test('somebody who makes up locks without an end holds a worker neither for ever nor at full speed', async () => {
  let tries = 0;
  const locks: ResourceLocks = {
    lock: () => Promise.resolve(void (tries += 1)),
    find: () => Promise.resolve({ writer: undefined, unlock: () => Promise.resolve() }),
    isAtWork: () => Promise.resolve(false),
  };
  expect(await holdResource(locks, 'magnet-12', own, at(90))).toEqual({
    ok: false,
    reason: 'magnet-12 is written by somebody unknown',
  });
  // At most one before the first pause and one after it.
  expect(tries).toBeLessThanOrEqual(2);
});

test('who is cancelled waits no longer', async () => {
  const { locks } = openLocks(writer('other'), ['other']);
  const stop = new AbortController();
  const waiting = holdResource(locks, 'magnet-12', own, at(60_000, stop.signal));
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});
