/**
 * Deferrals: attempts that do not count. Temporal manages attempts, their number and their pauses. If the work has not
 * begun, or an outage is the reason, the activity completes as deferred, and its run schedules the work again with the
 * remaining attempts.
 */

import { ApplicationFailure, Context } from '@temporalio/activity';
import { isBlocked } from './begin-effect.ts';
import type { Deferral } from '../protocol/index.ts';
import { toFailure } from './failures.ts';
import { takenOver, type Beginning } from './guard.ts';

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
    return { ...deferral, ...(await takenOver(beginning)) };
  }
}

/** Why an error is not a failure of the work, which has not begun or is repeatable. */
export function deferralOf(error: unknown, { begun, once = false }: Beginning): Deferral | undefined {
  if (isBlocked(error)) {
    const { message, spent } = error;
    return spent === undefined
      ? { deferred: 'run', reason: message }
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
