/**
 * The ends of an attempt that are no attempt. Attempts, their number and the pauses between them are Temporal's; what it cannot
 * know completes the activity as deferred, and its run schedules the work again with the attempts that are left.
 */

import { ApplicationFailure, Context } from '@temporalio/activity';
import { isBlocked } from './begin-effect.ts';
import type { Deferral } from '../protocol/index.ts';
import { toFailure } from './failures.ts';
import { takenOver, type Beginning } from './guard.ts';

/**
 * Defers work that has not begun, or may be done again, where its run does not let it begin, its worker is shut down or has another
 * version, or what it stands on is away.
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

/** The reason why an error is no failure of the work: it has not begun, or may be done again. */
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

/** The worker of this attempt is being shut down, and the attempt was told. */
export function isShutdown({ cancellationDetails }: Context = Context.current()): boolean {
  return cancellationDetails?.workerShutdown === true;
}
