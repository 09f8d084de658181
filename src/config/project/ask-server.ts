/** Asks the server about itself and about a run, without a worker. */

import type { WorkflowExecutionStatusName } from '@temporalio/client';
import type { ConnectedClient } from '../../client/index.ts';

export interface ServerRun {
  /** The workflow type. */
  readonly type: string;
  readonly taskQueue: string;
  /** Running, or how it was closed. */
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed-out' | 'unknown';
}

const DEADLINE_MS = 5000;
const GRPC_NOT_FOUND = 5;

/** By the SDK's names. */
export const SERVER_STATUSES = {
  RUNNING: 'running',
  PAUSED: 'running',
  CONTINUED_AS_NEW: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed-out',
  UNSPECIFIED: 'unknown',
  UNKNOWN: 'unknown',
} as const satisfies Record<WorkflowExecutionStatusName, ServerRun['status']>;

/** @throws ClientError `no-namespace` or `no-server` within 5 s. */
export async function checkNamespace({ client, namespace, address }: ConnectedClient): Promise<void> {
  const { ClientError } = await import('../../client/index.ts');
  try {
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    const { code, message } = error as { code?: number; message: string };
    if (code !== GRPC_NOT_FOUND) {
      throw new ClientError(
        'no-server',
        `the Temporal server at ${address} does not say whether it has namespace ${namespace}: ${message}`,
      );
    }
    throw new ClientError(
      'no-namespace',
      `namespace ${namespace} is not on ${address}; name another with --namespace, ` +
        `or make it with: temporal operator namespace create -n ${namespace} --address ${address}`,
    );
  }
}

/** Undefined if the server does not answer: the next query to the run fails with a better reason. */
export async function describeRun({ client }: ConnectedClient, workflowId: string): Promise<ServerRun | undefined> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    const description = await client.connection.withDeadline(Date.now() + DEADLINE_MS, () => handle.describe());
    return {
      type: description.type,
      taskQueue: description.taskQueue,
      status: SERVER_STATUSES[description.status.name],
    };
  } catch {
    return undefined;
  }
}
