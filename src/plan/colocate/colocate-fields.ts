/** The parameters of COLOCATE: their names, the words and numbers they take, how one is read. */

import type { Place } from '../issues/index.ts';
import type { COLOCATE_FIELDS } from '../names.ts';

export type ColocateField = (typeof COLOCATE_FIELDS)[number];

/** The sides that have a region each in the full form. */
export const SIDES = ['left', 'right'] as const;

/** Bases of a window: coordinates are kept as 32-bit integers. */
export const MAX_BASES = 2 ** 31 - 1;

/** Reports a value that is not what belongs there; nothing is returned, as there is then no plan. */
export type Refuse = (place: Place, value: unknown, is: string, expected: string | readonly string[]) => undefined;

/** One of these words, in any case and with space around it. */
export function readWord<Word extends string>(
  name: string,
  value: unknown,
  words: readonly Word[],
  place: Place,
  refuse: Refuse,
): Word | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return words.find((each) => each === word) ?? refuse(place, value, `"${name}" is a word`, words);
}

/** An integer from 0 to `most`. */
export function readBases(
  name: string,
  value: unknown,
  most: number,
  place: Place,
  refuse: Refuse,
): number | undefined {
  // Minus zero is zero.
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return Math.abs(value);
  return refuse(place, value, `"${name}" is a number of bases`, `an integer from 0 to ${most}`);
}
