/**
 * Limits every failure that leaves a process (`FAILURE_BOUNDS`): half a surrogate pair or an endless chain of causes
 * would end the worker, and the server rejects a failure of several MiB. Plain JavaScript, since the SDK loads this
 * file with `require` and bundles it for the sandbox.
 */

import { DefaultFailureConverter, defaultPayloadConverter, TemporalFailure } from '@temporalio/common';
import { sealsFailures } from './payload-converter.js';
import { causeOf, cutFailureText, FAILURE_BOUNDS, tameError } from '../plan/text/thrown.js';

/** Maximum size of a failure's details, in bytes. Above it the server drops the details and the failure's type. */
const MAX_DETAILS_BYTES = 1024 * 1024;

const standard = new DefaultFailureConverter();

/** @typedef {import('@temporalio/common').ProtoFailure} Failure */
/** @typedef {import('@temporalio/common').PayloadConverter} PayloadConverter */
/** @typedef {import('@temporalio/common').FailureConverter} FailureConverter */

/** @type {FailureConverter} */
export const failureConverter = {
  failureToError: (failure, payloads, context) => standard.failureToError(failure, payloads, context),
  errorToFailure(error, payloads) {
    return sealsFailures()
      ? sealingConverter.errorToFailure(error, payloads)
      : failureOf(error, payloads, FAILURE_BOUNDS.causes);
  },
};

/**
 * The converter of a worker that encrypts: texts of failures go into a payload, which the codec encrypts.
 * @type {FailureConverter}
 */
export const sealingConverter = {
  ...failureConverter,
  errorToFailure(error, payloads) {
    const failure = failureOf(error, payloads, FAILURE_BOUNDS.causes);
    const words = typeof error === 'object' && error !== null && IN_CLEAR in error ? error[IN_CLEAR] : undefined;
    return typeof words === 'string' ? { ...failure, message: words } : sealed(failure, payloads);
  },
};

const IN_CLEAR = 'planwrightInClear';

/**
 * Marks an error's text as safe to send unencrypted. The SDK does not decode the failure of a query, so our client
 * could not read an encrypted text.
 * @template {Error} Kind
 * @param {Kind} error
 * @param {string} words
 */
export function inClear(error, words = error.message) {
  return Object.defineProperty(error, IN_CLEAR, { value: words });
}

/** @param {unknown} error @param {PayloadConverter} payloads @param {number} causes @returns {Failure} */
function failureOf(error, payloads, causes) {
  const received = receivedFailure(error);
  if (received !== undefined) return bounded(received, payloads, causes);
  const failure = bounded(convert(headOf(error), payloads), payloads, 0);
  const cause = causeOf(error);
  if (cause !== undefined && causes > 0) failure.cause = failureOf(cause, payloads, causes - 1);
  return failure;
}

/**
 * Omits details and a retry pause that cannot be converted, so that the failure itself is reported.
 * @param {unknown} head
 * @param {PayloadConverter} payloads
 */
function convert(head, payloads) {
  try {
    return standard.errorToFailure(head, payloads);
  } catch {
    return standard.errorToFailure(
      Object.defineProperties(/** @type {object} */ (head), {
        details: { value: [] },
        nextRetryDelay: { value: undefined },
      }),
      payloads,
    );
  }
}

/** The failure inside an error that another process sent. @param {unknown} error @returns {Failure | undefined} */
function receivedFailure(error) {
  try {
    return error instanceof TemporalFailure ? error.failure : undefined;
  } catch {
    return undefined;
  }
}

/** The error without its causes. A Temporal error keeps its own fields. @param {unknown} error @returns {unknown} */
function headOf(error) {
  const tame = tameError(error, 0);
  try {
    if (!(error instanceof TemporalFailure)) return tame;
    const { message, stack } = tame;
    const head = Object.create(Object.getPrototypeOf(error), Object.getOwnPropertyDescriptors(error));
    return Object.defineProperties(head, {
      message: { value: error.message === '' ? '' : message },
      stack: { value: stack },
      cause: { value: undefined },
      ...('nextRetryDelay' in error && { nextRetryDelay: { value: pauseOf(error.nextRetryDelay) } }),
    });
  } catch {
    return tame;
  }
}

/** Maximum pause before a retry, in ms. The server rejects a failure with a longer pause. */
const MAX_PAUSE_MS = 365 * 86_400_000;

/**
 * Drops a retry pause that is not a number, which would end the worker that reports the failure.
 * @param {unknown} pause
 * @returns {unknown}
 */
function pauseOf(pause) {
  if (typeof pause !== 'number' || Number.isNaN(pause)) return typeof pause === 'string' ? pause : undefined;
  return Math.min(Math.max(pause, 0), MAX_PAUSE_MS);
}

/** The pattern of an error class's name. Any other type is treated as text, which must be encrypted. */
const CLASS_NAME = /^\w[\w.]*$/;

/**
 * Moves the texts of a failure into a payload, where the SDK finds them. Only types stay unencrypted.
 * @param {Failure} failure
 * @param {PayloadConverter} payloads
 * @returns {Failure}
 */
function sealed({ message, stackTrace, cause, applicationFailureInfo: application, ...failure }, payloads) {
  return {
    ...failure,
    message: 'Encoded failure',
    stackTrace: '',
    encodedAttributes: payloads.toPayload({ message: message ?? '', stack_trace: stackTrace ?? '' }),
    ...(cause && { cause: sealed(cause, payloads) }),
    ...(application && {
      applicationFailureInfo: { ...application, type: CLASS_NAME.exec(application.type ?? '')?.[0] ?? 'Error' },
    }),
  };
}

/**
 * @param {Failure} failure
 * @param {PayloadConverter} payloads @returns {Failure}
 */
function opened({ encodedAttributes, ...failure }, payloads) {
  /** @type {any} */
  const texts = encodedAttributes && payloads.fromPayload(encodedAttributes);
  const isRead = typeof texts?.message === 'string' && typeof texts.stack_trace === 'string';
  return isRead ? { ...failure, message: texts.message, stackTrace: texts.stack_trace } : failure;
}

/** @param {Failure} given @param {PayloadConverter} payloads @param {number} causes @returns {Failure} */
function bounded(given, payloads, causes) {
  const failure = opened(given, payloads);
  const { message, stackTrace, cause, applicationFailureInfo: application, activityFailureInfo: activity } = failure;
  return {
    ...failure,
    message: cutFailureText(message ?? '', 'message'),
    stackTrace: cutFailureText(stackTrace ?? '', 'stack'),
    cause: cause && causes > 0 ? bounded(cause, payloads, causes - 1) : null,
    ...(application && {
      applicationFailureInfo: {
        ...application,
        type: cutFailureText(application.type ?? '', 'name'),
        details: boundedDetails(application.details),
      },
    }),
    ...(activity && {
      activityFailureInfo: { ...activity, activityId: cutFailureText(activity.activityId ?? '', 'name') },
    }),
  };
}

/**
 * The failure's details or, if they are too long, only their size.
 * @param {NonNullable<Failure['applicationFailureInfo']>['details']} details
 */
function boundedDetails(details) {
  let bytes = 0;
  for (const { data } of details?.payloads ?? []) bytes += data?.length ?? 0;
  if (bytes <= MAX_DETAILS_BYTES) return details ?? null;
  const note = { leftOut: `details of ${bytes} bytes; a failure takes ${MAX_DETAILS_BYTES} at most` };
  return { payloads: [defaultPayloadConverter.toPayload(note)] };
}
