/**
 * The wrapper of every activity: it beats while the work goes on, and lets nothing out but failures of the closed list.
 */

import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { tameError } from '../plan/text/index.ts';
import type { Usage } from '../protocol/index.ts';
import { heartbeat, triedSoFar } from './beat.ts';
import { toFailure } from './failures.ts';

/**
 * An attempt beats this often, and at least three times in the silence after which it counts as dead.
 * @bound the beat of a worker
 */
const BEAT_MS = 3000;

/**
 * The first beat says what the attempts before came to, and from when on this one is slow. Most work ends before it:
 * a call to the server for each would be a fifth of what a small node costs there.
 * @bound the first beat of an attempt
 * @beyond work that ends sooner makes none
 */
const FIRST_BEAT_MS = 250;

/** Whether a capability was called. A failure before that had no effect, and says so. */
export interface Beginning {
  begun: boolean;
  /** Asks the capability to stop, whose time in all is over. */
  stop?: AbortController;
  /** An effect that has begun must not be done again. */
  once?: boolean;
  /** Its key is claimed, or is about to be. */
  isClaimed?: boolean;
  /** The attempt was asked to stop: settled when it has heard why. */
  stopping?: Promise<void>;
  /** Its run waits for it all the same. */
  goesOn?: boolean;
  /** The calls of models so far, where its run has a budget. */
  usage?: () => Usage;
}

/** What a failure tells beside itself. */
export function detailsOf({ begun, usage }: Beginning): readonly unknown[] {
  const paid = usage?.();
  const details = {
    ...(!begun && { begun }),
    ...(paid !== undefined && paid.calls > 0 && { usage: paid }),
  };
  return Object.keys(details).length === 0 ? [] : [details];
}

export async function guarded<T>(work: () => Promise<T>, beginning: Beginning = { begun: true }): Promise<T> {
  const stop = startBeating();
  try {
    return await work();
  } catch (error) {
    const { cancellationSignal, cancellationDetails } = Context.current();
    const failure = toFailure(error, detailsOf(beginning));
    // An attempt that is asked to stop counts as stopped, whatever it throws; but that it did not happen is news.
    const isStopped =
      cancellationDetails?.cancelRequested === true && !isNotApplied(failure) && beginning.goesOn !== true;
    if (cancellationSignal.aborted && (isStopped || isAbort(error)))
      throw cancelledWith(cancellationSignal.reason, beginning);
    throw failure;
  } finally {
    stop();
  }
}

function startBeating(): () => void {
  const attempt = Context.current();
  const { heartbeatTimeoutMs = 0, startToCloseTimeoutMs } = attempt.info;
  const every = heartbeatTimeoutMs > 0 ? Math.min(BEAT_MS, heartbeatTimeoutMs / 3) : BEAT_MS;
  let beat = setTimeout(first, Math.min(FIRST_BEAT_MS, every, startToCloseTimeoutMs / 3));
  function first(): void {
    heartbeat(attempt);
    beat = setInterval(() => heartbeat(attempt), every);
  }
  return () => clearTimeout(beat);
}

/** The server itself cancels what no worker has taken, and says nothing of a beginning; so a worker always does. */
function cancelledWith(reason: unknown, beginning: Beginning): unknown {
  if (!(reason instanceof CancelledFailure)) return reason;
  const [details] = detailsOf(beginning);
  return new CancelledFailure(reason.message, [{ begun: beginning.begun, ...triedSoFar(), ...(details as object) }]);
}

function isNotApplied(failure: Error): boolean {
  return failure instanceof ApplicationFailure && failure.type === 'NotApplied';
}

/** The error of a capability that obeyed the signal: the run was cancelled, the work did not fail. */
function isAbort(error: unknown): boolean {
  const { name } = tameError(error, 0);
  return name === 'AbortError' || name === 'CancelledFailure';
}
