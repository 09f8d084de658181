/** Work in threads of its own, one after the other, each of which is stopped when its time is up. */

import { Worker } from 'node:worker_threads';

/**
 * The time until a thread is ready.
 * @bound the start of a thread, such as that of `calculate`
 * @beyond its thread is stopped, and `REPLANNING`
 */
const READY_MS = 30_000;
/**
 * @bound the memory of a thread, such as that of `calculate`, in megabytes
 * @beyond its thread is stopped, and `REPLANNING`
 */
const MAX_HEAP_MB = 128;

/** A thread took more than it may, or ended without an answer. */
export class ThreadStopped extends Error {
  override readonly name = 'ThreadStopped';
}

/** A hundred at once would be a hundred copies of a library in memory. */
let last: Promise<unknown> = Promise.resolve();

/**
 * What a thread answers: it says `ready` first, so that its loading is no part of its time, then one value.
 * @param file plain JavaScript, which takes its data from `workerData`
 * @param limitMs from when it is ready
 * @throws ThreadStopped, the reason of `signal` when it is aborted, and what the thread throws
 */
export async function inThread<Answer>(
  file: URL,
  data: object,
  limitMs: number,
  signal?: AbortSignal,
): Promise<Answer> {
  const before = last;
  const made = (async () => {
    await before;
    signal?.throwIfAborted();
    return answerOf<Answer>(file, data, limitMs, signal);
  })();
  last = made.catch(() => undefined);
  return made;
}

async function answerOf<Answer>(file: URL, workerData: object, limitMs: number, signal?: AbortSignal): Promise<Answer> {
  const thread = new Worker(file, {
    workerData,
    // The thread is plain JavaScript, and some options of a process are refused by a thread.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const stop = (message: string) => reject(new ThreadStopped(message));
      const stopAfter = (ms: number, message: string) => {
        clearTimeout(timer);
        timer = setTimeout(stop, ms, message);
      };
      onAbort = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', onAbort, { once: true });
      stopAfter(READY_MS, `its thread was not ready after ${READY_MS} ms; the machine is too busy`);
      thread.on('message', (said: 'ready' | Answer) => {
        if (said !== 'ready') return resolve(said);
        stopAfter(limitMs, `it takes more than ${limitMs} ms; make it smaller`);
      });
      thread.on('error', (error: Error & { code?: string }) => {
        if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return reject(error);
        stop(`it takes more than ${MAX_HEAP_MB} MB of memory; make it smaller`);
      });
      thread.on('exit', () => stop('its thread has ended without an answer'));
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    await thread.terminate();
  }
}
