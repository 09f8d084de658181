/** The wait for the end of a run, for as long as it takes. */

import type { RunEnd } from '../run-end.ts';
import type { RunHandle } from '../run-handle.ts';

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
