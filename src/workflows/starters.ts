/** The one place that starts nodes: a starter for each kind. Nothing starts unless `mayRun` says so. */

import { ActivityCancellationType, ApplicationFailure, scheduleActivity } from '@temporalio/workflow';
import { ACTIVITIES, nodeId, type NodeExecutor, type NodeKind, type NodeRequest } from '../contract/index.ts';
import { inputRefs, mayRun, type Run } from '../run/index.ts';

type Starter = (start: NodeStart) => Promise<unknown>;

interface NodeStart {
  readonly request: NodeRequest;
  readonly executor: NodeExecutor;
  readonly activityId: string;
  readonly summary: string;
}

const STARTERS = {
  task: (start) => startActivity(ACTIVITIES.task, start),
  wait: (start) => startActivity(ACTIVITIES.wait, start),
  combine: (start) => startActivity(ACTIVITIES.combine, start),
} as const satisfies Record<NodeKind, Starter>;

/**
 * Resolves with what the node's activity returned, whatever that is.
 * @param work the id of the work: before an effect above read begins, its worker asks the run by it whether it may
 */
export function startNode({ dialogue: { approval }, execution }: Run, node: number, work: number): Promise<unknown> {
  const executor = execution?.slice.executors[execution.slice.executorOf[node] ?? -1];
  if (execution === undefined || executor === undefined) return refuse(`there is no node ${nodeId(node)} to start`);
  const { slice, progress, retries } = execution;
  const permission = mayRun({ digest: slice.digest, node }, approval);
  if (!permission.ok) return refuse(permission.reason);
  const retry = retries.get(node) ?? 0;
  const request: NodeRequest = {
    revision: slice.revisionRef,
    nodeId: nodeId(node),
    inputs: inputRefs(progress, node),
    ...(retry > 0 && { retry }),
    ...(executor.effect !== 'read' && { work }),
  };
  // Work of the plan before an edit may still be under way under the plain id.
  const activityId = approval.revision === 1 ? request.nodeId : `r${approval.revision}.${request.nodeId}`;
  return STARTERS[executor.kind]({ request, executor, activityId, summary: slice.summaries[node] ?? '' });
}

function startActivity(type: string, { request, executor, activityId, summary }: NodeStart): Promise<unknown> {
  return scheduleActivity(type, [request], { activityId, summary, ...boundsOf(executor) });
}

function boundsOf(executor: NodeExecutor) {
  const { initialMs, factor } = executor.retry;
  return {
    startToCloseTimeout: executor.startToCloseMs,
    scheduleToCloseTimeout: executor.scheduleToCloseMs,
    heartbeatTimeout: executor.heartbeatMs,
    // An effect that is under way when the run is cancelled is waited for, so that its outcome is known.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: initialMs,
      backoffCoefficient: factor,
      // Its worker counts what the capability did, and ends the rest for good; an effect at most once has one attempt.
      ...(executor.effect === 'at-most-once' && { maximumAttempts: 1 }),
    },
  };
}

function refuse(reason: string): Promise<never> {
  return Promise.reject(ApplicationFailure.nonRetryable(reason, 'FATAL'));
}
