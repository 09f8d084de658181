/**
 * How often a node is attempted. What counts are failures of its capability; a worker that died, was shut down or was the
 * wrong one has said nothing about it. Those that died are counted apart, so that a node that kills its workers ends too.
 */

import { ApplicationFailure, Context } from '@temporalio/activity';
import { keepTelling, lastBeat, type Beat } from './beat.ts';
import { RunFailureError, toFailure } from './failures.ts';
import type { Beginning } from './guard.ts';

/** How often a capability may fail that names no number (Osprey: capability retry policy). */
export const DEFAULT_ATTEMPTS = 3;
/** Attempts whose worker was not heard of again. */
export const MAX_LOST = 5;
/** Attempts at workers that have another version of the capability, 2 s apart: a right one is a poll away, or is not there. */
export const MAX_WRONG = 10;

/**
 * Says how often the capability may fail, once it is known which it is.
 * @throws RunFailureError when it has used them up, by being too slow
 */
export type Allow = (attempts: number) => void;

/**
 * Runs one attempt. The failure that comes out is final when the capability has failed as often as it may.
 * @throws RunFailureError `WorkerLost` when too many workers were lost over it
 */
export async function countedAttempt<T>(work: (allow: Allow) => Promise<T>, beginning: Beginning): Promise<T> {
  const { attempt, startToCloseTimeoutMs } = Context.current().info;
  const beat = nextBeat(lastBeat(), attempt, startToCloseTimeoutMs);
  keepTelling(beat);
  if (attempt - 1 - beat.failures - beat.others >= MAX_LOST) throw new RunFailureError('WorkerLost', LOST);
  let most = DEFAULT_ATTEMPTS;
  const allow: Allow = (attempts) => {
    most = attempts;
    if (beat.failures < most) return;
    const text = `each of ${beat.failures} attempts failed, the last for taking longer than ${startToCloseTimeoutMs / 1000} s`;
    throw new RunFailureError('Timeout.START_TO_CLOSE', text);
  };
  try {
    return await work(allow);
  } catch (error) {
    if (isShutdown()) {
      keepTelling({ ...beat, others: beat.others + 1, ended: true });
      throw error;
    }
    const failure = toFailure(error, beginning.begun ? [] : [{ begun: false }]);
    if (!(failure instanceof ApplicationFailure) || failure.nonRetryable === true) throw error;
    const isOwn = failure.type !== 'CapabilityChanged';
    const { failures, others } = beat;
    const count = isOwn ? { failures: failures + 1 } : { others: others + 1 };
    keepTelling({ ...beat, ...count, ended: true });
    const isLast = isOwn ? failures + 1 >= most : others + 1 >= MAX_WRONG;
    throw isLast ? final(failure) : failure;
  }
}

const LOST =
  `${MAX_LOST} workers were lost while they carried it out; perhaps it ends them (memory, a native fault, process.exit). ` +
  'Look at their logs, then have it repeated with retry-node';

/** @param before what the attempt before told last, as far as it was heard */
export function nextBeat(before: Beat | undefined, attempt: number, startToCloseMs: number, now = Date.now()): Beat {
  const { failures = 0, others = 0, details } = before ?? {};
  return {
    attempt,
    startedAt: now,
    failures: failures + Number(before !== undefined && wasTooSlow(before, attempt, startToCloseMs, now)),
    others,
    ...(details !== undefined && { details }),
  };
}

/** It lived for as long as it might, and the server gave it up then: to be slow is the doing of the capability. */
function wasTooSlow(before: Beat, attempt: number, startToCloseMs: number, now: number): boolean {
  return before.ended !== true && before.attempt === attempt - 1 && now - before.startedAt >= startToCloseMs;
}

/** The worker of this attempt is being shut down, and the attempt was told. */
export function isShutdown(): boolean {
  const { aborted, reason } = Context.current().cancellationSignal;
  return aborted && reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
}

function final(failure: ApplicationFailure): ApplicationFailure {
  const { message, type, details, cause } = failure;
  return ApplicationFailure.create({
    message,
    nonRetryable: true,
    ...(type != null && { type }),
    ...(details != null && { details }),
    ...(cause !== undefined && { cause }),
  });
}
