/** Texts cut to a bound, never inside a character. A text that was cut ends in `…`, which is part of the bound. */

import { wellFormed } from './well-formed.js';

const MARK = '…';
const MARK_BYTES = 3;

/**
 * The text in at most `max` UTF-16 units. Below 1 there is no room for anything.
 *
 * @example cutCharacters('abcdef', 4); // 'abc…'
 */
export function cutCharacters(text: string, max: number): string {
  if (text.length <= max) return wellFormed(text);
  if (max < 1) return '';
  const end = max - 1;
  return wellFormed(text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end)) + MARK;
}

/**
 * As `cutCharacters`, but keeps the end.
 *
 * @example cutStart('abcdef', 4); // '…def'
 */
export function cutStart(text: string, max: number): string {
  if (text.length <= max) return wellFormed(text);
  if (max < 1) return '';
  const start = text.length - max + 1;
  return MARK + wellFormed(text.slice(isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start));
}

/**
 * The text in at most `bytes` bytes of UTF-8. If there is no room for the mark, it is cut without one.
 *
 * @example cutBytes('ééé', 5); // 'é…'
 */
export function cutBytes(text: string, bytes: number): string {
  if (hasAtMostBytes(text, bytes)) return wellFormed(text);
  const mark = bytes < MARK_BYTES ? '' : MARK;
  return wellFormed(text.slice(0, endWithin(text, bytes - byteLength(mark)))) + mark;
}

/**
 * As `cutBytes`, with the cut in the middle, so that the start and the end of the text stay.
 *
 * @example cutMiddle('abcdefgh', 7); // 'ab…gh'
 */
export function cutMiddle(text: string, bytes: number): string {
  if (hasAtMostBytes(text, bytes)) return wellFormed(text);
  if (bytes < MARK_BYTES) return cutBytes(text, bytes);
  const room = bytes - MARK_BYTES;
  const start = startWithin(text, Math.floor(room / 2));
  const end = endWithin(text, room - byteLength(text.slice(start)));
  return wellFormed(text.slice(0, end)) + MARK + wellFormed(text.slice(start));
}

/**
 * Bytes of the text in UTF-8; a lone surrogate counts as the U+FFFD that takes its place.
 *
 * @example byteLength('é'); // 2
 */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at)!;
    bytes += bytesOf(code);
    at += unitsOf(code);
  }
  return bytes;
}

/** Counts only where the number of units leaves it open: a unit takes one to three bytes. */
function hasAtMostBytes(text: string, bytes: number): boolean {
  if (text.length > bytes) return false;
  return text.length * 3 <= bytes || byteLength(text) <= bytes;
}

/** The offset after the last character that fits, counted from the start of the text. */
function endWithin(text: string, bytes: number): number {
  let left = bytes;
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at)!;
    left -= bytesOf(code);
    if (left < 0) break;
    at += unitsOf(code);
  }
  return at;
}

/** The offset of the first character that fits, counted from the end of the text. */
function startWithin(text: string, bytes: number): number {
  let left = bytes;
  let at = text.length;
  while (at > 0) {
    const isPair = at > 1 && isHighSurrogate(text.charCodeAt(at - 2)) && text.codePointAt(at - 2)! > 0xffff;
    const before = at - (isPair ? 2 : 1);
    left -= bytesOf(text.codePointAt(before)!);
    if (left < 0) break;
    at = before;
  }
  return at;
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

function unitsOf(code: number): number {
  return code < 0x10000 ? 1 : 2;
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
