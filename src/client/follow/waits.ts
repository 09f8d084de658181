/** Waits beside a run: a pause, its end for as long as that takes, and errors that pass with time. */

import type { ClientError, ClientErrorCode } from '../client-error.ts';
import type { RunEnd } from '../run-end.ts';
import type { RunHandle } from '../run-handle.ts';

/**
 * The code of a client's error, which is known by its name, since the client's room stands above this one. Undefined
 * for any other error.
 */
export function clientCode(error: unknown): ClientErrorCode | undefined {
  return error instanceof Error && error.name === 'ClientError' ? (error as ClientError).code : undefined;
}

/** A worker or a server that does not answer now may do so later. */
export function passingCode(error: unknown): 'no-worker' | 'no-server' | undefined {
  const code = clientCode(error);
  return code === 'no-worker' || code === 'no-server' ? code : undefined;
}

/** Resolves after `ms` milliseconds, or when the signal is aborted. Leaves no listener behind. */
export function pause(ms: number, over: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    over.addEventListener('abort', end, { once: true });
    if (over.aborted) end();
    function end(): void {
      clearTimeout(timer);
      over.removeEventListener('abort', end);
      resolve(undefined);
    }
  });
}

/** A server answers such a wait every 20 s or so, and is asked again. */
const ATTEMPT_MS = 60_000;

/**
 * Waits for the end. For every call that it makes the SDK adds a listener to the signal and leaves it there, and a wait
 * of days makes thousands of calls: so each minute of it has a signal of its own.
 * @throws the reason of the signal, and what `RunHandle.end` throws.
 */
export async function waitForEnd(run: RunHandle, signal: AbortSignal, attemptMs = ATTEMPT_MS): Promise<RunEnd> {
  for (;;) {
    signal.throwIfAborted();
    const attempt = new AbortController();
    const stop = () => attempt.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(stop, attemptMs);
    try {
      return await run.end(attempt.signal);
    } catch (error) {
      const isRenewed = attempt.signal.aborted && !signal.aborted;
      if (!isRenewed) throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }
}
