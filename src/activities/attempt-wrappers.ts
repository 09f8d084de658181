/** Wraps every activity: sends heartbeats while it runs, and converts every error to a known type of failure. */

import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { tameError } from '../plan/text/index.ts';
import { given, isMalformed, type Deferral } from '../protocol/index.ts';
import { toFailure } from './failures.ts';
import type { JsonValue } from '../plan/index.ts';
import { isBlocked, type EffectState } from './begin-effect.ts';
import { elapsedMs } from './clock.ts';

/** Maximum size of a capability's report as JSON, in bytes. Every heartbeat contains the report. */
export const MAX_DETAILS_BYTES = 64 * 1024;

/** The last report of each attempt. Every heartbeat repeats it, since the server stores only the latest heartbeat. */
const reported = new WeakMap<Context, JsonValue>();

export function lastReport(attempt = Context.current()): JsonValue | undefined {
  const before: unknown = attempt.info.heartbeatDetails;
  // A worker with another build or encryption key may have written the details, so they may be undecodable.
  return reported.get(attempt) ?? (isMalformed(before) ? undefined : (before as JsonValue | undefined));
}

export function heartbeat(attempt = Context.current()): void {
  attempt.heartbeat(lastReport(attempt));
}

/** Reports progress of a capability. @throws TypeError if it is not JSON, or more than 64 KiB */
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

/** Maximum time in ms between two heartbeats, so that each heartbeat timeout contains at least three. */
const BEAT_MS = 3000;

/** Time in ms before the first heartbeat. Most activities end earlier and save a call to the server. */
const FIRST_BEAT_MS = 250;

/** What the next activity of a deferred task needs: the number of attempts, and the reference of the last report. */
export async function deferralFacts({ saveReport }: EffectState): Promise<Pick<Deferral, 'attempts' | 'report'>> {
  const { attempt } = Context.current().info;
  // If the report cannot be stored, the next activity of the node starts from the beginning.
  const saved = await saveReport?.().catch(() => undefined);
  return { ...(attempt > 1 && { attempts: attempt - 1 }), ...(saved !== undefined && { report: saved }) };
}

export function failureDetails({ begun, usage }: EffectState): readonly unknown[] {
  const paid = usage?.();
  const { attempt } = Context.current().info;
  const details = {
    ...(attempt > 1 && { attempts: attempt - 1 }),
    ...(!begun && { begun }),
    ...(paid !== undefined && paid.calls > 0 && { usage: paid }),
  };
  return Object.keys(details).length === 0 ? [] : [details];
}

export async function withHeartbeat<T>(work: () => Promise<T>, beginning: EffectState = { begun: true }): Promise<T> {
  const stop = startBeating();
  try {
    await stillOwned();
    return await work();
  } catch (error) {
    const { cancellationSignal, cancellationDetails } = Context.current();
    const failure = toFailure(error, failureDetails(beginning));
    // A cancelled attempt counts as cancelled whatever it throws, unless it reports that its effect did not happen.
    const isStopped =
      cancellationDetails?.cancelRequested === true && !isNotApplied(failure) && beginning.continuesForHistory !== true;
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

/** Interval in ms at which a timer proves that the event loop is not blocked. */
const TICK_MS = 500;

/** If the event loop was blocked for longer (ms), the server may have given its attempts to other workers. */
const STALL_MS = 2000;

/** Maximum time in ms until the SDK has sent a heartbeat and delivered the server's rejection. */
const REFUSED_WITHIN_MS = 1500;

let ticks: NodeJS.Timeout | undefined;
let lastTick = 0;
let lastStall = -Infinity;

/** Whether this process was just frozen, suspended with its machine, or too busy to run. */
function hasStalled(): boolean {
  const now = elapsedMs();
  if (ticks === undefined) {
    lastTick = now;
    ticks = setInterval(hasStalled, TICK_MS).unref();
  }
  if (now - lastTick > STALL_MS) lastStall = now;
  lastTick = now;
  return now - lastStall < REFUSED_WITHIN_MS;
}

/**
 * After a stall, waits until the server could report that another worker has this attempt. Otherwise finished work
 * would be repeated.
 * @throws CancelledFailure if the attempt is lost
 */
async function stillOwned(): Promise<void> {
  if (!hasStalled()) return;
  const attempt = Context.current();
  if (attempt.info.heartbeatTimeoutMs === undefined) return;
  heartbeat(attempt);
  await Promise.race([attempt.cancelled, attempt.sleep(REFUSED_WITHIN_MS)]);
}

/** Adds details to a cancellation. Without details, the run would assume that no worker took the activity. */
async function cancelledWith(reason: unknown, beginning: EffectState): Promise<unknown> {
  if (!(reason instanceof CancelledFailure)) return reason;
  const [details] = failureDetails(beginning);
  const taken = await deferralFacts(beginning);
  return new CancelledFailure(reason.message, [
    { begun: beginning.begun, attempts: 0, ...taken, ...(details as object) },
  ]);
}

/** Prevents a retry: no other attempt may begin an at-most-once effect that has begun. */
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

export function isNotApplied(failure: Error): boolean {
  return failure instanceof ApplicationFailure && failure.type === 'NotApplied';
}

/** Whether the error only shows that a capability obeyed the abort signal, which is no failure of the node. */
function isAbort(error: unknown): boolean {
  const { name } = tameError(error, 0);
  return name === 'AbortError' || name === 'CancelledFailure';
}

/**
 * Defers a task if the run blocks it or a thing that it needs is unavailable, unless its effect must not be repeated.
 */
export async function deferOnOutage<T>(
  work: () => Promise<T>,
  state: EffectState = { begun: false },
): Promise<T | Deferral> {
  try {
    return await work();
  } catch (error) {
    const deferral = deferralOf(error, state);
    if (deferral === undefined) throw error;
    return {
      ...deferral,
      ...(await deferralFacts(state)),
      ...(state.begun && { mayHaveBegun: true as const }),
    };
  }
}

/** Returns a deferral if an outage caused the error and the task may run again; undefined for any other error. */
export function deferralOf(error: unknown, { begun, once = false }: EffectState): Deferral | undefined {
  if (isBlocked(error)) {
    const { message, spent, seen, lacks = 'run', ungranted } = error;
    return spent === undefined
      ? { deferred: lacks, reason: message, ...given({ seen, ungranted }) }
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

export function isLastAttempt(): boolean {
  const { attempt, retryPolicy } = Context.current().info;
  return attempt >= (retryPolicy?.maximumAttempts ?? Infinity);
}

export function isShutdown({ cancellationDetails }: Context = Context.current()): boolean {
  return cancellationDetails?.workerShutdown === true;
}
