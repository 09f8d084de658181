/** What a nested Temporal failure means for a node and for the run. Anything else is rethrown by the callers. */

import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { Effect } from '../plan/index.ts';
import { isFailureType, type NodeFailure, type NodeStatus, type RunFailure } from '../run/index.ts';

/** Failures that an at-most-once capability can only have before its effect. */
const BEFORE_EFFECT: readonly string[] = ['NotApplied', 'CapabilityChanged'];

export interface NodeEnd extends NodeFailure {
  readonly status: Extract<NodeStatus, 'failed' | 'uncertain' | 'cancelled'>;
}

/** How a node ended that gave no result. An at-most-once effect that may have happened is uncertain, never repeated. */
export function nodeFailureOf(error: unknown, effect: Effect | undefined): NodeEnd {
  if (isCancellation(error)) return { status: 'cancelled', type: 'Cancelled', message: 'cancelled' };
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) {
    const status = effect === 'at-most-once' && cause.timeoutType !== 'SCHEDULE_TO_START' ? 'uncertain' : 'failed';
    return { status, type: `Timeout.${cause.timeoutType}`, message: `timed out (${cause.timeoutType})` };
  }
  const type = cause instanceof ApplicationFailure && isFailureType(cause.type) ? cause.type : 'RETRIABLE';
  const started = error instanceof ActivityFailure;
  const uncertain = effect === 'at-most-once' && started && !BEFORE_EFFECT.includes(type);
  return { status: uncertain ? 'uncertain' : 'failed', type, message: messageOf(cause) };
}

/** The failure of an activity that the whole run stands on, as a failure of the run. */
export function runFailureOf(error: unknown): Error {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) return error as Error;
  const { type, message } = nodeFailureOf(error, 'read');
  return toApplicationFailure({ type: isFailureType(type) ? type : 'RETRIABLE', message, details: [] });
}

export function toApplicationFailure({ type, message, details }: RunFailure): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [...details] });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
