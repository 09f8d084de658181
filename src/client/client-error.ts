/** The errors of a program's calls to runs. Each has a stable code and a message that says what to do. */

import { quoteForShell } from '../plan/text/index.ts';
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
import { ASK_AGAIN, UNHEARD, WAITS_BETWEEN } from '../protocol/messages.ts';

/** Every code of a `ClientError`. */
export const CLIENT_ERROR_CODES = [
  /** `executePlan` was called without a client of runs. @fix Give it `plans`, made by `createPlanClient`. */
  'no-client',
  /** No Temporal server answers. @fix Run `planwright dev`, or set `TEMPORAL_ADDRESS`. */
  'no-server',
  /**
   * No worker answers on the task queue (`unattended` says since when none polls it). Or the run cannot answer: its
   * workflow task fails, or it waits for the store. @fix Run `planwright worker`, or do what the message says. Nothing
   * is lost meanwhile.
   */
  'no-worker',
  /** The server does not have the namespace. @fix Name another namespace, or create this one. */
  'no-namespace',
  /** There is no run with this id. @fix Look at `planwright list`. */
  'no-run',
  /** The run has ended. @fix Nothing. */
  'run-closed',
  /** A run with this id already exists. @fix Choose another id, or set `newRun` if the run is closed. */
  'already-started',
  /** The options of the run are invalid. @fix Follow the message; see docs/runs.md. */
  'invalid-input',
  /** The plan passed to `executePlan` has problems. @fix Correct the `issues`. */
  'invalid-plan',
  /** The run of `executePlan` or `result()` ended without results. @fix Look at the run that the message names. */
  'not-done',
  /** The run rejected the message. @fix Follow the reason. */
  'refused',
  /** The decision is about another plan, or another decision came first. @fix Look at the run, then decide. */
  'stale',
  /**
   * A run or the store returned something invalid. @fix Use a client of the same version as the workers; check which
   * workers poll the task queue.
   */
  'unreadable',
] as const;

/** The stable code of a `ClientError`. */
export type ClientErrorCode = (typeof CLIENT_ERROR_CODES)[number];

/**
 * The error of a call to a run or to the server: a stable code, and a message that says what to do.
 * @example if (error instanceof ClientError && error.code === 'stale') show(await run.view(['plan']));
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;
  /** For `refused` and `stale`: the code of the run's rejection. */
  readonly refusal?: Refusal;
  /** For an edit whose plan is invalid: the issues of the plan. */
  readonly issues?: readonly PlanIssue[];
  /** For `no-worker`: the task queue that no worker polls, and since when. */
  readonly unattended?: UnattendedQueue;
  /** For `no-worker`: a worker is there, but this run cannot answer. */
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

/** The code of a temporary error: a worker or server that does not answer now may answer later. */
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

/** gRPC status codes. A query fails with FAILED_PRECONDITION if no worker polls or the workflow task fails. */
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

/** Converts an error of the SDK to a ClientError. Unknown errors are returned unchanged. */
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

export function noNamespace(
  { namespace, address }: Pick<ClientAddress, 'namespace' | 'address'>,
  cause: unknown,
): ClientError {
  const create = `temporal operator namespace create -n ${namespace} --address ${address}`;
  const message = `namespace ${namespace} is not on ${address}; name another with --namespace, or make it with: ${create}`;
  return new ClientError('no-namespace', message, { cause });
}

/** Why no worker answers on a task queue. Exactly one field is set. */
export interface Silence {
  /** Set if no worker has polled within the last minute, or every worker that polled has ended. */
  readonly nobody?: UnattendedQueue;
  /** Set if a worker has polled: describes that worker for people. */
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
  return isEnded(cause)
    ? new ClientError('run-closed', `run ${workflowId} is closed; it takes no more messages`, { cause })
    : new ClientError(
        'no-run',
        `there is no run ${quoteForShell(workflowId)} in namespace ${namespace}; "npx planwright list" names those that there are`,
        { cause },
      );
}

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

export function isInvalidArgument(error: unknown): boolean {
  return (rootOf(error) as { readonly code?: unknown } | null)?.code === INVALID_ARGUMENT;
}

/** The gRPC error inside the SDK's ServiceError. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined && !isGrpcServiceError(error) ? error.cause : error;
}

/** Whether NOT_FOUND is about a namespace. It can also mean that a run is missing or has ended. */
function isOfNamespace(details: string): boolean {
  return /namespace/i.test(details);
}

/** Whether the run has ended. The server's text is "workflow execution already completed". */
function isEnded(cause: unknown): boolean {
  return cause instanceof Error && /already completed/i.test(cause.message);
}

/** Whether a query failed with FAILED_PRECONDITION because no worker polls, or because the workflow task fails. */
function isUnattended(details: string): boolean {
  return /poller|task in failed state/i.test(details);
}

/** Whether the run wants the query repeated. The error of a query arrives only as text. */
export function isPassing(error: unknown): boolean {
  return String(error).includes(ASK_AGAIN);
}

export function isNotProcessedYet(error: unknown): boolean {
  return String(error).includes(UNHEARD);
}

function waitsForStore(error: Error): boolean {
  return error.message.startsWith(WAITS_BETWEEN);
}
