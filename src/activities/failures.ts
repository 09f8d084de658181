/** Maps every thrown value to a Temporal failure. No other file does this. */

import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/activity';
import { CapabilityError, NotApplied } from '../capabilities/index.ts';
import { isModelFailure } from '../planner/index.ts';
import { StoreError, type StoreErrorCode } from '../store/index.ts';
import { messageOf, tameError } from '../plan/text/index.ts';
import { isFailureType, NON_RETRYABLE_TYPES, RunFailureError, type FailureType } from '../protocol/index.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import type { Effect } from '../plan/index.ts';

/** Converts an error to a failure. Unknown errors are retryable, since most outside faults are temporary. */
export function toFailure(error: unknown, details: readonly unknown[] = []): Error {
  try {
    return classify(error, details);
  } catch {
    // A getter of the error threw.
    return createFailure('RETRIABLE', tameError(error), details);
  }
}

function classify(error: unknown, details: readonly unknown[]): Error {
  const failure = (type: FailureType, cause: unknown, retryAfterMs?: number) =>
    createFailure(type, cause, details, retryAfterMs);
  if (error instanceof CancelledFailure || error instanceof CompleteAsyncError) return error;
  if (error instanceof ApplicationFailure) {
    return isFailureType(error.type) ? error : failure(error.nonRetryable ? 'CRITICAL' : 'RETRIABLE', error);
  }
  if (error instanceof RunFailureError) {
    const { type, facts } = error;
    return createFailure(type, error, facts === undefined ? details : [{ ...(details[0] as object), ...facts }]);
  }
  const fault = faultIn(error);
  if (fault !== undefined) return failure('Unavailable', new Error(`${fault}. ${messageOf(error)}`, { cause: error }));
  if (error instanceof CapabilityError) return failure(error.errorClass, error, error.retryAfterMs);
  if (isModelFailure(error)) {
    const { severity, retryAfterMs } = error;
    return failure(severity, error, retryAfterMs && Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  }
  if (error instanceof NotApplied) return failure('NotApplied', error);
  if (error instanceof StoreError) return failure(STORE_CLASSES[error.code], error);
  if (isNetworkFailure(error)) return failure('RETRIABLE', error);
  if (isProgramFault(error)) return failure('CRITICAL', error);
  return failure('RETRIABLE', error);
}

/** Maximum pause in ms that a model's server may ask for. Longer pauses are probably mistakes, and are ignored. */
const MAX_RETRY_AFTER_MS = 600_000;

/** Failure types of store errors. A missing result is retryable, since it may not have reached a shared disk yet. */
const STORE_CLASSES: Readonly<Record<StoreErrorCode, FailureType>> = {
  corrupt: 'ResultCorrupt',
  'invalid-ref': 'FATAL',
  'not-installed': 'FATAL',
  'not-found': 'RETRIABLE',
  unreadable: 'Unavailable',
  unwritable: 'Unavailable',
};

/** Whether `fetch` threw a network failure: a TypeError whose cause has a code. */
function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed' && codeOf(error.cause) !== '';
}

/** Node's error codes for a missing module. The next attempt would fail too. */
const MISSING_MODULE = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED'];

function isProgramFault(error: unknown): boolean {
  const isOfLanguage = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  return isOfLanguage || MISSING_MODULE.includes(codeOf(error));
}

function createFailure(
  type: FailureType,
  error: unknown,
  details: readonly unknown[],
  retryAfterMs?: number,
): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message: messageOf(error),
    nonRetryable: NON_RETRYABLE_TYPES.includes(type),
    details: [...details],
    // The cause is logged too, so it is a safe copy of the error.
    ...(isError(error) && { cause: tameError(error) }),
    ...(retryAfterMs !== undefined && { nextRetryDelay: retryAfterMs }),
  });
}

function isError(error: unknown): boolean {
  try {
    return error instanceof Error;
  } catch {
    return false;
  }
}

/** Disk errors (errno) that affect all writers. A denied access affects one file, so it is not listed. */
const DISK_CODES = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE'];
/** gRPC status codes of a Temporal server that could not process the call. */
const SERVER_CODES: ReadonlyMap<number, string> = new Map([
  [4, 'DEADLINE_EXCEEDED'],
  [8, 'RESOURCE_EXHAUSTED'],
  [14, 'UNAVAILABLE'],
]);
const MAX_CAUSES = 5;
/** The pause in ms between attempts to store a result: each is twice the previous one, up to `most`. */
const PAUSE_MS = { first: 200, most: 5000, inAll: 60_000 };

/** Names what is unavailable, such as `the store: ENOSPC`; undefined if the error is no outage. */
export function faultIn(error: unknown): string | undefined {
  const causes = causesOf(error);
  const store = causes.find((one) => one instanceof StoreError);
  if (store !== undefined) {
    const isFault = store.code === 'unreadable' || store.code === 'unwritable';
    return isFault ? `the store: ${causes.map(codeOf).find((code) => /^[A-Z]/.test(code)) ?? store.code}` : undefined;
  }
  const disk = causes.find((one) => 'syscall' in one && DISK_CODES.includes(codeOf(one)));
  if (disk !== undefined) return `the disk: ${codeOf(disk)}`;
  if (!causes.some((one) => one instanceof ServiceError)) return undefined;
  const code = causes.flatMap((one) => (isGrpcServiceError(one) ? (SERVER_CODES.get(one.code) ?? []) : []))[0];
  return code && `the server: ${code}`;
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let one = error; one instanceof Error && causes.length < MAX_CAUSES; one = one.cause) causes.push(one);
  return causes;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * Stores the result of an effect that has happened. Retries for a minute if the effect is idempotent, otherwise as long
 * as the attempt lasts. @throws the error of the store
 */
export async function storeAtLast<T>(
  store: () => Promise<T>,
  signal: AbortSignal,
  effect: Exclude<Effect, 'read'>,
): Promise<T> {
  const until = effect === 'idempotent' ? performance.now() + PAUSE_MS.inAll : Infinity;
  for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
    try {
      return await store();
    } catch (error) {
      if (faultIn(error) === undefined || signal.aborted || performance.now() >= until) throw error;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}
