/** The one place that starts a node. Nothing with an effect above read starts unless `mayRun` says so. */

import { ActivityCancellationType, ApplicationFailure, scheduleActivity } from '@temporalio/workflow';
import type { NodeRequest } from '../activities/index.ts';
import {
  inputRefs,
  mayRun,
  NODE_ACTIVITY,
  nodeId,
  type NodeExecutor,
  type ResultHandle,
  type Run,
} from '../run/index.ts';

export function startNode(run: Run, node: number): Promise<ResultHandle> {
  const { slice, progress } = run;
  const executor = slice?.executors[slice.executorOf[node] ?? -1];
  if (slice === undefined || progress === undefined || executor === undefined) {
    return Promise.reject(ApplicationFailure.nonRetryable(`there is no node ${nodeId(node)} to start`, 'FATAL'));
  }
  const permission = mayRun({ effect: executor.effect, digest: slice.digest }, run.approval, run.options.approval);
  if (!permission.ok) return Promise.reject(ApplicationFailure.nonRetryable(permission.reason, 'FATAL'));
  const request: NodeRequest = {
    revision: slice.revisionRef,
    nodeId: nodeId(node),
    inputs: inputRefs(progress, node),
  };
  return scheduleActivity<ResultHandle>(NODE_ACTIVITY, [request], {
    activityId: request.nodeId,
    summary: slice.summaries[node] ?? '',
    ...boundsOf(executor),
  });
}

function boundsOf(executor: NodeExecutor) {
  const { attempts, initialMs, factor } = executor.retry;
  return {
    startToCloseTimeout: executor.startToCloseMs,
    scheduleToCloseTimeout: executor.scheduleToCloseMs,
    heartbeatTimeout: executor.heartbeatMs,
    // An effect that is under way when the run is cancelled is waited for, so that its outcome is known.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { maximumAttempts: attempts, initialInterval: initialMs, backoffCoefficient: factor },
  };
}
