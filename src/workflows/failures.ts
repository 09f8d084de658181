/** The meaning of a nested Temporal failure for a node and for the run. Anything else is rethrown by the callers. */

import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  ContinueAsNew,
  isCancellation,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import {
  isFailureType,
  isRecord,
  problemOf,
  USAGE,
  type NodeEnd,
  type RunFailure,
  type Usage,
} from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import type { Effect } from '../plan/index.ts';
import { visible } from '../plan/text/index.ts';

const TIMEOUTS: Readonly<Record<string, string>> = {
  HEARTBEAT: 'its worker was not heard of in time: it is gone, or too busy to say that it is there',
  START_TO_CLOSE: 'one attempt took longer than it may',
  SCHEDULE_TO_CLOSE: 'it took longer than it may in all, with every attempt and the waiting between them',
  SCHEDULE_TO_START: 'no worker began it in time',
};

/** How a node ended that gave no result. An at-most-once effect that may have happened is uncertain, never repeated. */
export function nodeFailureOf(error: unknown, effect: Effect | undefined): NodeEnd {
  if (isCancellation(error)) {
    // An effect may have begun before its worker heard of the cancellation, and then the worker says so.
    const begun = effect === 'at-most-once' && error instanceof ActivityFailure && saysBegun(error.cause) === true;
    return begun
      ? { status: 'uncertain', type: 'Cancelled', message: 'cancelled while its effect may have been under way' }
      : { status: 'cancelled', type: 'Cancelled', message: 'cancelled' };
  }
  const cause = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) {
    const status = effect === 'at-most-once' && cause.timeoutType !== 'SCHEDULE_TO_START' ? 'uncertain' : 'failed';
    return { status, type: `Timeout.${cause.timeoutType}`, message: TIMEOUTS[cause.timeoutType ?? ''] ?? 'timed out' };
  }
  const type = cause instanceof ApplicationFailure && isFailureType(cause.type) ? cause.type : 'RETRIABLE';
  // Only a worker that says so knows that the effect did not happen: it had not called the capability, or that says `NotApplied`.
  const isKnownUndone = type === 'NotApplied' || saysBegun(cause) === false;
  const isUncertain = effect === 'at-most-once' && error instanceof ActivityFailure && !isKnownUndone;
  return { status: isUncertain ? 'uncertain' : 'failed', type, message: messageOf(cause) };
}

/** The failure of an activity that the whole run stands on, as a failure of the run. */
export function runFailureOf(error: unknown): RunFailure {
  const { type, message } = nodeFailureOf(error, 'read');
  return { type: isFailureType(type) ? type : 'RETRIABLE', message, details: [] };
}

/** A worker of a newer build wrote it. The workflow task fails, and is tried again until a worker of that build takes it. */
export class NewerSnapshot extends Error {
  override readonly name = 'NewerSnapshot';
}

/** Continuing as new ends the history and not the run. */
export function isGoingOn(error: unknown): boolean {
  return error instanceof ContinueAsNew || error instanceof NewerSnapshot;
}

/**
 * An error that ends the run, as a failure that Temporal takes for an end. Any other exception would fail the workflow
 * task, which the server retries for ever.
 */
export function toRunFailure(error: unknown): Error {
  if (error instanceof TemporalFailure || isGoingOn(error)) return error as Error;
  const failure = toApplicationFailure({ type: 'FATAL', message: messageOf(error), details: [] });
  // A fault of the program, which is found by where it happened.
  if (error instanceof Error) failure.stack = error.stack ?? '';
  return failure;
}

interface Failing extends Omit<RunFailure, 'details'> {
  /** For a run a `FailureDetail`, for a message its refusal. */
  readonly details: readonly unknown[];
}

export function toApplicationFailure({ type, message, details }: Failing): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type,
    message: visible(message, { lines: true }),
    nonRetryable: true,
    details: [...details],
  });
  // It says what is wrong with a plan or a message; the place in our program is of no use.
  failure.stack = '';
  return failure;
}

/** The usage that a worker tells with a failure. */
export function paidIn(error: unknown): { readonly usage?: Usage } {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const detail: unknown = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  const usage = isRecord(detail) ? detail['usage'] : undefined;
  return usage !== undefined && problemOf(USAGE, usage) === undefined ? { usage: usage as Usage } : {};
}

/** Whether the server has cancelled it by itself: no worker had it. */
export function isCancelledUnsaid(error: unknown): boolean {
  return isCancellation(error) && error instanceof ActivityFailure && saysBegun(error.cause) === undefined;
}

/** The worker says with a failure or a cancellation whether it had called the capability before. */
function saysBegun(cause: unknown): unknown {
  const tells = cause instanceof ApplicationFailure || cause instanceof CancelledFailure;
  const detail: unknown = tells ? cause.details?.[0] : undefined;
  return isRecord(detail) ? detail['begun'] : undefined;
}
