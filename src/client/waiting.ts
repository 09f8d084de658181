/** How many things wait for a person: in a run, and in the agents that work for it. */

import type { RunStatus } from '../contract/index.ts';

/**
 * What waits in a run and in the agents at work for it; `questions()` of its handle tells it all. A run with more than 100
 * agents at work tells of those first in which something waits.
 * @example countWaiting(await run.status()); // 2
 */
export function countWaiting({ waitingFor, children = [] }: Pick<RunStatus, 'waitingFor' | 'children'>): number {
  return children.reduce((sum, child) => sum + child.waitingFor, waitingFor);
}
