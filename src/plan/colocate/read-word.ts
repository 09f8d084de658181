import type { Place } from '../issues/index.ts';

/** Reports a value that is not what belongs there; nothing is returned, as there is then no plan. */
export type Refuse = (place: Place, value: unknown, is: string, expected: string | readonly string[]) => undefined;

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
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most) return Math.abs(value as number);
  return refuse(place, value, `"${name}" is a number of bases`, `an integer from 0 to ${most}`);
}
