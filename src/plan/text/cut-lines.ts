/** Cuts a text of many lines to a bound, by whole lines. */

import { byteLength, cutBytes, cutMiddle } from './cut.ts';

export interface LineLimits {
  /** Bytes of UTF-8 for the whole, including the line about the rest. */
  readonly bytes: number;
  /** Bytes of UTF-8 per line, if the whole is too long. */
  readonly lineBytes: number;
  /** The line in place of the omitted ones. Default `... and 3 more lines`. */
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
