import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';

const READY_MS = 30_000;
const MAX_HEAP_MB = 128;

/** The error of a thread that exceeded its limits, ended without an answer, or could not start. */
export class ThreadStopped extends Error {
  override readonly name = 'ThreadStopped';
}

/**
 * Sends messages to at most one thread at a time, since each copy of a library needs memory. The time limit begins when
 * the thread sends `ready`.
 * @param idleMs how long the thread waits for the next message, in milliseconds; by default each message gets a new
 * thread
 * @param heapMb the memory limit of the thread in megabytes
 */
export function threadOf<Answer>(file: URL, idleMs?: number, heapMb = MAX_HEAP_MB) {
  const oneByOne = pLimit(1);
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  async function startThread(signal: AbortSignal): Promise<Worker> {
    const worker = new Worker(file, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: heapMb } });
    thread = worker;
    worker.on('error', () => {}).on('exit', () => (thread = thread === worker ? undefined : thread));
    await nextMessage(
      worker,
      READY_MS,
      `its thread was not ready after ${READY_MS} ms; the machine is too busy`,
      signal,
    );
    return worker;
  }

  async function end(): Promise<void> {
    const ended = thread;
    thread = undefined;
    await ended?.terminate();
  }

  async function answerTo(data: object, limitMs: number, signal = new AbortController().signal): Promise<Answer> {
    signal.throwIfAborted();
    clearTimeout(idle);
    try {
      const worker = thread ?? (await startThread(signal));
      worker.ref();
      worker.postMessage(data);
      const answer = await nextMessage(worker, limitMs, `it takes more than ${limitMs} ms; make it smaller`, signal);
      worker.unref();
      if (idleMs === undefined) await end();
      else idle = setTimeout(() => void end(), idleMs).unref();
      return answer as Answer;
    } catch (error) {
      await end();
      if ((error as { code?: unknown }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      throw new ThreadStopped(`it takes more than ${heapMb} MB of memory; make it smaller`);
    }
  }

  return (data: object, limitMs: number, signal?: AbortSignal): Promise<Answer> =>
    oneByOne(answerTo, data, limitMs, signal);
}

async function nextMessage(from: Worker, ms: number, tooLate: string, signal: AbortSignal): Promise<unknown> {
  const over = new AbortController();
  const stop = (message: string) => over.abort(new ThreadStopped(message));
  const onExit = () => stop('its thread has ended without an answer');
  const timer = setTimeout(stop, ms, tooLate);
  from.once('exit', onExit);
  const either = AbortSignal.any([over.signal, signal]);
  try {
    const [message] = (await once(from, 'message', { signal: either })) as unknown[];
    return message;
  } catch (error) {
    if ((error as { name?: unknown }).name === 'AbortError') either.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    from.off('exit', onExit);
  }
}
