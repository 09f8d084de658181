/** A node of a part through all its attempts: the pauses, the bounds and the counts that its activity has elsewhere. */

import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
import {
  given,
  isAsked,
  isHeld,
  type Held,
  type NodeExecutor,
  type NodeFailure,
  type NodeReply,
  type NodeRequest,
  type Noted,
  type Paid,
  type ResultHandle,
} from '../../protocol/index.ts';
import { messageOf } from '../../plan/text/index.ts';
import { nodeContext, type OwnContext } from './node-context.ts';

export type Outcome =
  | { readonly handle: ResultHandle & Noted & Paid }
  | ({ readonly failure: NodeFailure } & Paid)
  | { readonly held: Held }
  | { readonly stopped: true };

export interface NodeWork {
  /** The activity that carries out the part. */
  context(): Context;
  /** Makes an attempt, in a context of its own. */
  attempt(request: NodeRequest): Promise<NodeReply>;
  /** Waits for a place at work. */
  within<T>(work: () => Promise<T>): Promise<T>;
  /** Hears which attempt can be cancelled. */
  atWork(own: OwnContext | undefined): void;
  /** Waits; resolves early where the part stops. */
  pause(ms: number): Promise<void>;
  isStopped(): boolean;
}

type Bounds = Pick<NodeExecutor, 'startToCloseMs' | 'retry'>;

/**
 * @bound the longest pause between attempts, in first pauses
 * @beyond the pauses stay as long
 */
const MOST_PAUSES = 100;

export async function attemptsOf(request: NodeRequest, bounds: Bounds, work: NodeWork): Promise<Outcome> {
  let heartbeat: unknown;
  for (let attempt = 1; ; attempt += 1) {
    const pastAttempt = heartbeat;
    const outcome = await work.within(async (): Promise<Ended> => {
      if (work.isStopped()) return STOPPED;
      const own = nodeContext(work.context(), { ...bounds, nodeId: request.nodeId, attempt, heartbeat: pastAttempt });
      work.atWork(own);
      const ended = await inTime(() => own.run(() => work.attempt(request)), own, bounds.startToCloseMs);
      work.atWork(undefined);
      heartbeat = own.heartbeat();
      return ended;
    });
    if (!('again' in outcome)) return outcome;
    if (work.isStopped()) return STOPPED;
    const { initialMs, factor } = bounds.retry;
    const pause = outcome.again.afterMs ?? Math.min(initialMs * factor ** (attempt - 1), MOST_PAUSES * initialMs);
    // An attempt that was given up for being slow is counted by the next.
    await work.pause(pause);
  }
}

export const STOPPED = { stopped: true } as const;

type Ended = Outcome | { readonly again: { readonly afterMs?: number | undefined } };

/** An attempt that takes too long is asked to stop, and not waited for. */
async function inTime(attempt: () => Promise<NodeReply>, own: OwnContext, ms: number): Promise<Ended> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Ended>((resolve) => {
    timer = setTimeout(() => {
      own.cancel(new CancelledFailure('TIMED_OUT'));
      resolve({ again: {} });
    }, ms);
  });
  const ended = attempt().then(endOf, failureOf);
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

function endOf(reply: NodeReply): Ended {
  if (isHeld(reply)) return { held: reply };
  if (isAsked(reply)) return { failure: { type: 'FATAL', message: 'a part asks nobody' } };
  return { handle: reply };
}

function failureOf(error: unknown): Ended {
  if (error instanceof CancelledFailure) return STOPPED;
  if (!(error instanceof ApplicationFailure)) return { failure: { type: 'RETRIABLE', message: messageOf(error) } };
  const failure = { type: error.type ?? 'RETRIABLE', message: messageOf(error) };
  if (error.nonRetryable === true)
    return { failure, ...given({ usage: (error.details?.[0] as Paid | undefined)?.usage }) };
  const { nextRetryDelay } = error;
  return { again: nextRetryDelay == null ? {} : { afterMs: Number(nextRetryDelay) } };
}
