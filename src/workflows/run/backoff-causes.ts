/** The causes of a backoff in one table, and the record of a backoff. */

import type { Backoff } from './work-state.ts';
import { given, type Deferral, type DeferralCause } from '../../protocol/index.ts';
import { cutBytes, visible } from '../../plan/text/index.ts';
import { later } from './dialogue.ts';
import type { WorkEnd } from './work-end.ts';
import { WORK, type WorkName } from './work-traits.ts';

/**
 * The pause of deferred work; it doubles up to `most`. The first pauses are short: a worker has ten pollers, so a node
 * may reach the same worker ten times before it reaches another one.
 */
const PAUSE_MS = { first: 250, most: 15_000 };
/** A busy model server gets fewer and fewer requests: the pause doubles up to `most`. */
const MODEL_PAUSE_MS = { first: 2000, most: 60_000 };
/**
 * For the store, the disk, the server, the approved version, or a model without a `patience` of its own.
 * @bound how long a run waits for a missing store, server or model
 * @beyond a person is asked: wait, skip, use the fallback if there is one, or stop
 */
const ASK_AFTER_MS = 10 * 60_000;
/** The pause between two tries after a person was asked. */
const ASKED_PAUSE_MS = 5 * 60_000;
/**
 * At a minute each, this is more than an hour.
 * @bound how often the same work is deferred
 * @beyond it fails with `RETRIABLE`
 */
const MAX_ATTEMPTS = 100;
const MAX_REASON_BYTES = 500;
/** Waits until a person asks for another try. */
const NEVER = '9999-12-31T00:00:00.000Z';

interface CauseRule {
  /**
   * Milliseconds before the next try; they double after each `tries` tries. Without it the work begins as soon as the
   * run may begin something.
   */
  readonly pause?: { readonly first: number; readonly most: number; readonly tries: number };
  /**
   * The run as a whole waits, and asks a person after `askAfterMs`. A success of work with this trait ends the wait.
   */
  readonly endedBy?: 'isOwn' | 'asksModel' | 'needsStore';
  /** If only this work waits, it fails after this time. */
  readonly askAfterMs?: number;
  /** The next try has all attempts again, and a planning may use its fallback instead. */
  readonly startsOver?: true;
  /** The failure of work at the limit. */
  readonly failure: 'RETRIABLE' | 'CapabilityChanged' | 'Unavailable';
}

const askAfterMs = ASK_AFTER_MS;
export const CAUSES: Readonly<Record<DeferralCause, CauseRule>> = {
  run: { failure: 'RETRIABLE' },
  budget: { failure: 'RETRIABLE' },
  version: { endedBy: 'isOwn', askAfterMs, pause: { ...PAUSE_MS, tries: 2 }, failure: 'CapabilityChanged' },
  fault: { endedBy: 'needsStore', askAfterMs, pause: { ...PAUSE_MS, tries: 1 }, failure: 'Unavailable' },
  model: {
    ...{ endedBy: 'asksModel', askAfterMs, pause: { ...MODEL_PAUSE_MS, tries: 1 } },
    ...{ startsOver: true, failure: 'RETRIABLE' },
  },
  // Ask a person first: an immediate retry would cost more workers.
  worker: { endedBy: 'isOwn', askAfterMs: 0, startsOver: true, failure: 'RETRIABLE' },
};

/**
 * Whether nothing but an occasional try may begin, since the store, the disk or the server is away. Other causes stop
 * only the work that they concern.
 */
export function stopsEverything(backoff: Pick<Backoff, 'cause'> | undefined): boolean {
  return backoff?.cause === 'fault';
}

/** Whether the run as a whole waits with this work and asks a person about it. */
export function isOfRun(name: WorkName, cause: DeferralCause): boolean {
  return cause === 'fault' || (CAUSES[cause].endedBy !== undefined && WORK[name].isOwn === true);
}

/** The record of a new wait, or of the same wait after another try. */
export function nextBackoff(before: Backoff | undefined, deferral: Deferral, at: string): Backoff {
  const { deferred: cause, pauseMs = 0, patienceMs } = deferral;
  const same = before?.cause === cause ? before : undefined;
  const { since = at, deadline } = same ?? {};
  const askMs = patienceMs ?? (same === undefined ? CAUSES[cause].askAfterMs : undefined);
  const next: Backoff = {
    ...{ cause, reason: reasonOf(deferral.reason), since, attempt: (before?.attempt ?? 0) + 1 },
    ...{ until: '', ...given({ deadline, askAt: askMs === undefined ? same?.askAt : later(since, askMs) }) },
  };
  return { ...next, until: nextTry(next, at, pauseMs) };
}

/** @param pauseMs the pause that the server asks for */
export function nextTry({ cause, attempt, deadline }: Backoff, at: string, pauseMs = 0): string {
  const { pause } = CAUSES[cause];
  if (pause === undefined) return cause === 'worker' ? NEVER : '';
  const { first, most, tries } = pause;
  const ownMs = Math.min(first * 2 ** Math.min(Math.floor((attempt - 1) / tries), 20), most);
  return later(at, Math.max(deadline === undefined ? ownMs : ASKED_PAUSE_MS, pauseMs));
}

/** Whether work has reached its limit. If the run asks a person, the work waits for the answer. */
export function isInVain(name: WorkName, { cause, attempt, askAt }: Backoff, at: string): boolean {
  if (isOfRun(name, cause)) return cause === 'fault' && attempt >= MAX_ATTEMPTS;
  return attempt >= MAX_ATTEMPTS || (askAt !== undefined && at >= askAt);
}

/** The end of work that has reached its limit. */
export function endInVain({ deferred: cause, reason }: Deferral): Extract<WorkEnd, { ok: false }> {
  const type = CAUSES[cause].failure;
  const message = `it has not begun: ${reasonOf(reason)}`;
  return { ok: false, end: { status: 'failed', type, message }, failure: { type, message, details: [] } };
}

export function reasonOf(reason: string): string {
  return cutBytes(visible(reason), MAX_REASON_BYTES);
}

/** What the run waits for, as text for people. */
export function awaitedBy({ cause, reason }: Backoff): string {
  return cause === 'version' ? `a worker with the approved version: ${reason}` : reason;
}

/** Whether a planning has a fallback for this cause. */
export function canFallBack(backoff: Backoff | undefined): boolean {
  return backoff !== undefined && CAUSES[backoff.cause].startsOver === true;
}
