/** Cuts texts, never inside a character. A cut text ends in `…`, which counts. */

const MARK = '…';
const MARK_BYTES = 3;

/** The text in at most `max` UTF-16 units. */
export function cutCharacters(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  if (max < 1) return '';
  const end = max - 1;
  return text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end).toWellFormed() + MARK;
}

/** As `cutCharacters`, but keeps the end. */
export function cutStart(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  if (max < 1) return '';
  const start = text.length - max + 1;
  return MARK + text.slice(isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start).toWellFormed();
}

/** The text in at most `bytes` bytes of UTF-8. If there is no room for the mark, it is cut without one. */
export function cutBytes(text: string, bytes: number): string {
  if (hasAtMostBytes(text, bytes)) return text.toWellFormed();
  const mark = bytes < MARK_BYTES ? '' : MARK;
  return head(text, bytes - byteLength(mark)) + mark;
}

/** As `cutBytes`, with the cut in the middle, so that the start and the end of the text stay. */
export function cutMiddle(text: string, bytes: number): string {
  if (hasAtMostBytes(text, bytes)) return text.toWellFormed();
  if (bytes < MARK_BYTES) return cutBytes(text, bytes);
  const room = bytes - MARK_BYTES;
  const end = tail(text, Math.floor(room / 2));
  return head(text, room - byteLength(end)) + MARK + end;
}

/** Bytes of the text in UTF-8; a lone surrogate counts as U+FFFD. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Encodes only if the number of units leaves it open: a unit takes one to three bytes. */
function hasAtMostBytes(text: string, bytes: number): boolean {
  return text.length <= bytes && (text.length * 3 <= bytes || byteLength(text) <= bytes);
}

function head(text: string, bytes: number): string {
  const all = encoder.encode(text.slice(0, bytes + 1));
  let end = Math.min(bytes, all.length);
  while (isInside(all[end])) end -= 1;
  return decoder.decode(all.subarray(0, end));
}

function tail(text: string, bytes: number): string {
  const all = encoder.encode(text.slice(Math.max(0, text.length - bytes - 1)));
  let start = Math.max(0, all.length - bytes);
  while (isInside(all[start])) start += 1;
  return decoder.decode(all.subarray(start));
}

/** Whether a byte continues a character. */
function isInside(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

export interface LineLimits {
  /** Bytes of UTF-8 for the whole, including the line about the rest. */
  readonly bytes: number;
  /** Bytes of UTF-8 per line, if the whole is too long. */
  readonly lineBytes: number;
  /** The line that replaces the omitted ones. Default `... and 3 more lines`. */
  readonly rest?: (lines: number) => string;
}

/**
 * The text in at most `bytes` bytes. A text that fits stays. Otherwise every line is cut in its middle first, so that
 * one long line cannot hide later ones; then lines at the end are left out.
 */
export function cutLines(text: string, { bytes, lineBytes, rest = moreLines }: LineLimits): string {
  if (text.length <= bytes && byteLength(text) <= bytes) return text.toWellFormed();
  const lines = text.split('\n').map((line) => cutMiddle(line, lineBytes));
  const sizes = [0];
  for (const line of lines) sizes.push(sizes.at(-1)! + byteLength(line) + 1);
  if (sizes.at(-1)! - 1 <= bytes) return lines.join('\n');
  for (let kept = lines.length - 1; kept > 0; kept--) {
    if (sizes[kept]! > bytes) continue;
    const last = rest(lines.length - kept);
    if (sizes[kept]! + byteLength(last) <= bytes) return [...lines.slice(0, kept), last.toWellFormed()].join('\n');
  }
  return cutBytes(rest(lines.length), bytes);
}

function moreLines(lines: number): string {
  return `... and ${lines} more line${lines === 1 ? '' : 's'}`;
}
