/** Runs an activity of another language's worker for a node. The node's own activity starts this and waits for it. */

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
 * Runs one activity of another task queue and returns its result (`activityCapability`). The activity has one attempt:
 * retries are the node's own. A cancellation reaches the activity with its next heartbeat; the workflow ends when the
 * activity ends, so that its end is known.
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

/** Whether the activity ended before a worker took it. A cancelled workflow would not say so. */
function isUnbegun(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause, failure } = error;
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'SCHEDULE_TO_START';
  return cause instanceof CancelledFailure && Number(failure?.activityFailureInfo?.startedEventId ?? 0) === 0;
}

/** Fails the workflow task. The server retries the task until a worker with the key takes it. */
function lacksKey(what: string): Error {
  return new Error(`this worker lacks the key of ${what}; give it the key ("encryption" of planwright.config.ts)`);
}
