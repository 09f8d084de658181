/** Durations as people write them: `"24h"`, `"1h30m"`, `"500ms"`, or a number of milliseconds. */

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** Milliseconds, or undefined when the value is not a duration. Zero, negative and infinite ones are not. */
export function durationMs(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? parse(value.trim().toLowerCase()) : value;
  return typeof ms === 'number' && Number.isFinite(ms) && ms > 0 ? Math.round(ms) : undefined;
}

function parse(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  return total;
}
