/** Why something that has not begun waits: how each cause is waited out, in one table, and the record of a wait. */

import type { Backoff } from './work-state.ts';
import { given, type Deferral, type DeferralCause } from '../../protocol/index.ts';
import { cutBytes, visible } from '../../plan/text/index.ts';
import { later } from './dialogue.ts';
import type { WorkEnd } from './work-end.ts';
import { WORK, type WorkName } from './work-traits.ts';

/**
 * A queue hands work to pollers in the order in which they wait, and a worker has ten: a node may come to the same worker as often
 * before it comes to another one. So the first pauses are short.
 * @bound .first the first pause of work that is deferred, by another version or a fault
 * @beyond then twice as long; for another version every second time
 * @bound .most the longest pause of work that is deferred
 * @beyond the pause stays so long
 */
const PAUSE_MS = { first: 250, most: 15_000 };
/**
 * A server that has too much to do gets fewer and fewer requests.
 * @bound .first the pause before a model's server that is away is tried again, at first
 * @beyond tried again
 * @bound .most the pause before a model's server that is away is tried again, at most
 * @beyond tried again
 */
const MODEL_PAUSE_MS = { first: 2000, most: 60_000 };
/**
 * How long anything that is away is waited for before a person is asked: the store, the disk, the server, the approved version, or a
 * model without a `patience` of its own.
 * @bound how long a run waits for what is away
 * @beyond a person is asked: wait, skip or fallback where there is one, stop
 */
const ASK_AFTER_MS = 10 * 60_000;
/**
 * @bound the pause between two tries while a person is asked about what is away
 * @beyond after `answerDeadline` without a word the run fails (`Unavailable`)
 */
const ASKED_PAUSE_MS = 5 * 60_000;
/**
 * At a minute each, where no run answers the worker: more than an hour.
 * @bound times one piece of work is deferred
 * @beyond `RETRIABLE`
 */
const MAX_ATTEMPTS = 100;
/**
 * @bound the reason why work is deferred
 * @beyond cut
 */
const MAX_REASON_BYTES = 500;
/** Until a person has it tried again. */
const NEVER = '9999-12-31T00:00:00.000Z';

interface CauseRule {
  /** Milliseconds before the next try; twice as many after `tries` more. Without it, as soon as the run may begin something. */
  readonly pause?: { readonly first: number; readonly most: number; readonly tries: number };
  /** The run waits with its own work, and asks a person after `askAfterMs`. The success of work with this trait ends that. */
  readonly endedBy?: 'isOwn' | 'asksModel' | 'needsStore';
  /** Work that the run does not wait with fails after this time. */
  readonly askAfterMs?: number;
  /** The next try has all attempts of the work, and a planning may go on to its fallback instead. */
  readonly startsOver?: true;
  /** How work fails that has waited in vain. */
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
  // To try it again at once costs more workers, so a person is asked first.
  worker: { endedBy: 'isOwn', askAfterMs: 0, startsOver: true, failure: 'RETRIABLE' },
};

/** The store, the disk or the server is away: nothing may begin but a try now and then. Other causes stop only what they concern. */
export function stopsEverything(backoff: Pick<Backoff, 'cause'> | undefined): boolean {
  return backoff?.cause === 'fault';
}

/** Whether the run waits with this work, and asks a person about it. */
export function isOfRun(name: WorkName, cause: DeferralCause): boolean {
  return cause === 'fault' || (CAUSES[cause].endedBy !== undefined && WORK[name].isOwn === true);
}

/** The record of a wait that begins, or goes on after another try. */
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

/** @param pauseMs that its server asks for */
export function nextTry({ cause, attempt, deadline }: Backoff, at: string, pauseMs = 0): string {
  const { pause } = CAUSES[cause];
  if (pause === undefined) return cause === 'worker' ? NEVER : '';
  const { first, most, tries } = pause;
  const ownMs = Math.min(first * 2 ** Math.min(Math.floor((attempt - 1) / tries), 20), most);
  return later(at, Math.max(deadline === undefined ? ownMs : ASKED_PAUSE_MS, pauseMs));
}

/** Whether work has waited for as long as it may. What the run asks a person about waits for the answer. */
export function isInVain(name: WorkName, { cause, attempt, askAt }: Backoff, at: string): boolean {
  if (isOfRun(name, cause)) return cause === 'fault' && attempt >= MAX_ATTEMPTS;
  return attempt >= MAX_ATTEMPTS || (askAt !== undefined && at >= askAt);
}

/** How work ends that has waited in vain. */
export function endInVain({ deferred: cause, reason }: Deferral): Extract<WorkEnd, { ok: false }> {
  const type = CAUSES[cause].failure;
  const message = `it has not begun: ${reasonOf(reason)}`;
  return { ok: false, end: { status: 'failed', type, message }, failure: { type, message, details: [] } };
}

/** In at most 500 bytes, for people. */
export function reasonOf(reason: string): string {
  return cutBytes(visible(reason), MAX_REASON_BYTES);
}

/** What is waited for, in words. */
export function awaitedBy({ cause, reason }: Backoff): string {
  return cause === 'version' ? `a worker with the approved version: ${reason}` : reason;
}

/** Whether a planning has a fallback for what it waits for. */
export function canFallBack(backoff: Backoff | undefined): boolean {
  return backoff !== undefined && CAUSES[backoff.cause].startsOver === true;
}
