/** How often the planner tries before it gives something up. The README of this example has the reasons. */

import { describeValue } from '../../words.ts';

export interface Caps {
  /** Rounds in which something may be done; the one after them ends. */
  readonly iterations: number;
  /** Calculations without a number. */
  readonly calculations: number;
  /** Searches for one field. */
  readonly searches: number;
  /** Questions to the person about one field. */
  readonly asks: number;
  /** Questions about the region, and about the currency; then the planner goes on without. */
  readonly coreAsks: number;
}

export const DEFAULT_CAPS: Caps = { iterations: 30, calculations: 3, searches: 3, asks: 2, coreAsks: 2 };
const MOST = 1000;

/**
 * The caps that are given, and the defaults of the others.
 * @throws RangeError that names every cap that is no whole number from 1 to 1000
 */
export function readCaps(given: Partial<Caps> = {}): Caps {
  const caps = { ...DEFAULT_CAPS, ...given };
  const problems = Object.entries(caps).flatMap(([name, value]: [string, unknown]) => {
    if (!Object.hasOwn(DEFAULT_CAPS, name)) {
      return [`caps.${name}: there is no such cap; there are ${Object.keys(DEFAULT_CAPS).join(', ')}`];
    }
    const isFine = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST;
    return isFine ? [] : [`caps.${name}: expected a whole number from 1 to ${MOST}, got ${describeValue(value)}`];
  });
  if (problems.length > 0) throw new RangeError(problems.join('\n'));
  return caps;
}
