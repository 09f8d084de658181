import { threadOf, ThreadStopped } from '../../in-thread.ts';
import type { Calculated, Calculation } from './evaluate.js';

/**
 * Counts from the moment when the thread is ready.
 * @bound a calculation
 * @beyond its thread is stopped, and `REPLANNING`
 */
const CALCULATION_MS = 2000;

/** An expression from a model leaves nothing behind for the next. */
const inThread = threadOf<Calculated>(new URL('./calculation-thread.js', import.meta.url));

/**
 * The result of a calculation. More than 2 s or 128 MB is a problem like any other.
 * @throws the reason of `signal` when it is aborted.
 */
export async function calculateInThread(
  calculation: Calculation,
  signal: AbortSignal,
  limitMs = CALCULATION_MS,
): Promise<Calculated> {
  try {
    return await inThread(calculation, limitMs, signal);
  } catch (error) {
    if (!(error instanceof ThreadStopped)) throw error;
    return { ok: false, problem: { message: error.message, part: 'expression' } };
  }
}
