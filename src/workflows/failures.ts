/** Maps Temporal's failures to ends of nodes and runs. Any other error is a bug and fails the workflow task. */

import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  isCancellation,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import {
  APPROVAL_RULE,
  given,
  isFailureType,
  isRecord,
  maybe,
  problemOf,
  USAGE,
  type ApprovalRule,
  type Deferral,
  type NodeEnd,
  type RunFailure,
  type Usage,
} from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import type { Tried } from './run/index.ts';
import type { Effect } from '../plan/index.ts';
import { visible } from '../plan/text/index.ts';

/** The message for a node whose last attempt lost its worker. The node may have caused the crash. */
const LOST =
  'the worker of its last attempt stopped sending heartbeats; perhaps the work ends its workers (memory, a native fault, ' +
  'process.exit). Look at their logs before it is tried again';
const TIMEOUTS: Readonly<Record<string, string>> = {
  HEARTBEAT: 'its worker stopped sending heartbeats: it is gone, or too busy to say that it is there',
  START_TO_CLOSE: 'one attempt took longer than it may',
  SCHEDULE_TO_START: 'no worker began it in time',
};

/** The end of a node without a result. If its at-most-once effect may have happened, the node is uncertain. */
export function nodeFailureOf(error: unknown, effect: Effect | undefined): NodeEnd {
  if (isCancellation(error)) {
    // The effect may have begun before the worker learned of the cancellation. The worker reports whether it did.
    const hasStarted =
      effect === 'at-most-once' && error instanceof ActivityFailure && reportsStart(error.cause) === true;
    return hasStarted
      ? { status: 'uncertain', type: 'Cancelled', message: 'cancelled while its effect may have been under way' }
      : { status: 'cancelled', type: 'Cancelled', message: 'cancelled' };
  }
  const cause = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) {
    const status = effect === 'at-most-once' && cause.timeoutType !== 'SCHEDULE_TO_START' ? 'uncertain' : 'failed';
    const isSpent = error instanceof ActivityFailure && error.retryState === 'MAXIMUM_ATTEMPTS_REACHED';
    if (status === 'failed' && isSpent && cause.timeoutType === 'HEARTBEAT')
      return { status, type: 'WorkerLost', message: LOST };
    return { status, type: `Timeout.${cause.timeoutType}`, message: TIMEOUTS[cause.timeoutType ?? ''] ?? 'timed out' };
  }
  const type = cause instanceof ApplicationFailure && isFailureType(cause.type) ? cause.type : 'RETRIABLE';
  // Only the worker knows that the effect did not happen: it called no capability, or that threw `NotApplied`.
  const isKnownUndone = type === 'NotApplied' || reportsStart(cause) === false;
  const isUncertain = effect === 'at-most-once' && error instanceof ActivityFailure && !isKnownUndone;
  if (!isUncertain) return { status: 'failed', type, message: messageOf(cause) };
  // A person must find out what happened before the node is retried.
  return { status: 'uncertain', type: type === 'RETRIABLE' ? 'Uncertain' : type, message: messageOf(cause) };
}

export function runFailureOf(error: unknown): RunFailure {
  const { type, message } = nodeFailureOf(error, 'read');
  return { type: isFailureType(type) ? type : 'RETRIABLE', message, details: [] };
}

/** Thrown if a worker deferred an activity, which has not begun or may run again. */
export class DeferredTask extends Error {
  override readonly name = 'DeferredTask';
  readonly deferral: Deferral;
  constructor(deferral: Deferral) {
    super(deferral.reason);
    this.deferral = deferral;
  }
}

/** Rethrows an unexpected error. It then fails only the workflow task, which a build without the bug repeats. */
export function rethrowUnknown(error: unknown): void {
  if (!(error instanceof TemporalFailure) && !(error instanceof DeferredTask)) throw error;
}

/** The failure for an unreadable reply. It is no bug, since anybody with access to the server can send a reply. */
export function unreadableReply(message: string): ApplicationFailure {
  return toApplicationFailure({ type: 'RETRIABLE', message, details: [] });
}

interface Failing extends Omit<RunFailure, 'details'> {
  readonly details: readonly unknown[];
}

export function toApplicationFailure({ type, message, details }: Failing): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type,
    message: visible(message, { lines: true }),
    nonRetryable: true,
    details: [...details],
  });
  // The failure is about a plan or a message, so a stack trace of this code would not help.
  failure.stack = '';
  return failure;
}

export function factsIn(error: unknown): Facts {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const detail = detailOf(cause) ?? {};
  const isRetried = cause instanceof ApplicationFailure && cause.nonRetryable !== true;
  const isLate = cause instanceof TimeoutFailure && ['HEARTBEAT', 'START_TO_CLOSE'].includes(cause.timeoutType ?? '');
  const { usage, rules, ...tried } =
    problemOf(FACTS, detail) === undefined ? (detail as Pick<Facts, 'usage' | 'rules'> & Tried) : {};
  return given({ usage, rules, tried: { ...given(tried), ...((isRetried || isLate) && { mayRetry: true as const }) } });
}

const FACTS = {
  begun: 'flag?',
  usage: maybe(USAGE),
  rules: maybe([APPROVAL_RULE]),
  attempts: 'count?',
  report: 'ref?',
} as const;

interface Facts {
  readonly usage?: Usage;
  readonly rules?: readonly ApprovalRule[];
  readonly tried?: Tried;
}

export function isCancelledByServer(error: unknown): boolean {
  return isCancellation(error) && error instanceof ActivityFailure && reportsStart(error.cause) === undefined;
}

function reportsStart(cause: unknown): unknown {
  return detailOf(cause)?.['begun'];
}

function detailOf(cause: unknown): Readonly<Record<string, unknown>> | undefined {
  const tells = cause instanceof ApplicationFailure || cause instanceof CancelledFailure;
  const detail: unknown = tells ? cause.details?.[0] : undefined;
  return isRecord(detail) ? detail : undefined;
}
