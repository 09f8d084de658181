/** What a run waits for besides people, as text. */

import { awaitedBy, reasonOf } from '../run/backoff-causes.ts';
import type { Run } from '../run/in-memory.ts';
import { numbered } from '../run/records.ts';
import type { Backoff } from '../run/work-state.ts';
import { sum } from '../run/work-traits.ts';

/** @example 'waits for the store: ENOSPC, since 14:02:11 UTC; try 6 at 14:02:19 UTC; a person is asked at 14:12:11 UTC' */
export function waitsFor(run: Run): string | undefined {
  const { backoff } = run.drain;
  const waits = waitsSince(run, true);
  if (waits !== undefined || backoff === undefined) return waits;
  const { reason, until } = backoff;
  return `waits for the result store, to continue in a new history: ${reasonOf(reason)}; next try at ${utc(until)}`;
}

/**
 * The same for a parent, which gets no signal for each try. If the run waits for nothing, the wait of its first waiting
 * agent.
 */
export function waitsForParent(run: Run): string | undefined {
  const children = Object.values(run.dialogue.children);
  return waitsSince(run, false) ?? children.find(({ waits }) => waits !== undefined)?.waits;
}

function waitsSince(run: Run, hasTries: boolean): string | undefined {
  const { backoff } = run.dialogue;
  if (backoff !== undefined) {
    const { cause, since, askAt, deadline } = backoff;
    const isToTry = cause === 'fault' || (cause !== 'worker' && sum(run.counts.deferred) > 0);
    const next = hasTries && isToTry ? backoff : undefined;
    return waitText(awaitedBy(backoff), since, next, deadline === undefined ? askAt : undefined);
  }
  for (const [node] of numbered(run.execution?.backoffs)) {
    const words = waitsForVersion(run, node, hasTries);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** The wait of a node that other workers have rejected, as text. */
export function waitsForVersion({ execution }: Run, node: number, hasTries = true): string | undefined {
  const backoff = execution?.backoffs[node];
  const status = execution?.progress.status[node];
  // Without a signal for each try the reader does not know that one is under way.
  const isWaiting = status === 'pending' || (status === 'running' && !hasTries);
  if (backoff?.cause !== 'version' || !isWaiting) return undefined;
  return waitText(awaitedBy(backoff), backoff.since, hasTries ? backoff : undefined, backoff.askAt);
}

/** @param next the number of tries, and the time of the next one */
export function waitText(
  reason: string,
  since: string,
  next?: Pick<Backoff, 'attempt' | 'until'>,
  askAt?: string,
): string {
  const tried = next === undefined || next.until === '' ? '' : `; try ${next.attempt + 1} at ${utc(next.until)}`;
  const asked = askAt === undefined ? '' : `; a person is asked at ${utc(askAt)}`;
  return `waits for ${reason}, since ${utc(since)}${tried}${asked}`;
}

function utc(time: string): string {
  return `${time.slice(11, 19)} UTC`;
}
