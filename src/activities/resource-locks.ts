/**
 * Locks a resource for one writer across all runs. A lock is an open workflow whose id is computed from the resource,
 * since ids are unique. Its first task is delayed until the lock expires, so it never runs.
 */

import { createHash } from 'node:crypto';
import { getClient } from '@temporalio/activity';
import {
  isGrpcDeadlineError,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowClient,
} from '@temporalio/client';
import { isRecord } from '../protocol/index.ts';
import { isEncrypting } from '../protocol/encryption/index.ts';

export interface Writer {
  readonly workflowId: string;
  readonly runId: string;
  readonly activityId: string;
  readonly attempt: number;
  /** For messages to people. */
  readonly nodeId: string;
}

export interface Lock {
  readonly writer: Writer | undefined;
  /** Removes exactly this lock, never a later one. Does nothing if the lock no longer exists. */
  unlock(why: string): Promise<void>;
}

export interface ResourceLocks {
  /**
   * Takes the lock; undefined if another writer has it.
   * @param forMs the time of the writer
   */
  lock(resource: string, writer: Writer, forMs: number): Promise<Lock | undefined>;
  find(resource: string): Promise<Lock | undefined>;
  /** Whether the existing lock ends within this time. The server answers the call when the lock ends. */
  ended(resource: string, withinMs: number): Promise<boolean>;
  /** Whether the server still waits for exactly this attempt. */
  isAtWork(writer: Writer): Promise<boolean>;
}

export const LOCK_TYPE = 'planwrightResource';
const QUEUE = 'planwright-resources';
const ANSWER_MS = 10_000;
/** Time in ms until a lock expires after the time of its writer, if nobody removes it. */
const LAST_MS = 60_000;
/** The server answers a long poll this many milliseconds before its deadline. */
const EARLIER_MS = 1000;
const CLOSE_EVENT = 2;
const NOT_FOUND = 5;
/** States (PendingActivityState) of an attempt that a worker executes, even if it was asked to stop or pause. */
const AT_WORK: readonly number[] = [2, 3, 5];

export const serverLocks: ResourceLocks = {
  async lock(resource, writer, forMs) {
    try {
      const handle = await callServer((client) =>
        client.start(LOCK_TYPE, {
          taskQueue: QUEUE,
          workflowId: lockId(client, resource),
          workflowIdConflictPolicy: 'FAIL',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          startDelay: forMs + LAST_MS,
          workflowExecutionTimeout: forMs + LAST_MS,
          memo: { writer },
          staticSummary: `${resource}: ${writer.nodeId} of ${writer.workflowId}`,
        }),
      );
      return lockOf(resource, handle.firstExecutionRunId, writer);
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
      throw error;
    }
  },
  async find(resource) {
    const found = await orUndefined(callServer((client) => client.getHandle(lockId(client, resource)).describe()));
    if (found?.status.name !== 'RUNNING') return undefined;
    return lockOf(resource, found.runId, readWriter(found.memo?.['writer']));
  },
  async ended(resource, withinMs) {
    const toEnd = { waitNewEvent: true, historyEventFilterType: CLOSE_EVENT };
    try {
      const { history } = await callServer((client) => {
        const { namespace } = client.options;
        const execution = { workflowId: lockId(client, resource) };
        return client.workflowService.getWorkflowExecutionHistory({ namespace, execution, ...toEnd });
      }, withinMs + EARLIER_MS);
      return (history?.events?.length ?? 0) > 0;
    } catch (error) {
      if (isGrpcDeadlineError(error)) return false;
      if (isGrpcServiceError(error) && (error.code as number) === NOT_FOUND) return true;
      throw error;
    }
  },
  async isAtWork({ workflowId, runId, activityId, attempt }) {
    const found = await orUndefined(callServer((client) => client.getHandle(workflowId, runId).describe()));
    if (found?.status.name !== 'RUNNING') return false;
    const pending = found.raw.pendingActivities?.find((one) => one.activityId === activityId);
    return pending?.attempt === attempt && AT_WORK.includes(Number(pending.state));
  },
};

/** The workflow id of a lock. With encryption it is a hash, since a resource's name may contain arguments of a plan. */
function lockId({ options }: WorkflowClient, resource: string): string {
  const isSecret = options.loadedDataConverter.payloadCodecs.some(isEncrypting);
  return `planwright-resource/${isSecret ? createHash('sha256').update(resource).digest('hex') : resource}`;
}

function lockOf(resource: string, runId: string, writer: Writer | undefined): Lock {
  const unlock = (why: string) =>
    orUndefined(callServer((client) => client.getHandle(lockId(client, resource), runId).terminate(why))).then(
      () => undefined,
    );
  return { writer, unlock };
}

async function orUndefined<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Calls the server. A cancelled attempt must still release its lock, so its cancellation does not abort the call. */
function callServer<T>(call: (client: WorkflowClient) => Promise<T>, ms = ANSWER_MS): Promise<T> {
  const { workflow } = getClient();
  const ofNobody = new AbortController().signal;
  return workflow.withAbortSignal(ofNobody, () => workflow.withDeadline(Date.now() + ms, () => call(workflow)));
}

/** Validates the content of a lock, which anyone who may start workflows could have written. */
function readWriter(memo: unknown): Writer | undefined {
  if (!isRecord(memo)) return undefined;
  const { workflowId, runId, activityId, attempt, nodeId } = memo;
  const names = [workflowId, runId, activityId, nodeId];
  if (!names.every((name) => typeof name === 'string' && name !== '') || typeof attempt !== 'number') return undefined;
  return memo as unknown as Writer;
}
