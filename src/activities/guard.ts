/** Wraps every activity: sends heartbeats while it works, and lets only failures of the closed list out. */

import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { tameError } from '../plan/text/index.ts';
import { isMalformed, type Deferral } from '../protocol/index.ts';
import { toFailure } from './failures.ts';
import type { JsonValue } from '../plan/index.ts';
import { isBlocked, type Beginning } from './begin-effect.ts';

/** The most bytes that a capability may report, as JSON in UTF-8: they travel with every heartbeat. */
export const MAX_DETAILS_BYTES = 64 * 1024;

/** The last report of a capability in each attempt, since the server has only the details of the last heartbeat. */
const reported = new WeakMap<Context, JsonValue>();

/** The last report of this attempt or the one before; undefined without one. */
export function lastReport(attempt = Context.current()): JsonValue | undefined {
  const before: unknown = attempt.info.heartbeatDetails;
  // A worker of another build, or with another key, may have written what this one cannot decode.
  return reported.get(attempt) ?? (isMalformed(before) ? undefined : (before as JsonValue | undefined));
}

/** Sends a heartbeat. */
export function heartbeat(attempt = Context.current()): void {
  attempt.heartbeat(lastReport(attempt));
}

/** @throws TypeError if it is not JSON, or more than 64 KiB of it */
export function report(details?: JsonValue): void {
  if (details !== undefined) {
    const text = JSON.stringify(details) as string | undefined;
    if (text === undefined || Buffer.byteLength(text) > MAX_DETAILS_BYTES) {
      throw new TypeError(`heartbeat: expected JSON of at most ${MAX_DETAILS_BYTES} bytes`);
    }
    reported.set(Context.current(), JSON.parse(text) as JsonValue);
  }
  heartbeat();
}

/** An attempt beats this often, and at least three times in the silence after which it counts as dead. */
const BEAT_MS = 3000;

/** Most work ends before the first beat: a call to the server for each would be a fifth of what a small node costs there. */
const FIRST_BEAT_MS = 250;

/** What the attempts came to, for the activity that does the work later. */
export async function takenOver({ saveReport }: Beginning): Promise<Pick<Deferral, 'attempts' | 'report'>> {
  const { attempt } = Context.current().info;
  // Without it the work begins at its beginning.
  const saved = await saveReport?.().catch(() => undefined);
  return { ...(attempt > 1 && { attempts: attempt - 1 }), ...(saved !== undefined && { report: saved }) };
}

/** The details of a failure. */
export function failureDetails({ begun, usage }: Beginning): readonly unknown[] {
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
    const failure = toFailure(error, failureDetails(beginning));
    // An attempt that is asked to stop counts as stopped, whatever it throws; but that it did not happen is news.
    const isStopped =
      cancellationDetails?.cancelRequested === true && !isNotApplied(failure) && beginning.goesOn !== true;
    if (cancellationSignal.aborted && (isStopped || isAbort(error)))
      throw await cancelledWith(cancellationSignal.reason, beginning);
    throw beginning.begun && beginning.once === true ? withoutRetry(failure) : failure;
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

/** If no worker has taken the activity, the server cancels it without these details; so a worker always adds them. */
async function cancelledWith(reason: unknown, beginning: Beginning): Promise<unknown> {
  if (!(reason instanceof CancelledFailure)) return reason;
  const [details] = failureDetails(beginning);
  const taken = await takenOver(beginning);
  return new CancelledFailure(reason.message, [
    { begun: beginning.begun, attempts: 0, ...taken, ...(details as object) },
  ]);
}

/** Another attempt must not begin an at-most-once effect that has begun. */
function withoutRetry(failure: Error): Error {
  if (!(failure instanceof ApplicationFailure) || failure.nonRetryable === true) return failure;
  const { message, type, details, cause } = failure;
  return ApplicationFailure.create({
    message,
    nonRetryable: true,
    ...(type != null && { type }),
    ...(details != null && { details }),
    ...(cause !== undefined && { cause }),
  });
}

function isNotApplied(failure: Error): boolean {
  return failure instanceof ApplicationFailure && failure.type === 'NotApplied';
}

/** The error of a capability that obeyed the signal: the run was cancelled, the work did not fail. */
function isAbort(error: unknown): boolean {
  const { name } = tameError(error, 0);
  return name === 'AbortError' || name === 'CancelledFailure';
}

/**
 * Defers work that has not begun or is repeatable if its run blocks it, if its worker shuts down or has another
 * version, or during an outage.
 */
export async function deferrable<T>(
  work: () => Promise<T>,
  beginning: Beginning = { begun: false },
): Promise<T | Deferral> {
  try {
    return await work();
  } catch (error) {
    const deferral = deferralOf(error, beginning);
    if (deferral === undefined) throw error;
    return { ...deferral, ...(await takenOver(beginning)), ...(beginning.begun && { mayHaveBegun: true as const }) };
  }
}

/** Why an error is not a failure of the work, which has not begun or is repeatable. */
export function deferralOf(error: unknown, { begun, once = false }: Beginning): Deferral | undefined {
  if (isBlocked(error)) {
    const { message, spent, seen, isBlind } = error;
    return spent === undefined
      ? { deferred: isBlind === true ? 'look' : 'run', reason: message, ...(seen !== undefined && { seen }) }
      : { deferred: 'budget', reason: message, usage: spent };
  }
  const isDone = begun && once;
  if (!isDone && isShutdown()) return { deferred: 'run', reason: 'its worker was shut down' };
  const failure = toFailure(error);
  if (!(failure instanceof ApplicationFailure)) return undefined;
  const { type, message } = failure;
  if (type === 'CapabilityChanged') return { deferred: 'version', reason: message };
  return type === 'Unavailable' && !isDone ? { deferred: 'fault', reason: message } : undefined;
}

/** Whether no other attempt follows a failure of this one. */
export function isLastAttempt(): boolean {
  const { attempt, retryPolicy } = Context.current().info;
  return attempt >= (retryPolicy?.maximumAttempts ?? Infinity);
}

/** The worker of this attempt is shutting down, and the attempt was informed. */
export function isShutdown({ cancellationDetails }: Context = Context.current()): boolean {
  return cancellationDetails?.workerShutdown === true;
}
