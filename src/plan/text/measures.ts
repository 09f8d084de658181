/** Numbers, durations and times for people. All times are UTC. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ROUNDED_MS = 50;

export function grouped(count: number): string {
  return String(count).replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ',');
}

export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Milliseconds in the two largest units. Negative values, as of clocks that disagree, count as 0. */
export function durationText(ms: number): string {
  // A time that would be rounded up to a minute is one.
  if (ms < MINUTE - ROUNDED_MS) return `${(Math.max(0, ms) / SECOND).toFixed(1)} s`;
  if (ms < HOUR) return units(ms, [MINUTE, 'min'], [SECOND, 's']);
  return ms < DAY ? units(ms, [HOUR, 'h'], [MINUTE, 'min']) : units(ms, [DAY, 'd'], [HOUR, 'h']);
}

/** Milliseconds in whole seconds, rounded down, like a ticking clock. */
export function tickText(ms: number): string {
  const whole = Math.floor(Math.max(0, ms) / SECOND) * SECOND;
  return whole < MINUTE ? `${whole / SECOND} s` : durationText(whole);
}

type Unit = readonly [ms: number, name: string];

function units(ms: number, [more, large]: Unit, [less, small]: Unit): string {
  const count = Math.max(Math.round(ms / less), more / less);
  const [whole, rest] = [Math.floor(count / (more / less)), count % (more / less)];
  return `${whole} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

/**
 * The time of day, to the second, with its date unless `beside` has the same. Text that is not a time is returned
 * unchanged.
 * @param iso ISO 8601, UTC
 * @param beside a time shown near it, or now
 */
export function clockText(iso: string, beside?: string): string {
  const [, date = '', time = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(iso) ?? [];
  if (time === '') return iso;
  return beside?.startsWith(date) === true ? `${time}Z` : `${date} ${time}Z`;
}
