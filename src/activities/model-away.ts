/** A model's server that is away after all attempts of a try: its run waits, and has another try made later. */

import { isModelFailure } from '../planner/index.ts';
import { messageOf } from '../plan/text/index.ts';
import type { Held } from '../protocol/index.ts';
import { isLastChance } from './attempts.ts';

/** How long a run waits before it asks a person. */
export const PATIENCE_MS = 30 * 60_000;
/** These have another cause: this side has stopped the call, or the store did not take a reply that was paid for. */
const OF_OTHERS = ['cancelled', 'not-journaled'];

/**
 * @param most attempts of a try, the last of which replies that the server is away
 * @param patienceMs of the model that is asked; 0 where nobody waits, so that the failure is one like others
 * @param work is told whether its failure is final, since neither another attempt follows nor a wait
 */
export async function orAway<Reply>(
  most: number,
  patienceMs: number,
  work: (isFinal: boolean) => Promise<Reply>,
): Promise<Reply | Held> {
  const isLast = isLastChance(most);
  try {
    return await work(isLast && patienceMs === 0);
  } catch (error) {
    const isAway = isModelFailure(error) && error.severity === 'RETRIABLE' && !OF_OTHERS.includes(error.kind);
    if (!isAway || patienceMs === 0 || !isLast) throw error;
    return { held: `the model server: ${messageOf(error)}`, by: 'model', patienceMs };
  }
}
