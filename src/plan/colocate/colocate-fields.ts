/** The parameters of COLOCATE: their names, their words and numbers, and how one is read. */

import type { Place } from '../issues/index.ts';
import type { COLOCATE_FIELDS } from '../names.ts';

export type ColocateField = (typeof COLOCATE_FIELDS)[number];

export const SIDES = ['left', 'right'] as const;

/** Bases of a window: coordinates are 32-bit integers. */
export const MAX_BASES = 2 ** 31 - 1;

/** Reports a value that does not fit. It returns nothing, since there is then no plan. */
export type Refuse = (place: Place, value: unknown, is: string, expected: string | readonly string[]) => undefined;

/** One of these words, in any case, trimmed. */
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

export function readBases(
  name: string,
  value: unknown,
  most: number,
  place: Place,
  refuse: Refuse,
): number | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return Math.abs(value);
  return refuse(place, value, `"${name}" is a number of bases`, `an integer from 0 to ${most}`);
}
