/** Reads how complex a plan is and how long it may take. */

import { describeValue } from '../text/index.ts';
import { below } from '../issues/index.ts';
import type { Complexity } from '../compiled-plan.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';

const WORDS: readonly Complexity[] = ['low', 'medium', 'high'];

/** Calute: low, medium or high, in any case. Anything else gives a warning and counts as medium. */
export function readComplexity(source: NodeSource, reading: Reading): Complexity | undefined {
  const written = source.node['complexity'] ?? undefined;
  const word = typeof written === 'string' ? written.trim().toLowerCase() : written;
  if (word === undefined || word === '') return undefined;
  const known = WORDS.find((each) => each === word);
  if (known !== undefined) return known;
  reading.issues.add('warning', 'invalid-complexity', below(source.place, 'complexity'), () => ({
    message: `"complexity" is ${describeValue(written)}; it is read as "medium". Write "low", "medium" or "high".`,
    expected: WORDS,
    got: describeValue(written),
  }));
  return 'medium';
}

/** Calute: minutes, a number or its text. Anything else gives a warning and counts as unknown. */
export function readEstimate(source: NodeSource, reading: Reading): number | undefined {
  const written = source.node['estimated_time'] ?? undefined;
  if (written === undefined || (typeof written === 'string' && written.trim() === '')) return undefined;
  const [minutes, isPlain] = minutesOf(written);
  if (minutes !== undefined && isPlain) return minutes;
  const counts = minutes === undefined ? 'it is not read' : `it is read as ${minutes} minutes`;
  reading.issues.add('warning', 'invalid-estimate', below(source.place, 'estimated_time'), () => ({
    message: `"estimated_time" is ${describeValue(written)}; ${counts}. Write a number of minutes.`,
    expected: 'a number of minutes, 0 or more',
    got: describeValue(written),
  }));
  return minutes;
}

/** The minutes, and whether the text was a plain number. */
function minutesOf(written: unknown): readonly [number | undefined, boolean] {
  if (typeof written === 'number')
    return [Number.isFinite(written) && written >= 0 ? Math.abs(written) : undefined, true];
  if (typeof written !== 'string' || written.length > 40) return [undefined, false];
  const match = /^(\d+(?:\.\d+)?)\s*(m|min|mins|minutes?)?$/i.exec(written.trim());
  return match === null ? [undefined, false] : [Number(match[1]), match[2] === undefined];
}
