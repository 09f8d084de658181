import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context, getClient } from '@temporalio/activity';
import {
  isGrpcServiceError,
  type Client,
  ServiceError,
  type WorkflowHandle,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { canonicalJson, type JsonValue } from '../../../plan/index.ts';
import { quote } from '../../../plan/text/index.ts';
import { ACTIVITY_CALL, ACTIVITY_WORKFLOW, fits, timeoutSignal, type ActivityCall } from '../../../protocol/index.ts';
import { decodePayloads, inputIn, startEvent } from '../../../protocol/executions.ts';

/** How the workflow ended. */
export type CallEnd = { readonly result: unknown } | { readonly failure: unknown };

const ANSWER_MS = 15_000;
const PAUSE_MS = 1000;
/** How long this process tries to stop a workflow, in ms. */
const STOP_MS = 60_000;
/** gRPC codes of lasting errors: invalid argument, not found, permission denied, unauthenticated. */
const LASTING_CODES = [3, 5, 7, 16];
/** `TASK_QUEUE_TYPE_ACTIVITY` and `PENDING_ACTIVITY_STATE_SCHEDULED` of the Temporal API. */
const [ACTIVITY_TASKS, SCHEDULED] = [2, 1];

/** The id of the workflow for a call. @param secret makes the id unpredictable for everyone else */
export function workflowIdOf(idempotencyKey: string, secret: string): string {
  const hash = createHash('sha256').update(JSON.stringify([idempotencyKey, secret]));
  return `planwright-activity/${hash.digest('hex')}`;
}

/**
 * Starts the workflow, or joins that of another attempt.
 * @throws Error if the id belongs to another workflow
 */
export async function startOrJoin(
  workflowId: string,
  call: ActivityCall,
  isOnce: boolean,
  staticSummary: string,
  signal: AbortSignal,
): Promise<WorkflowHandle> {
  const { taskQueue } = Context.current().info;
  const { workflow } = getClient();
  const workflowIdReusePolicy = isOnce ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY';
  const policies = { workflowIdReusePolicy, workflowIdConflictPolicy: 'FAIL' } as const;
  const options = { taskQueue, workflowId, args: [call], staticSummary, ...policies };
  try {
    const { firstExecutionRunId } = await answered(signal, () => workflow.start(ACTIVITY_WORKFLOW, options));
    return workflow.getHandle(workflowId, firstExecutionRunId);
  } catch (error) {
    const isThere = error instanceof WorkflowExecutionAlreadyStartedError;
    const found = isThere ? await findWorkflow(workflowId, call, signal) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

/** Whether the server may have started the workflow although the call failed. */
export function mayBeStarted(error: unknown): boolean {
  return error instanceof ServiceError || isGrpcServiceError(error);
}

/**
 * @returns undefined if the server has no workflow with this id
 * @throws Error if the id belongs to another workflow
 */
export async function findWorkflow(
  workflowId: string,
  call: ActivityCall,
  signal: AbortSignal,
): Promise<WorkflowHandle | undefined> {
  const { taskQueue } = Context.current().info;
  const client = getClient();
  const { namespace } = client.options;
  try {
    const { runId } = await answered(signal, () => client.workflow.getHandle(workflowId).describe());
    const started = await answered(signal, () => startEvent(client, namespace, { workflowId, runId }));
    const problem =
      differs('type', ACTIVITY_WORKFLOW, started?.workflowType?.name) ??
      differs('task queue', taskQueue, started?.taskQueue?.name) ??
      differs('input', inputDigest(call), inputDigest(await inputIn(client, started)));
    if (problem === undefined) return client.workflow.getHandle(workflowId, runId);
    throw new Error(`somebody else started the workflow ${workflowId}, run ${runId}: ${problem}; find out who did`);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function differs(what: string, expected: string, found: string | null | undefined): string | undefined {
  return found === expected ? undefined : `its ${what} is ${quote(found ?? 'none')}, not ${quote(expected)}`;
}

/** Equal inputs mean the same call, even if time limits differ. */
function inputDigest(input: unknown): string {
  if (!fits(ACTIVITY_CALL, input)) return 'no call of an activity';
  const { activity, taskQueue, task } = input;
  const text = canonicalJson({ activity, taskQueue, task: JSON.parse(JSON.stringify(task)) as JsonValue });
  return createHash('sha256').update(text).digest('hex');
}

/** Waits for the workflow's end, even during outages of the server. @returns undefined if `signal` aborts first */
export async function endOf(handle: WorkflowHandle, signal: AbortSignal): Promise<CallEnd | undefined> {
  const { connection } = getClient();
  try {
    return { result: await answered(signal, () => connection.withAbortSignal(signal, () => handle.result()), false) };
  } catch (error) {
    if (error instanceof WorkflowFailedError) return { failure: error.cause };
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Cancels a workflow and waits for its end, or terminates it. Ignores that it may have ended. */
export async function stopWorkflow(handle: WorkflowHandle, isToEnd: boolean): Promise<void> {
  const stop = () => (isToEnd ? handle.cancel() : handle.terminate('its node was stopped'));
  await answered(timeoutSignal(STOP_MS), stop).catch(() => undefined);
}

/** The state of the pending activity at the server: whether a worker has it, and its last heartbeat. */
export async function progressOf(handle: WorkflowHandle) {
  const client = getClient();
  const { raw } = await client.connection.withDeadline(Date.now() + ANSWER_MS, () => handle.describe());
  const [pending] = raw.pendingActivities ?? [];
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  const [details] = await decodePayloads(payloadCodecs, pending?.heartbeatDetails?.payloads ?? []);
  const isTaken = pending !== undefined && Number(pending.state) !== SCHEDULED;
  return { isTaken, details: details && payloadConverter.fromPayload<JsonValue>(details) };
}

/** Whether a worker polled this task queue within the last minutes, as far as the server remembers. */
export async function isServed(taskQueue: string): Promise<boolean> {
  const { connection, workflowService, options }: Client = getClient();
  const { pollers } = await connection.withDeadline(Date.now() + ANSWER_MS, () =>
    workflowService.describeTaskQueue({
      namespace: options.namespace,
      taskQueue: { name: taskQueue },
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
      taskQueueType: ACTIVITY_TASKS,
    }),
  );
  return (pollers?.length ?? 0) > 0;
}

/** Repeats a call while the server is unavailable. @param isBounded true if one try ends after some seconds */
async function answered<T>(signal: AbortSignal, ask: () => Promise<T>, isBounded = true): Promise<T> {
  const { connection } = getClient();
  for (;;) {
    try {
      return await (isBounded ? connection.withDeadline(Date.now() + ANSWER_MS, ask) : ask());
    } catch (error) {
      const cause = isGrpcServiceError(error) ? error : (error as Error).cause;
      const isLasting = isGrpcServiceError(cause) && LASTING_CODES.includes(cause.code);
      if (signal.aborted || isLasting || !mayBeStarted(error)) throw error;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
}
