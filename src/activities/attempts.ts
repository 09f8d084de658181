/**
 * The ends of an attempt that are no attempt. Attempts, their number and the pauses between them are Temporal's; what it cannot
 * know completes the activity as deferred, and its run schedules the work again with the attempts that are left.
 */

import { ApplicationFailure, Context } from '@temporalio/activity';
import { isHeldBack } from './begin-effect.ts';
import type { Held } from '../protocol/index.ts';
import { toFailure } from './failures.ts';
import { takenOver, type Beginning } from './guard.ts';

/**
 * Defers work that has not begun, or may be done again, where its run does not let it begin, its worker is shut down or has another
 * version, or what it stands on is away.
 */
export async function deferrable<T>(
  work: () => Promise<T>,
  beginning: Beginning = { begun: false },
): Promise<T | Held> {
  try {
    return await work();
  } catch (error) {
    const held = deferralOf(error, beginning);
    if (held === undefined) throw error;
    return { ...held, ...(await takenOver(beginning)) };
  }
}

/** The reason why an error is no failure of the work: it has not begun, or may be done again. */
export function deferralOf(error: unknown, { begun, once = false }: Beginning): Held | undefined {
  if (isHeldBack(error)) {
    const { message, spent } = error;
    return spent === undefined ? { held: message } : { held: message, by: 'budget', usage: spent };
  }
  const isDone = begun && once;
  if (!isDone && isShutdown()) return { held: 'its worker was shut down' };
  const failure = toFailure(error);
  if (!(failure instanceof ApplicationFailure)) return undefined;
  const { type, message } = failure;
  if (type === 'CapabilityChanged') return { held: message, by: 'version' };
  return type === 'Unavailable' && !isDone ? { held: message, by: 'fault' } : undefined;
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
