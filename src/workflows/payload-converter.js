/**
 * Turns a payload that cannot be decoded into a marker, since an exception would fail the workflow task, which the
 * server retries forever. Plain JavaScript, since the SDK loads this file with `require` and bundles it for the
 * sandbox.
 */

import { DefaultPayloadConverter } from '@temporalio/common';
import { inWorkflowContext } from '@temporalio/workflow';

const MAX_REASON = 200;
/** The encoding of a payload that the worker could not decrypt, and the metadata key for the reason. */
const ENCRYPTED = 'binary/encrypted';
const PROBLEM = 'encryption-problem';
/** The metadata key by which codecs mark payloads that they encrypt (`sealingMark`). */
const SEALING = 'planwright-sealing';
/** Whether this sandbox's worker encrypts. Set when a run decodes its input, before the run can fail. */
let isSealing = false;

const standard = new DefaultPayloadConverter();

/** @type {import('@temporalio/common').PayloadConverter} */
export const payloadConverter = {
  toPayload: (value, ...context) => standard.toPayload(value, ...context),
  fromPayload: (payload, ...context) => {
    if (inWorkflowContext()) isSealing ||= metadataOf(payload, SEALING) === 'true';
    try {
      return standard.fromPayload(payload, ...context);
    } catch (error) {
      const encoding = metadataOf(payload, 'encoding');
      const why = encoding === ENCRYPTED ? metadataOf(payload, PROBLEM) || 'it is encrypted' : wordsOf(error);
      return /** @type {any} */ ({ malformed: true, encoding, reason: why.slice(0, MAX_REASON) });
    }
  },
};

/**
 * Whether a payload is still encrypted, so that this process cannot read it.
 * @param {import('@temporalio/common').Payload | null | undefined} payload
 */
export function isSealed(payload) {
  return metadataOf(payload, 'encoding') === ENCRYPTED;
}

/** Whether the texts of failures that leave this sandbox must be encrypted. */
export function sealsFailures() {
  return isSealing;
}

/** @param {unknown} error */
function wordsOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {import('@temporalio/common').Payload | null | undefined} payload @param {string} name */
function metadataOf(payload, name) {
  const bytes = payload?.metadata?.[name];
  return bytes ? String.fromCharCode(...bytes.slice(0, MAX_REASON)) : '';
}
