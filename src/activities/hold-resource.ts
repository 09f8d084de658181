/** One writer at a time over all runs: an attempt at an effect has its resource from before the gate until it has ended. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../text/index.ts';
import type { Lock, ResourceLocks, Writer } from './resource-locks.ts';

export type Hold = { readonly ok: true; release(): Promise<void> } | { readonly ok: false; readonly reason: string };

/** As long as the gate is asked. What is held then goes back to its run, which is not kept from its other nodes. */
const WAIT_MS = 60_000;
const PAUSE_MS = { first: 100, most: 2000 };

/**
 * Waits for its turn, a minute at most; there is no order among those who wait. A writer that the server does not wait for
 * any more (its worker is gone, its run has ended, it was tried again) has no claim: its lock is taken away.
 * @param forMs how long the attempt may last
 * @throws what `signal` was aborted with
 */
export async function holdResource(
  locks: ResourceLocks,
  resource: string,
  writer: Writer,
  {
    forMs,
    signal,
    waitMs = WAIT_MS,
  }: { readonly forMs: number; readonly signal: AbortSignal; readonly waitMs?: number },
): Promise<Hold> {
  const until = performance.now() + waitMs;
  let reason = '';
  for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
    signal.throwIfAborted();
    try {
      const lock = await locks.lock(resource, writer, forMs);
      if (lock !== undefined) return held(lock);
      const standing = await locks.find(resource);
      // The server may have made it and its answer have been lost.
      if (standing !== undefined && isDeepStrictEqual(standing.writer, writer)) return held(standing);
      if (standing !== undefined) await closeForgotten(locks, standing);
      reason = `${resource} is written by ${nameOf(standing?.writer)}`;
    } catch (error) {
      reason = `the server did not say whether ${resource} is free (${messageOf(error)})`;
    }
    if (performance.now() >= until) return { ok: false, reason };
    await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function held({ unlock }: Lock): Hold {
  return { ok: true, release: () => unlock('its writer has ended') };
}

async function closeForgotten(locks: ResourceLocks, { writer, unlock }: Lock): Promise<void> {
  if (writer === undefined || !(await locks.isAtWork(writer))) await unlock('its writer is not at work any more');
}

function nameOf(writer: Writer | undefined): string {
  return writer === undefined ? 'somebody unknown' : `${writer.nodeId} of run ${writer.workflowId}`;
}
