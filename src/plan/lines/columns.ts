/**
 * The columns that a text fills on a terminal. A CJK character or an emoji fills two, a mark on the character before it
 * none. Each character of a sequence counts, so that a terminal that draws several as one leaves columns empty and none
 * overflows.
 */

import { eastAsianWidth } from 'get-east-asian-width';
import { visible } from '../text/index.ts';
import { wrap } from './wrap.ts';

interface TableOptions {
  /** Columns that a line may fill. Default: unlimited. */
  readonly columns?: number;
  /** The indexes of right-aligned cells. */
  readonly right?: readonly number[];
  readonly gap?: number;
  readonly indent?: string;
}

/** Columns that the last cell needs; if fewer are left it goes below its row. */
const LEAST = 20;
const BELOW = 4;

/**
 * Rows in columns. The last cell keeps its line breaks and wraps, below its row if little room is left. Hidden
 * characters are escaped.
 */
export function table(
  rows: readonly (readonly string[])[],
  { columns = Infinity, right = [], gap = 2, indent = '' }: TableOptions = {},
): string {
  const heads = rows.map((row) => row.slice(0, -1).map((cell) => visible(cell)));
  const widths: number[] = [];
  for (const head of heads) head.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell))));
  const wide = indent.length + widths.reduce((sum, width) => sum + width + gap, 0);
  const left = columns - wide;
  const isTooWide = (last = '') => columnsOf(visible(last)) > left;
  const isBelow = widths.length > 0 && left < LEAST && rows.some((row) => isTooWide(row.at(-1)));
  return rows
    .flatMap((row, place) => {
      const last = row.at(-1) ?? '';
      const cells = heads[place]!.map((cell, at) => padColumns(cell, widths[at]!, right.includes(at)));
      const head = indent + cells.map((cell) => cell + ' '.repeat(gap)).join('');
      if (isBelow) {
        // If the cells do not fit beside each other, all go below the first.
        const beside = wide - gap <= columns ? [] : cells.splice(1).flatMap((cell) => cell.trim() || []);
        const [under, between] = [' '.repeat(indent.length + BELOW), ' '.repeat(gap)];
        const below = wrap([...beside, last].join(between), columns - under.length).map((line) => under + line);
        return [indent + cells.join(between), ...below].map((line) => line.trimEnd());
      }
      return wrap(last, Math.max(LEAST, left)).map((line, at) =>
        `${at === 0 ? head : ' '.repeat(wide)}${line}`.trimEnd(),
      );
    })
    .join('\n');
}

const MARK = '…';
const TAB = 8;
const PLAIN = /^[ -~]*$/;
/** By property marks and invisible characters; by number the vowels and ends of a Hangul syllable. */
const NONE = String.raw`[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff]`;
const COLOUR = String.raw`\u001B\[\d*m`;
/** A unit that a line break must not split: a colour, a flag, a character with its skin colour and marks. */
const PIECE = new RegExp(String.raw`${COLOUR}|\p{RI}{2}|.\p{EMod}?${NONE}*`, 'gsu');
const EMPTY = new RegExp(`${COLOUR}|${NONE}`, 'gu');

/** The columns of a one-line text. A colour (`ESC [ 31 m`) fills none, a tab the most that it can. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of text.replace(EMPTY, '')) {
    columns += character === '\t' ? TAB : eastAsianWidth(character.codePointAt(0)!);
  }
  return columns;
}

/** The text in unbreakable pieces. Except a tab, none fills more than four columns. */
export function* piecesOf(text: string): Generator<string, undefined> {
  for (const [piece] of text.matchAll(PIECE)) yield piece;
}

/** The text in at most `most` columns. A cut text ends in `…`, which counts. */
export function cutColumns(text: string, most: number): string {
  if (PLAIN.test(text) && text.length <= most) return text;
  if (most < 1) return '';
  let columns = 0;
  let at = 0;
  let end = 0;
  for (const piece of piecesOf(text)) {
    columns += columnsOf(piece);
    if (columns > most) return text.slice(0, end).toWellFormed() + MARK;
    at += piece.length;
    if (columns < most) end = at;
  }
  return text.toWellFormed();
}

export function padColumns(text: string, columns: number, isRight = false): string {
  const spaces = ' '.repeat(Math.max(0, columns - columnsOf(text)));
  return isRight ? spaces + text : text + spaces;
}
