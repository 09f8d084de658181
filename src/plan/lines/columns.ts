/**
 * Computes the columns that a text fills on a terminal: two for a CJK character or an emoji, none for a combining mark.
 * Each character of an emoji sequence counts, since a terminal may not join them.
 */

import { eastAsianWidth } from 'get-east-asian-width';

const MARK = '…';
const TAB = 8;
const PLAIN = /^[ -~]*$/;
/** Matches characters that fill no column: marks, invisible characters, vowels and final consonants of Hangul. */
const NONE = String.raw`[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff]`;
const COLOUR = String.raw`\u001B\[\d*m`;
/** A unit that a line break must not split: a colour, a flag, or a character with skin colour and marks. */
const PIECE = new RegExp(String.raw`${COLOUR}|\p{RI}{2}|.\p{EMod}?${NONE}*`, 'gsu');
const EMPTY = new RegExp(`${COLOUR}|${NONE}`, 'gu');

/** The columns of a one-line text. A colour (`ESC [ 31 m`) fills none, and a tab counts as 8, its largest width. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of text.replace(EMPTY, '')) {
    columns += character === '\t' ? TAB : eastAsianWidth(character.codePointAt(0)!);
  }
  return columns;
}

/** Splits a text into units that a line break must not split. Units other than tabs fill at most four columns. */
export function* piecesOf(text: string): Generator<string, undefined> {
  for (const [piece] of text.matchAll(PIECE)) yield piece;
}

/** Cuts a text to at most `max` columns. A cut text ends in `…`, which counts as a column. */
export function cutColumns(text: string, max: number): string {
  if (PLAIN.test(text) && text.length <= max) return text;
  if (max < 1) return '';
  let columns = 0;
  let at = 0;
  let end = 0;
  for (const piece of piecesOf(text)) {
    columns += columnsOf(piece);
    if (columns > max) return text.slice(0, end).toWellFormed() + MARK;
    at += piece.length;
    if (columns < max) end = at;
  }
  return text.toWellFormed();
}

export function padColumns(text: string, columns: number, isRight = false): string {
  const spaces = ' '.repeat(Math.max(0, columns - columnsOf(text)));
  return isRight ? spaces + text : text + spaces;
}
