/** The heartbeats of an attempt: it lives, and the next one gets what its capability has reported. */

import { Context } from '@temporalio/activity';
import type { JsonValue } from '../plan/index.ts';

/** The most bytes that a capability may report, as JSON in UTF-8: they travel with every heartbeat. */
export const MAX_DETAILS_BYTES = 64 * 1024;

/** What the capability reported last in each attempt: the server keeps the details of the last heartbeat alone. */
const reported = new WeakMap<Context, JsonValue>();

/** The last report of this attempt or of the one before; undefined where none was heard. */
export function lastReport(attempt = Context.current()): JsonValue | undefined {
  return reported.get(attempt) ?? (attempt.info.heartbeatDetails as JsonValue | undefined);
}

/** Says that the attempt lives. */
export function heartbeat(attempt = Context.current()): void {
  attempt.heartbeat(lastReport(attempt));
}

/** @throws TypeError when it is no JSON, or more than 64 KiB of it */
export function report(details?: JsonValue): void {
  if (details !== undefined) {
    const text = JSON.stringify(details) as string | undefined;
    if (text === undefined || Buffer.byteLength(text) > MAX_DETAILS_BYTES) {
      throw new TypeError(`heartbeat: expected JSON of at most ${MAX_DETAILS_BYTES} bytes`);
    }
    reported.set(Context.current(), JSON.parse(text) as JsonValue);
  }
  heartbeat();
}
