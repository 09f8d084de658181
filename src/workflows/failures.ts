/** What a nested Temporal failure means for a node and for the run. Anything else is rethrown by the callers. */

import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Effect, PlanIssue } from '../plan/index.ts';
import { isFailureType, isRecord, type NodeFailure, type NodeStatus, type RunFailure } from '../run/index.ts';

export interface NodeEnd extends NodeFailure {
  readonly status: Extract<NodeStatus, 'failed' | 'uncertain' | 'cancelled'>;
}

/** How a node ended that gave no result. An at-most-once effect that may have happened is uncertain, never repeated. */
export function nodeFailureOf(error: unknown, effect: Effect | undefined): NodeEnd {
  if (isCancellation(error)) {
    // An effect that was handed out may have begun before it heard of the cancellation.
    const begun = effect === 'at-most-once' && error instanceof ActivityFailure;
    return begun
      ? { status: 'uncertain', type: 'Cancelled', message: 'cancelled while its effect may have been under way' }
      : { status: 'cancelled', type: 'Cancelled', message: 'cancelled' };
  }
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) {
    const status = effect === 'at-most-once' && cause.timeoutType !== 'SCHEDULE_TO_START' ? 'uncertain' : 'failed';
    return { status, type: `Timeout.${cause.timeoutType}`, message: `timed out (${cause.timeoutType})` };
  }
  const type = cause instanceof ApplicationFailure && isFailureType(cause.type) ? cause.type : 'RETRIABLE';
  const applied = error instanceof ActivityFailure && type !== 'NotApplied' && !isBeforeEffect(cause);
  const uncertain = effect === 'at-most-once' && applied;
  return { status: uncertain ? 'uncertain' : 'failed', type, message: messageOf(cause) };
}

/** How many problems a plan has, and the first of them; a warning is none. */
export function problemsIn(issues: readonly PlanIssue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  return `${errors.length} problem${errors.length === 1 ? '' : 's'}. ${first?.path ?? ''}: ${first?.message ?? ''}`;
}

/** The failure of an activity that the whole run stands on, as a failure of the run. */
export function runFailureOf(error: unknown): Error {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) return error as Error;
  const { type, message } = nodeFailureOf(error, 'read');
  return toApplicationFailure({ type: isFailureType(type) ? type : 'RETRIABLE', message, details: [] });
}

/**
 * Whatever ends the run, as what Temporal takes for an end. Any other exception would fail the workflow task, which the
 * server retries for ever.
 */
export function toRunFailure(error: unknown): Error {
  if (error instanceof TemporalFailure) return error;
  const failure = toApplicationFailure({ type: 'FATAL', message: messageOf(error), details: [] });
  // A fault of the program, which is found by where it happened.
  if (error instanceof Error) failure.stack = error.stack ?? '';
  return failure;
}

export function toApplicationFailure({ type, message, details }: RunFailure): ApplicationFailure {
  const failure = ApplicationFailure.create({ type, message, nonRetryable: true, details: [...details] });
  // It says what is wrong with a plan or a message; where our program found out helps nobody.
  failure.stack = '';
  return failure;
}

/** The worker says so of a failure that came before the capability was called. */
function isBeforeEffect(cause: unknown): boolean {
  const detail: unknown = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return isRecord(detail) && detail['begun'] === false;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
