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

/** Writes milliseconds in their two largest units. Negative values, as of clocks that disagree, count as 0. */
export function durationText(ms: number): string {
  // If a duration would be rounded to 60 seconds, it is written as a minute.
  if (ms < MINUTE - ROUNDED_MS) return `${(Math.max(0, ms) / SECOND).toFixed(1)} s`;
  if (ms < HOUR) return units(ms, [MINUTE, 'min'], [SECOND, 's']);
  return ms < DAY ? units(ms, [HOUR, 'h'], [MINUTE, 'min']) : units(ms, [DAY, 'd'], [HOUR, 'h']);
}

/** Writes milliseconds in whole seconds, rounded down, as a running clock does. */
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
 * Writes a time of day (UTC) with seconds, and with its date unless `beside` has the same date.
 * @param iso a time in ISO 8601; any other text is returned unchanged
 * @param beside another time displayed near this one, or the present time
 */
export function clockText(iso: string, beside?: string): string {
  const [, date = '', time = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(iso) ?? [];
  if (time === '') return iso;
  return beside?.startsWith(date) === true ? `${time}Z` : `${date} ${time}Z`;
}

/** Decodes UTF-8, including a byte order mark. Returns undefined if the bytes are not UTF-8. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const KEYS_AND_BRACKETS = /("[^"\\]*(?:\\.[^"\\]*)*")(?=\s*:)|"[^"\\]*(?:\\.[^"\\]*)*"|([{}])/g;

/** The first key that an object in a JSON text has twice. Readers disagree about which value counts. */
export function repeatedKey(text: string): string | undefined {
  const objects: Set<string>[] = [];
  for (const [, quoted, brace] of text.matchAll(KEYS_AND_BRACKETS)) {
    if (brace === '{') objects.push(new Set());
    if (brace === '}') objects.pop();
    if (quoted === undefined) continue;
    const key = JSON.parse(quoted) as string;
    const keys = objects.at(-1)!;
    if (keys.has(key)) return key;
    keys.add(key);
  }
  return undefined;
}

/** Parses a JSON text, or its UTF-8 bytes. Returns undefined if the text is not JSON. */
export function jsonIn(written: string | Uint8Array): unknown {
  const text = typeof written === 'string' ? written : textOfBytes(written);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
