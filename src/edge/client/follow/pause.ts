/** A pause that a signal cuts short. */

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
