/** Times and failures as the API of the server has them, as the rest of the program has them. */

/** A time, or a length of time, in seconds and billionths of one. */
interface Stamp {
  readonly seconds?: unknown;
  readonly nanos?: number | null;
}

interface Failure {
  readonly message?: string | null;
  readonly timeoutFailureInfo?: { readonly timeoutType?: unknown } | null;
}

/** The Temporal API's number for it (TimeoutType). */
const HEARTBEAT = 4;

/** Milliseconds; 0 where there is none. */
export function msOf(stamp: Stamp | null | undefined): number {
  return Number(stamp?.seconds ?? 0) * 1000 + Math.floor((stamp?.nanos ?? 0) / 1e6);
}

/** @param ms since 1970 */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Why an attempt ended; `worker lost` where nothing was heard of its worker any more. */
export function endingText({ message, timeoutFailureInfo }: Failure): string {
  return Number(timeoutFailureInfo?.timeoutType) === HEARTBEAT ? 'worker lost' : (message ?? '');
}
