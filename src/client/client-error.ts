/** The errors between a program and a run, each with a stable code and what to do about it. */

import {
  isGrpcDeadlineError,
  isGrpcServiceError,
  QueryNotRegisteredError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import {
  ApplicationFailure,
  NamespaceNotFoundError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/common';
import { DEFAULT_TASK_QUEUE, isStale, type Refusal, type Refused, type UnattendedQueue } from '../protocol/index.ts';
import type { PlanIssue } from '../plan/index.ts';
import { saysEnded, isOfNamespace, isUnattended, waitsForStore } from './server-words.ts';

/** Every code of a `ClientError`. */
export const CLIENT_ERROR_CODES = [
  /** `executePlan` was given no client of runs. @fix Give it `plans`, of `createPlanClient`. */
  'no-client',
  /** No Temporal server answers. @fix `planwright dev`, or set `TEMPORAL_ADDRESS`. */
  'no-server',
  /**
   * No worker answers on the task queue (`unattended` says since when none asks it for work), or the run cannot answer:
   * its workflow task fails, or it waits for the store. @fix `planwright worker`, or what the message names; nothing is
   * lost meanwhile.
   */
  'no-worker',
  /** The server does not have the namespace. @fix Name another, or make it. */
  'no-namespace',
  /** There is no such run. @fix Look at `planwright list`. */
  'no-run',
  /** The run has ended. @fix Nothing. */
  'run-closed',
  /** There is a run of this id. @fix Choose another id, or `newRun` where it has closed. */
  'already-started',
  /** The options of the run do not fit. @fix Follow the message; see docs/runs.md. */
  'invalid-input',
  /** `executePlan` was given a plan with problems. @fix Mend the `issues`. */
  'invalid-plan',
  /** The run of `executePlan` or `result()` ended without results. @fix Look at the run that the message names. */
  'not-done',
  /** The run refuses the decision. @fix Follow the reason. */
  'refused',
  /** The decision names another plan, or comes second. @fix Look at the run, then decide. */
  'stale',
  /**
   * A run, or the store, has given what is no answer. @fix Use a client of the version of its workers; look at who
   * works on their task queue.
   */
  'unreadable',
] as const;

/** The stable code of a `ClientError`, one of `CLIENT_ERROR_CODES`. */
export type ClientErrorCode = (typeof CLIENT_ERROR_CODES)[number];

/**
 * The error of a call to a run or to the server: a stable code, and a message that says what to do.
 * @example if (error instanceof ClientError && error.code === 'stale') show(await run.view(['plan']));
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;
  /** For `refused` and `stale`: the run's own word for it. */
  readonly refusal?: Refusal;
  /** For an edit whose plan is invalid: the issues of the plan. */
  readonly issues?: readonly PlanIssue[];
  /** For `no-worker`: that no worker asks for work there, and since when. */
  readonly unattended?: UnattendedQueue;
  /** For `no-worker`: a worker is there, and this run alone cannot answer. */
  readonly isStuck?: true;
  constructor(code: ClientErrorCode, message: string, options: ClientErrorOptions = {}) {
    super(message, options);
    this.code = code;
    if (options.refusal !== undefined) this.refusal = options.refusal;
    if (options.issues !== undefined) this.issues = options.issues;
    if (options.unattended !== undefined) this.unattended = options.unattended;
    if (options.isStuck === true) this.isStuck = true;
  }
}

/** The code of an error that may pass: a worker or a server that does not answer now may do so later. */
export function passingCode(error: unknown): 'no-worker' | 'no-server' | undefined {
  const code = error instanceof ClientError ? error.code : undefined;
  return code === 'no-worker' || code === 'no-server' ? code : undefined;
}

interface ClientErrorOptions extends ErrorOptions {
  readonly refusal?: Refusal;
  readonly issues?: readonly PlanIssue[];
  readonly unattended?: UnattendedQueue;
  readonly isStuck?: true;
}

/** gRPC status codes that we tell apart. A queue that no worker polls, and a workflow task that fails, is a failed precondition of a query. A call that its deadline ends is cancelled when the server notices first. */
const CANCELLED = 1;
const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;
const UNAVAILABLE = 14;

export interface ClientAddress {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
}

/** Turns an error of the SDK into a ClientError; an error that it does not know it returns as it came. */
export function toClientError(error: unknown, place: ClientAddress, workflowId?: string): unknown {
  if (error instanceof ClientError) return error;
  if (error instanceof WorkflowExecutionAlreadyStartedError) {
    return new ClientError(
      'already-started',
      `there is a run ${workflowId} already; choose another --workflow-id, or, where it has closed, start a run of its own with --new-run`,
      { cause: error },
    );
  }
  if (error instanceof WorkflowUpdateFailedError) return updateRefusal(error);
  if (error instanceof QueryNotRegisteredError && waitsForStore(error))
    return new ClientError('no-worker', `run ${workflowId}: ${error.message}`, { cause: error, isStuck: true });
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcDeadlineError(error))
    return noWorker(place, error);
  if (error instanceof NamespaceNotFoundError) return noNamespace(place, error);
  if (error instanceof WorkflowNotFoundError) return noRun(error, place, workflowId);
  if (isGrpcServiceError(rootOf(error))) return fromGrpc(rootOf(error), place, workflowId);
  return error;
}

function fromGrpc(error: unknown, place: ClientAddress, workflowId: string | undefined): unknown {
  const { code, details = '' } = error as { code?: number; details?: string };
  if (code === DEADLINE_EXCEEDED || code === CANCELLED) return noWorker(place, error);
  if (code === FAILED_PRECONDITION && isUnattended(details)) return noWorker(place, error);
  if (code === NOT_FOUND && isOfNamespace(details)) return noNamespace(place, error);
  if (code === NOT_FOUND) return noRun(error, place, workflowId);
  if (code === UNAVAILABLE) return noServer(place, error);
  return error;
}

export function noServer({ address }: Pick<ClientAddress, 'address'>, cause: unknown): ClientError {
  const message = `no Temporal server answers at ${address}; start one with "npx planwright dev", or set TEMPORAL_ADDRESS`;
  return new ClientError('no-server', message, { cause });
}

function noNamespace({ namespace, address }: ClientAddress, cause: unknown): ClientError {
  const create = `temporal operator namespace create -n ${namespace}`;
  const message = `namespace ${namespace} is not on ${address}; name another, or make it with: ${create}`;
  return new ClientError('no-namespace', message, { cause });
}

/** Why nobody answers on a task queue, one of the two. */
export interface Silence {
  /** No worker has asked for work within the last minute, or all that did are known to have ended. */
  readonly nobody?: UnattendedQueue;
  /** One has: a text for people. */
  readonly busy?: string;
}

export function noWorker({ taskQueue, namespace }: ClientAddress, cause: unknown, silence: Silence = {}): ClientError {
  const { nobody: unattended, busy } = silence;
  const message =
    busy !== undefined
      ? `${busy}; nothing is lost meanwhile`
      : `no worker answered on task queue ${taskQueue} in namespace ${namespace}; ` +
        `start one with "npx planwright worker${taskQueue === DEFAULT_TASK_QUEUE ? '' : ` --task-queue ${taskQueue}`}", nothing is lost meanwhile`;
  return new ClientError('no-worker', message, { cause, ...(unattended && { unattended }) });
}

export function noRun(cause: unknown, { namespace }: ClientAddress, workflowId = ''): ClientError {
  return saysEnded(cause)
    ? new ClientError('run-closed', `run ${workflowId} is closed; it takes no more messages`, { cause })
    : new ClientError(
        'no-run',
        `there is no run ${workflowId} in namespace ${namespace}; "npx planwright list" names those that there are`,
        { cause },
      );
}

/** The run has refused what was said, before or after it took it in. */
export function refusalError(refused: Refused & { readonly issues?: unknown }, cause?: unknown): ClientError {
  const { refusal, reason, issues } = refused;
  return new ClientError(isStale(refusal) ? 'stale' : 'refused', reason, {
    refusal,
    cause,
    ...(Array.isArray(issues) && { issues: issues as readonly PlanIssue[] }),
  });
}

function updateRefusal(error: WorkflowUpdateFailedError): ClientError {
  const { cause } = error;
  const detail =
    cause instanceof ApplicationFailure
      ? (cause.details?.[0] as { refusal?: Refusal; issues?: readonly PlanIssue[] } | undefined)
      : undefined;
  const reason = cause?.message ?? error.message;
  return detail?.refusal === undefined
    ? new ClientError('refused', reason, { cause: error })
    : refusalError({ ok: false, refusal: detail.refusal, reason, issues: detail.issues }, error);
}

/** The same call fails again. */
export function isInvalidArgument(error: unknown): boolean {
  return (rootOf(error) as { readonly code?: unknown } | null)?.code === INVALID_ARGUMENT;
}

/** The SDK wraps gRPC errors in a ServiceError. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined && !isGrpcServiceError(error) ? error.cause : error;
}
