/** Durations as people write them: `"24h"`, `"1h30m"`, `"500ms"`, or a number of milliseconds. */

type Unit = 'ms' | 's' | 'm' | 'h' | 'd';

/** Milliseconds, or amounts with their units: `"24h"`, `"1h30m"`, `"500ms"`. From 1 ms to a year. */
export type Duration = number | `${number}${Unit}` | `${number}${Unit}${number}${Unit}`;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** A wait of more than a year is a mistake. */
const MAX_MS = 365 * 86_400_000;

/** Milliseconds, 1 to a year, or undefined when the value is no such duration. */
export function durationMs(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? parse(value.trim().toLowerCase()) : value;
  return typeof ms === 'number' && ms >= 1 && ms <= MAX_MS ? Math.round(ms) : undefined;
}

function parse(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  return total;
}
