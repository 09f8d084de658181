/** The only mapper from thrown values to failures of Temporal. Its table is its test. */

import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/activity';
import { CapabilityError, NotApplied } from '../capabilities/index.ts';
import { isModelFailure } from '../planner/index.ts';
import { StoreError, type StoreErrorCode } from '../store/index.ts';
import { messageOf, tameError } from '../plan/text/index.ts';
import { isFailureType, NON_RETRYABLE_TYPES, RunFailureError, type FailureType } from '../protocol/index.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import type { Effect } from '../plan/index.ts';

/**
 * A shape that no capability can mend (a broken store, a mistake of the program) is not retried; everything else that
 * is unknown is, since the outside world fails for a while more often than for ever.
 */
export function toFailure(error: unknown, details: readonly unknown[] = []): Error {
  try {
    return classify(error, details);
  } catch {
    // Its own getters throw.
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

/** An attempt of a node does not wait longer for a model's server: a date far away is more often a mistake. */
const MAX_RETRY_AFTER_MS = 600_000;

/** A result that is not there may be on its way on a shared disk. */
const STORE_CLASSES: Readonly<Record<StoreErrorCode, FailureType>> = {
  corrupt: 'ResultCorrupt',
  'invalid-ref': 'FATAL',
  'not-installed': 'FATAL',
  'not-found': 'RETRIABLE',
  unreadable: 'Unavailable',
  unwritable: 'Unavailable',
};

/** Node: `fetch` throws a TypeError whatever went wrong; one of the network has the reason, with a code, as its cause. */
function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed' && codeOf(error.cause) !== '';
}

/** Node: the codes of a module that is not there, which is not there at the next attempt either. */
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
    // Tame, since it is logged as well as sent.
    ...(isError(error) && { cause: tameError(error) }),
    ...(retryAfterMs !== undefined && { nextRetryDelay: retryAfterMs }),
  });
}

/** Accessing a proxy may throw. */
function isError(error: unknown): boolean {
  try {
    return error instanceof Error;
  } catch {
    return false;
  }
}

/** Disk errors (errno) that affect everybody. No access to a single file is not one of them. */
const DISK_CODES = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE'];
/** The errors of a Temporal server that could not look at the call (gRPC status codes). */
const SERVER_CODES: ReadonlyMap<number, string> = new Map([
  [4, 'DEADLINE_EXCEEDED'],
  [8, 'RESOURCE_EXHAUSTED'],
  [14, 'UNAVAILABLE'],
]);
/** Errors in an error that are looked at for a fault. */
const MAX_CAUSES = 5;
/**
 * The pause between two tries; it doubles.
 * @bound .inAll the wait of an idempotent effect whose result cannot be stored
 * @beyond it is deferred, and repeated when the store is back; an at-most-once effect tries as long as its attempt lives
 */
const PAUSE_MS = { first: 200, most: 5000, inAll: 60_000 };

/** What is away, such as `the store: ENOSPC`; undefined if the error is another one. */
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

/** '' without one. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * Stores the result of an effect that has happened, with retries. A repeatable effect tries for a minute, then its run
 * waits and shows that; other effects try as long as the attempt lives.
 * @throws the fault of the store, once `signal` is aborted or the minute is over
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
