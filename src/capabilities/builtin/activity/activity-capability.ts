/** Makes a capability of another worker's activity, in any language that Temporal has an SDK for. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { ActivityFailure } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import type { z } from 'zod';
import { defineCapability, NotApplied, type Declaration, type ResultValues } from '../../index.ts';
import type { TaskContext, Verified, WorkCapability } from '../../index.ts';
import { canonicalJson, type JsonValue } from '../../../plan/index.ts';
import { messageOf, quote } from '../../../plan/text/index.ts';
import {
  ERROR_CLASSES,
  given,
  isMalformed,
  timeoutSignal,
  type ActivityCall,
  type ResultKind,
} from '../../../protocol/index.ts';
import { fromResultJson, toResultJson, UnstorableError, type Result } from '../../../store/index.ts';
import * as other from './other-workflow.ts';

type Made = 'kind' | 'alone' | 'execute' | 'verify' | 'versionNow' | 'waitsFor';

/**
 * The fields of `defineCapability`, except functions that do the work, and the address of the activity. `timeout`
 * limits the activity itself. With `heartbeatMs`, the activity must send heartbeats.
 */
export interface ActivityDeclaration<
  Input extends z.ZodType,
  Kind extends ResultKind,
  Name extends string,
> extends Omit<Declaration<Input, Kind, Name, undefined>, Made> {
  /** The name of the activity at its worker, such as `pay`. */
  readonly activity: string;
  /** The task queue that its worker polls, in the namespace of the run. */
  readonly taskQueue: string;
}

/** What the activity receives. It is equal in each attempt, so that a later attempt can join the running call. */
const SENT = [
  ...(['arguments', 'idempotencyKey', 'goal', 'task', 'hint', 'context', 'contextKey', 'action'] as const),
  ...(['description', 'expectedOutput', 'successCriteria', 'inputTypes'] as const),
];
/** The failure types that the activity may choose. Other failures are `RETRIABLE`, or `CRITICAL` if non-retryable. */
const OWN_TYPES: readonly string[] = ['NotApplied', ...ERROR_CLASSES];
const USUAL_MS = 300_000;
/**
 * @bound {ms} wait of an activity of another task queue for a free worker @beyond it has not begun: an at-most-once
 * node fails with `NotApplied`, another one is tried again
 */
const QUEUE_MS = 600_000;
const SLACK_MS = 30_000;
/**
 * @bound {bytes} the input of an activity of another task queue, as JSON
 * @beyond the node fails before it begins; pass a reference, such as the path of a file
 */
const MAX_INPUT_BYTES = 1024 * 1024;
const PROGRESS_MS = 5000;
/** How long one call of the probe waits for the activity, in ms. It is less than the probe's time limit. */
const LOOK_MS = 20_000;
const MAX_NAME = 200;

/**
 * Declares a capability that is an activity of another worker, for example in Python or Go. The activity receives one
 * object, `{ arguments, idempotencyKey, goal, task, inputs, ... }`, and returns the result as JSON; a set is a list of
 * `{ "id": ... }`. The activity has one attempt; Planwright repeats the whole node if it is a read or an idempotent
 * effect. If an at-most-once activity fails after it began, its node is uncertain, unless the failure's type is
 * `NotApplied`.
 * @throws TypeError if the declaration is invalid
 * @example
 * const pay = activityCapability({
 *   name: 'pay',
 *   description: 'Pays an amount.',
 *   input: z.object({ amount: z.number() }),
 *   output: 'value',
 *   effect: 'at-most-once',
 *   activity: 'pay',
 *   taskQueue: 'python',
 * });
 */
export function activityCapability<Input extends z.ZodType, Kind extends ResultKind, Name extends string>(
  declaration: ActivityDeclaration<Input, Kind, Name>,
): WorkCapability<Input, Kind, Name> {
  const { activity, taskQueue, timeout = {}, ...declared } = declaration;
  const { name, output, effect } = declared;
  for (const [what, text] of Object.entries({ activity, taskQueue }))
    if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_NAME)
      throw new TypeError(`capability ${name}: ${what} is a text of 1 to ${MAX_NAME} characters`);
  const { startToCloseMs = USUAL_MS, heartbeatMs } = timeout;
  const isOnce = effect === 'at-most-once';
  const about = `activity ${activity} of task queue ${taskQueue}`;

  return defineCapability({
    ...declared,
    timeout: { startToCloseMs: startToCloseMs + QUEUE_MS + SLACK_MS, ...given({ heartbeatMs }) },
    alone: true,
    async waitsFor() {
      if (await other.isServed(taskQueue)) return undefined;
      return `a worker of task queue ${quote(taskQueue)} for the activity ${activity}: start one`;
    },
    ...(isOnce && { verify }),
    async execute(task: TaskContext<z.output<Input>>) {
      const found = await started(task).catch((error: unknown) => {
        throw isOnce && !other.mayBeStarted(error) ? new NotApplied(`${about}: ${messageOf(error)}`) : error;
      });
      const end = await follow(found, task);
      if ('result' in end) return resultOf(end.result);
      throw errorOf(end.failure);
    },
  });

  async function started(task: TaskContext<unknown>): Promise<WorkflowHandle> {
    const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
    const call = await callOf(task);
    return other.startOrJoin(idOf(task, call), call, isOnce, `${name} of ${workflowId}`, task.signal);
  }

  async function callOf(task: TaskContext<unknown>): Promise<ActivityCall> {
    const inputs = await Promise.all(
      task.inputs.map(async (input) => ({ name: input.name, result: jsonOf(await input.read()) })),
    );
    const json = JSON.stringify({ ...Object.fromEntries(SENT.map((field) => [field, task[field]])), inputs });
    const bytes = Buffer.byteLength(json);
    if (bytes > MAX_INPUT_BYTES)
      throw new Error(`its task is ${bytes} bytes as JSON, of at most ${MAX_INPUT_BYTES}; pass a reference instead`);
    const sent = JSON.parse(json) as Record<string, unknown>;
    return { activity, taskQueue, startToCloseMs, queueMs: QUEUE_MS, ...given({ heartbeatMs }), task: sent };
  }

  function idOf({ idempotencyKey, claimToken }: TaskContext<unknown>, { task }: ActivityCall): string {
    if (isOnce && claimToken === undefined) throw new NotApplied(`${about}: the attempt has no claim`);
    return other.workflowIdOf(idempotencyKey, claimToken ?? canonicalJson(task as JsonValue));
  }

  /** Waits for the workflow's end. Cancels it if the run stops this node, but not if only this worker stops. */
  async function follow(handle: WorkflowHandle, task: TaskContext<unknown>) {
    const attempt = Context.current();
    const leave = new AbortController();
    // The client needs the activity's context, but the abort event comes without it.
    const stop = AsyncLocalStorage.bind(() => {
      if (attempt.cancellationDetails?.cancelRequested === true) void other.stopWorkflow(handle, isOnce);
      if (!isOnce) leave.abort();
    });
    const look = async () => {
      const { isTaken, details } = await other.progressOf(handle);
      const waits = isTaken ? '' : `, which waits for a worker of task queue ${quote(taskQueue)}`;
      task.heartbeat({ waitsForRun: `${handle.workflowId}${waits}`, ...given({ details }) });
    };
    const watch = setInterval(() => void look().catch(() => undefined), PROGRESS_MS);
    task.signal.addEventListener('abort', stop);
    if (task.signal.aborted) stop();
    try {
      const end = await other.endOf(handle, leave.signal);
      if (end === undefined) throw task.signal.reason;
      return end;
    } finally {
      clearInterval(watch);
    }
  }

  async function verify(task: TaskContext<z.output<Input>>): Promise<Verified<Kind>> {
    if (task.claimToken === undefined) return undefined;
    const attempt = Context.current();
    const call = await callOf(task);
    const handle = await other.findWorkflow(idOf(task, call), call, task.signal);
    if (handle === undefined) return { happened: false };
    if (task.isOver === true) await other.stopWorkflow(handle, true);
    const end = await other.endOf(handle, AbortSignal.any([task.signal, timeoutSignal(LOOK_MS)]));
    const isStopped = task.signal.aborted && attempt.cancellationDetails?.cancelRequested === true;
    if (isStopped) await other.stopWorkflow(handle, true);
    if (end === undefined) return { happened: 'pending', why: `${about}, workflow ${handle.workflowId}` };
    if ('result' in end) return { happened: true, result: resultOf(end.result) };
    return errorOf(end.failure).type === 'NotApplied' ? { happened: false } : undefined;
  }

  /** Reads what the activity returned. @throws UnstorableError if it is no JSON or not the set that was promised */
  function resultOf(returned: unknown): ResultValues[Kind] {
    if (isMalformed(returned))
      throw new UnstorableError(`${about} returned no JSON (${returned.encoding}): ${returned.reason}`);
    if (output !== 'set') return (returned ?? null) as ResultValues[Kind];
    const read = fromResultJson({ kind: 'set', records: returned });
    if (read.ok && read.notes.length === 0) return read.set as ResultValues[Kind];
    const why = read.ok ? read.notes.join(' ') : read.message;
    throw new UnstorableError(`${about} returned no list of { "id": ... }: ${why}`);
  }

  function errorOf(failure: unknown): ApplicationFailure {
    const cause = failure instanceof ActivityFailure ? (failure.cause ?? failure) : failure;
    const { type, nonRetryable, nextRetryDelay } = cause instanceof ApplicationFailure ? cause : {};
    const known = OWN_TYPES.find((one) => one === type);
    const message = `${about}: ${messageOf(cause)}`;
    return ApplicationFailure.create({ message, ...given({ type: known, nonRetryable, nextRetryDelay }) } as object);
  }
}

function jsonOf(result: Result): JsonValue {
  if (result.kind === 'set') return toResultJson(result.set).records as unknown as JsonValue;
  return result.kind === 'text' ? result.text : result.value;
}
