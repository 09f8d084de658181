/** The one place that starts a node. Nothing starts unless `mayRun` says so. */

import { ActivityCancellationType, ApplicationFailure, scheduleActivity } from '@temporalio/workflow';
import type { NodeReply, NodeRequest } from '../activities/index.ts';
import { inputRefs, mayRun, NODE_ACTIVITY, nodeId, type NodeExecutor, type Run } from '../run/index.ts';

export function startNode(run: Run, node: number): Promise<NodeReply> {
  const { slice, progress, approval } = run;
  const executor = slice?.executors[slice.executorOf[node] ?? -1];
  if (slice === undefined || progress === undefined || executor === undefined) {
    return Promise.reject(ApplicationFailure.nonRetryable(`there is no node ${nodeId(node)} to start`, 'FATAL'));
  }
  const permission = mayRun({ digest: slice.digest, node }, approval);
  if (!permission.ok) return Promise.reject(ApplicationFailure.nonRetryable(permission.reason, 'FATAL'));
  const retry = run.retries.get(node) ?? 0;
  const request: NodeRequest = {
    revision: slice.revisionRef,
    nodeId: nodeId(node),
    inputs: inputRefs(progress, node),
    ...(retry > 0 && { retry }),
  };
  return scheduleActivity<NodeReply>(NODE_ACTIVITY, [request], {
    // Work of the plan before an edit may still be under way under the plain id.
    activityId: approval.revision === 1 ? request.nodeId : `r${approval.revision}.${request.nodeId}`,
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
