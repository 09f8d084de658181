/** Makes calculations one after the other, each in a thread of its own that is stopped when its time is up. */

import { Worker } from 'node:worker_threads';
import type { Calculated, Calculation } from './evaluate.js';

/**
 * The time from when the thread is ready.
 * @bound a calculation
 * @beyond its thread is stopped, and `REPLANNING`
 */
const CALCULATION_MS = 2000;
/**
 * The time until the thread is ready.
 * @bound the start of the thread of `calculate`
 * @beyond its thread is stopped, and `REPLANNING`
 */
const READY_MS = 30_000;
/**
 * @bound the memory of the thread of `calculate`, in megabytes
 * @beyond its thread is stopped, and `REPLANNING`
 */
const MAX_HEAP_MB = 128;

/** A hundred nodes at once would be a hundred copies of the library in memory. */
let last: Promise<unknown> = Promise.resolve();

/**
 * The result of a calculation; one that takes more than 2 s or 128 MB is a problem as any other.
 * @throws the reason of `signal` when it is aborted.
 */
export async function calculateInThread(
  calculation: Calculation,
  signal: AbortSignal,
  limitMs = CALCULATION_MS,
): Promise<Calculated> {
  const before = last;
  const made = (async () => {
    await before;
    signal.throwIfAborted();
    return inThread(calculation, signal, limitMs);
  })();
  last = made.catch(() => undefined);
  return made;
}

async function inThread(workerData: Calculation, signal: AbortSignal, limitMs: number): Promise<Calculated> {
  const thread = new Worker(new URL('./calculation-thread.js', import.meta.url), {
    workerData,
    // The thread is plain JavaScript, and some options of a process are refused by a thread.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  try {
    return await new Promise<Calculated>((resolve, reject) => {
      const giveUpAfter = (ms: number, message: string) => {
        clearTimeout(timer);
        timer = setTimeout(() => resolve(gaveUp(message)), ms);
      };
      onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      giveUpAfter(READY_MS, `its thread was not ready after ${READY_MS} ms; the machine is too busy`);
      thread.on('message', (said: 'ready' | Calculated) => {
        if (said !== 'ready') return resolve(said);
        giveUpAfter(limitMs, `it takes more than ${limitMs} ms; make it smaller`);
      });
      thread.on('error', (error: Error & { code?: string }) => {
        if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return reject(error);
        resolve(gaveUp(`it takes more than ${MAX_HEAP_MB} MB of memory; make it smaller`));
      });
      thread.on('exit', () => resolve(gaveUp('its thread has ended without an answer')));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    await thread.terminate();
  }
}

function gaveUp(message: string): Calculated {
  return { ok: false, problem: { message, part: 'expression' } };
}
