/**
 * Runs an activity on a worker of another language for a node. The node's own activity starts this and waits for it.
 */

import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import { ACTIVITY_CALL, fits, isUndecrypted, problemOf } from '../protocol/index.ts';

/**
 * Runs one activity of another task queue and returns its result (`activityCapability`). Makes one attempt, since the
 * node is retried. A cancelled workflow waits for its activity, so that its end is known.
 */
export async function activityWorkflow(input: unknown): Promise<unknown> {
  if (isUndecrypted(input)) throw lacksKey('the input');
  if (!fits(ACTIVITY_CALL, input)) {
    const problem = problemOf(ACTIVITY_CALL, input) ?? '';
    throw ApplicationFailure.nonRetryable(`the input is no call of an activity; ${problem}`, 'InvalidInput');
  }
  const { activity, taskQueue, startToCloseMs, queueMs, heartbeatMs, task } = input;
  const { [activity]: run } = proxyActivities<Record<string, (task: object) => Promise<unknown>>>({
    taskQueue,
    startToCloseTimeout: startToCloseMs,
    scheduleToStartTimeout: queueMs,
    ...(heartbeatMs !== undefined && { heartbeatTimeout: heartbeatMs }),
    retry: { maximumAttempts: 1 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
  const result = await run?.(task).catch((error: unknown) => {
    throw isUnbegun(error) ? ApplicationFailure.retryable('no worker took it', 'NotApplied') : error;
  });
  if (isUndecrypted(result)) throw lacksKey('the result');
  return result;
}

/** Whether the activity ended before a worker took it. The workflow's cancellation would not say so. */
function isUnbegun(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause, failure } = error;
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'SCHEDULE_TO_START';
  return cause instanceof CancelledFailure && Number(failure?.activityFailureInfo?.startedEventId ?? 0) === 0;
}

/** Fails the workflow task, which the server retries until a worker with the key takes it. */
function lacksKey(what: string): Error {
  return new Error(`this worker lacks the key of ${what}; give it the key ("encryption" of planwright.config.ts)`);
}
