/** Waits beside a run: a pause, and errors that pass with time. */

import type { ClientError, ClientErrorCode } from '../client-error.ts';

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
