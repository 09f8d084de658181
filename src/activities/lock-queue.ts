/** Locks a resource for one writer at a time, across all runs. The lock belongs to an attempt until it ends. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { RESOURCE_WAIT_MS } from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import { serverLocks, type Lock, type ResourceLocks, type Writer } from './resource-locks.ts';

export type Lease = { readonly ok: true; release(): Promise<void> } | { readonly ok: false; readonly reason: string };

export interface LockTimings {
  /** How long an attempt waits for a lock, in ms. Then the attempt is deferred and frees its slot in the worker. */
  readonly waitMs: number;
  /** Pauses in ms before the first and each further check whether the owner of the lock is still running. */
  readonly lookMs: { readonly first: number; readonly next: number };
  /** After `turnMs` of writing, a worker lets other workers write for `leaveMs` (both in ms). */
  readonly turnMs: number;
  readonly leaveMs: number;
}

export interface LockQueues {
  /**
   * Waits for a lock. Of a worker's writers, only the first waits at the server; the others follow in order. Removes
   * the lock if the server no longer knows its owner.
   * @param forMs how long the attempt may last
   * @throws the reason of `signal` if it aborts
   */
  hold(resource: string, writer: Writer, at: { readonly forMs: number; readonly signal: AbortSignal }): Promise<Lease>;
}

const LOCK_TIMINGS: LockTimings = {
  waitMs: RESOURCE_WAIT_MS,
  lookMs: { first: 1000, next: 10_000 },
  turnMs: 1000,
  leaveMs: 250,
};
const AFTER_FAULT_MS = 1000;
/** Maximum number of deferred writers that keep their places in the queue. Above it, the oldest lose their places. */
const MAX_PLACES = 1000;

export function createLockQueues(locks: ResourceLocks = serverLocks, pace: LockTimings = LOCK_TIMINGS): LockQueues {
  const rows = new Map<string, LockQueue>();
  return {
    async hold(resource, writer, { forMs, signal }) {
      const row = rows.get(resource) ?? openLockQueue(resource, locks, pace, () => rows.delete(resource));
      rows.set(resource, row);
      return row(writer, forMs, signal);
    },
  };
}

type LockQueue = (writer: Writer, forMs: number, signal: AbortSignal) => Promise<Lease>;

interface Waiter {
  readonly writer: Writer;
  readonly forMs: number;
  readonly since: number;
  /** Offers the lock to a writer. Returns false if the writer no longer waits. */
  take(lock: Lock): boolean;
}

/** The queue of one worker's writers for one resource. @param done is called when no writer is left */
function openLockQueue(resource: string, locks: ResourceLocks, pace: LockTimings, done: () => void): LockQueue {
  let waiting: readonly Waiter[] = [];
  const places = new Map<string, number>();
  let writing: Promise<void> | undefined;
  let isServed = false;
  let reason = `the turn did not come at ${resource}`;
  let stop = new AbortController();
  let turn = -Infinity;
  let isLookedAt = false;

  async function serve(): Promise<void> {
    isServed = true;
    for (let [head] = waiting; head !== undefined; [head] = waiting) {
      stop = new AbortController();
      try {
        const lock = await nextLock(head);
        if (lock !== undefined && !head.take(lock)) await lock.unlock('its writer waits no more');
      } catch (error) {
        reason = `the server did not say whether ${resource} is free (${messageOf(error)})`;
        await pause(AFTER_FAULT_MS, stop.signal);
      }
    }
    isServed = false;
    if (writing === undefined) done();
  }

  async function nextLock({ writer, forMs }: Waiter): Promise<Lock | undefined> {
    if (writing === undefined) {
      if (performance.now() - turn > pace.turnMs) {
        if (turn > 0) await pause(pace.leaveMs, stop.signal);
        turn = performance.now();
      }
      const lock = await locks.lock(resource, writer, forMs);
      if (lock !== undefined) return lock;
      turn = -Infinity;
    }
    const { first, next } = pace.lookMs;
    const ms = isLookedAt || writing !== undefined ? next : first;
    const ended = writing?.then(() => true) ?? locks.ended(resource, ms);
    const isFree = await within(ended, writing === undefined ? 2 * ms : ms, stop.signal);
    isLookedAt = !isFree;
    return isFree || stop.signal.aborted ? undefined : look(writer);
  }

  /** Reads the lock. If the owner is this attempt, the server had granted the lock and its reply was lost. */
  async function look(writer: Writer): Promise<Lock | undefined> {
    const standing = await locks.find(resource);
    if (isDeepStrictEqual(standing?.writer, writer)) return standing;
    reason = `${resource} is written by ${nameOf(standing?.writer)}`;
    if (standing?.writer !== undefined && (await locks.isAtWork(standing.writer))) return undefined;
    // The owner's attempt was abandoned. It may never end, so nobody waits for it.
    writing = undefined;
    await standing?.unlock('its writer is not at work any more');
    return undefined;
  }

  function held(lock: Lock): Lease {
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    writing = ended;
    const release = async () => {
      try {
        await lock.unlock('its writer has ended');
      } finally {
        if (writing === ended) writing = undefined;
        end();
        if (!isServed) done();
      }
    };
    return { ok: true, release };
  }

  return (writer, forMs, signal) =>
    new Promise((resolve, reject) => {
      const key = `${writer.workflowId} ${writer.nodeId}`;
      const leave = () => {
        waiting = waiting.filter((one) => one !== waiter);
        signal.removeEventListener('abort', abort);
        clearTimeout(timer);
        if (waiting.length === 0) stop.abort();
      };
      const abort = () => {
        leave();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        leave();
        if (places.size >= MAX_PLACES) places.delete(places.keys().next().value ?? '');
        places.set(key, waiter.since);
        resolve({ ok: false, reason });
      }, pace.waitMs);
      const waiter: Waiter = {
        writer,
        forMs,
        since: places.get(key) ?? performance.now(),
        take(lock) {
          if (!waiting.includes(waiter)) return false;
          leave();
          resolve(held(lock));
          return true;
        },
      };
      places.delete(key);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      waiting = [...waiting, waiter].toSorted((a, b) => a.since - b.since);
      if (!isServed) void serve();
    });
}

/** Resolves with true if the promise resolves with true in time and before the signal aborts; otherwise with false. */
async function within(work: Promise<boolean>, ms: number, signal: AbortSignal): Promise<boolean> {
  const done = new AbortController();
  try {
    return await Promise.race([work, pause(ms, AbortSignal.any([signal, done.signal])).then(() => false)]);
  } finally {
    done.abort();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}

function nameOf(writer: Writer | undefined): string {
  return writer === undefined ? 'somebody unknown' : `${writer.nodeId} of run ${writer.workflowId}`;
}
