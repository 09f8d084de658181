/** A model's server that is away after all attempts of a try: its run waits, and has another try made later. */

import { isModelFailure } from '../planner/index.ts';
import { messageOf } from '../plan/text/index.ts';
import { given, type Deferral } from '../protocol/index.ts';
import { isLastAttempt } from './attempts.ts';

/** If the server asks for a longer pause, the run waits instead, where people see it. */
const LONGEST_PAUSE_MS = 10_000;
/** A run cannot wait for longer than a year. */
const MAX_PAUSE_MS = 365 * 86_400_000;
/** These have another cause: this side has stopped the call, or the store did not take a reply that was paid for. */
const OF_OTHERS = ['cancelled', 'not-journaled'];

/**
 * The last attempt replies that the server is away, as does any attempt if the server asks for a long pause.
 * @param patienceMs of the model; 0 if nobody waits, so that the failure is an ordinary one. Default: the run's
 * @param work learns whether its failure is final: no other attempt and no wait follow
 */
export async function orAway<Reply>(
  patienceMs: number | undefined,
  work: (isFinal: boolean) => Promise<Reply>,
): Promise<Reply | Deferral> {
  const isLast = isLastAttempt();
  try {
    return await work(isLast && patienceMs === 0);
  } catch (error) {
    const isAway = isModelFailure(error) && error.severity === 'RETRIABLE' && !OF_OTHERS.includes(error.kind);
    const pauseMs = longPauseOf(error);
    if (!isAway || patienceMs === 0 || !(isLast || pauseMs !== undefined)) throw error;
    const pause = pauseMs !== undefined && { pauseMs: Math.min(pauseMs, MAX_PAUSE_MS) };
    return { deferred: 'model', reason: `the model server: ${messageOf(error)}`, ...given({ patienceMs }), ...pause };
  }
}

/** The pause that a server asks for in milliseconds, if it is a long one. */
function longPauseOf(error: unknown): number | undefined {
  const { retryAfterMs = 0 } = isModelFailure(error) ? error : {};
  return retryAfterMs > LONGEST_PAUSE_MS ? retryAfterMs : undefined;
}

/** The failure if nobody waits for the server: without a retry if it asks for a long pause. */
export function orFinal(error: unknown, patienceMs?: number): unknown {
  if (patienceMs !== 0 || !isModelFailure(error) || longPauseOf(error) === undefined) return error;
  return Object.assign(error, { severity: 'CRITICAL' as const });
}
