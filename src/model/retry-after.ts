/** After how long a server will hear a request again, as its answer says. */

/** No server is waited for longer: a run has deadlines of its own, and a date far away is more often a mistake. */
export const MAX_RETRY_AFTER_MS = 10 * 60 * 1000;

/** `2`, `2.5`: seconds. A date has letters. */
const NUMBER = /^\d+(?:\.\d+)?$/;

/**
 * Milliseconds, at most 10 minutes: `retry-after-ms`, else `Retry-After`, in seconds or as a date (RFC 9110). Undefined
 * where the server says nothing that can be read. A date that has passed is 0.
 */
export function retryAfterOf(headers: Headers | undefined, now = Date.now()): number | undefined {
  const ms = headers?.get('retry-after-ms')?.trim() ?? '';
  if (NUMBER.test(ms)) return bounded(Number(ms));
  const after = headers?.get('retry-after')?.trim() ?? '';
  if (NUMBER.test(after)) return bounded(Number(after) * 1000);
  const date = Date.parse(after);
  return Number.isNaN(date) || !/[a-z]/i.test(after) ? undefined : bounded(date - now);
}

function bounded(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), MAX_RETRY_AFTER_MS);
}
