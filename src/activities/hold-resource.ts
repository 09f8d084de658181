/** One writer at a time over all runs: an attempt at an effect has its resource from before the gate until it has ended. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { RESOURCE_WAIT_MS } from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import { serverLocks, type Lock, type ResourceLocks, type Writer } from './resource-locks.ts';

export type Hold = { readonly ok: true; release(): Promise<void> } | { readonly ok: false; readonly reason: string };

export interface Pace {
  /** After this wait the attempt is deferred, so that its worker has room for others. */
  readonly waitMs: number;
  /** The wait before the server is asked whether the lock's writer still works: most writers release sooner. */
  readonly lookMs: { readonly first: number; readonly next: number };
  /** A worker that has written for so long leaves the resource to other workers for a moment. */
  readonly turnMs: number;
  readonly leaveMs: number;
}

export interface Holds {
  /**
   * Waits for a lock in the order in which the writers of this worker came; only one of them waits at the server. If
   * the server no longer waits for the lock's owner (its worker is lost, its run has ended, or it was retried), the
   * lock is removed.
   * @param forMs how long the attempt may last
   * @throws the reason of `signal`, if aborted
   */
  hold(resource: string, writer: Writer, at: { readonly forMs: number; readonly signal: AbortSignal }): Promise<Hold>;
}

/** A lock is left alone before its writer is asked after. The time between further questions to the server about the writer of a lock. That pause. */
const PACE: Pace = { waitMs: RESOURCE_WAIT_MS, lookMs: { first: 1000, next: 10_000 }, turnMs: 1000, leaveMs: 250 };
/** The pause after a call about a lock failed. */
const AFTER_FAULT_MS = 1000;
/** The most writers that keep their place in line after they went back to their run. Beyond these they lose it. */
const MOST_PLACES = 1000;

export function createHolds(locks: ResourceLocks = serverLocks, pace: Pace = PACE): Holds {
  const rows = new Map<string, Row>();
  return {
    async hold(resource, writer, { forMs, signal }) {
      const row = rows.get(resource) ?? createRow(resource, locks, pace, () => rows.delete(resource));
      rows.set(resource, row);
      return row(writer, forMs, signal);
    },
  };
}

type Row = (writer: Writer, forMs: number, signal: AbortSignal) => Promise<Hold>;

interface Waiter {
  readonly writer: Writer;
  readonly forMs: number;
  readonly since: number;
  /** False if it no longer waits. */
  take(lock: Lock): boolean;
}

/** The writers of one worker that wait for one resource. @param done called when nobody waits or writes */
function createRow(resource: string, locks: ResourceLocks, pace: Pace, done: () => void): Row {
  let waiting: readonly Waiter[] = [];
  const places = new Map<string, number>();
  /** The writer of this worker; it reports its own end. */
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

  /** The server may have made its lock and the answer have been lost: then it is its own. */
  async function look(writer: Writer): Promise<Lock | undefined> {
    const standing = await locks.find(resource);
    if (isDeepStrictEqual(standing?.writer, writer)) return standing;
    reason = `${resource} is written by ${nameOf(standing?.writer)}`;
    if (standing?.writer !== undefined && (await locks.isAtWork(standing.writer))) return undefined;
    // A writer whose attempt was given up may continue without end.
    writing = undefined;
    await standing?.unlock('its writer is not at work any more');
    return undefined;
  }

  function held(lock: Lock): Hold {
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
        // The first key of a map is the oldest.
        if (places.size >= MOST_PLACES) places.delete(places.keys().next().value ?? '');
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

/** False if the time is up or nobody waits any more. */
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
