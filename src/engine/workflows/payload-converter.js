/**
 * A payload that cannot be decoded becomes a marker instead of an exception. An exception here would fail the workflow
 * task, which the server retries for ever: one malformed signal would stop a run for good.
 * Plain JavaScript, since the SDK loads this file with `require` in the worker and bundles it for the sandbox.
 */

import { DefaultPayloadConverter } from '@temporalio/common';

/** The reason goes into the trace of the run. */
const MAX_REASON = 200;

const standard = new DefaultPayloadConverter();

/** @type {import('@temporalio/common').PayloadConverter} */
export const payloadConverter = {
  toPayload: (value, ...context) => standard.toPayload(value, ...context),
  fromPayload: (payload, ...context) => {
    try {
      return standard.fromPayload(payload, ...context);
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON);
      return /** @type {any} */ ({ malformed: true, encoding: encodingOf(payload), reason });
    }
  },
};

/** @param {import('@temporalio/common').Payload | undefined} payload */
function encodingOf(payload) {
  const encoding = payload?.metadata?.['encoding'];
  return encoding ? String.fromCharCode(...encoding.slice(0, MAX_REASON)) : '';
}
