import { visible } from '../text/index.ts';
import { columnsOf, piecesOf, padColumns } from './columns.ts';

/**
 * Breaks a text into lines of at most `width` columns: between words, beside wide characters, or inside a word that is
 * too long. Line breaks stay, tabs become spaces, hidden characters are escaped.
 */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  return visible(text, { lines: true })
    .replaceAll('\t', ' ')
    .split('\n')
    .flatMap((line) => filled(line.split(' '), room, (word) => unitsOf(word, room)));
}

/** Parts of a message that people copy as a whole: a command in backticks or quotes, or a word. */
const WHOLE = /`[^`]*`\S*|"(?:npx )?planwright [^"]*"\S*|\S+/g;
const COPIED = /[`"/\\]/;

/** Breaks a message into lines of at most `width` columns, never within a command, path or address to copy. */
export function wrapMessage(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((paragraph) => {
    const indent = /^ */.exec(paragraph)?.[0] ?? '';
    const room = Math.max(1, width - indent.length);
    const words = [...paragraph.matchAll(WHOLE)].map(([whole]) => whole);
    const partsOf = (word: string) => (isSentence(word, room) ? unitsOf(word, room) : [word]);
    return filled(words, room, partsOf).map((line) => indent + line);
  });
}

/** Breaks a message into lines, unless it is a table row or has an unquoted command, which must stay on one line. */
export function wrapNote(line: string, width: number): readonly string[] {
  const isLaidOut = /\S {2,}\S/.test(line) || /[│├└]/.test(line);
  const isCommand = /\b(?:planwright|temporal) \S/.test(
    line.replace(WHOLE, (whole) => (whole.includes(' ') ? '' : whole)),
  );
  return isLaidOut || isCommand || columnsOf(line) <= width ? [line] : wrapMessage(line, width);
}

function isSentence(word: string, room: number): boolean {
  if (columnsOf(word) <= room || COPIED.test(word)) return false;
  return [...piecesOf(word)].some((piece) => columnsOf(piece) > 1);
}

function filled(words: readonly string[], room: number, partsOf: (word: string) => readonly string[]): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const [at, word] of words.entries()) {
    let gap = at === 0 ? '' : ' ';
    const columns = columnsOf(word);
    const parts = columns > room - used - gap.length ? partsOf(word) : [word];
    for (const part of parts) {
      const more = parts.length === 1 ? columns : columnsOf(part);
      if (used + gap.length + more > room) {
        if (/[^ ]/.test(line)) lines.push(line);
        [line, used, gap] = ['', 0, ''];
      }
      line += gap + part;
      used += gap.length + more;
      gap = '';
    }
  }
  return [...lines, line];
}

function unitsOf(word: string, room: number): readonly string[] {
  const units: string[] = [];
  let run = '';
  let used = 0;
  for (const piece of piecesOf(word)) {
    const columns = columnsOf(piece);
    if (run !== '' && (columns > 1 || used + columns > room)) {
      units.push(run);
      [run, used] = ['', 0];
    }
    run += piece;
    used += columns;
    if (columns > 1) {
      units.push(run);
      [run, used] = ['', 0];
    }
  }
  return run === '' ? units : [...units, run];
}

interface TableOptions {
  /** Maximum columns of a line. Default: no limit. */
  readonly columns?: number;
  readonly right?: readonly number[];
  readonly gap?: number;
  readonly indent?: string;
}

/** Minimum width of the last cell, in columns. If less room remains, the cell goes below its row. */
const MIN_COLUMN = 20;
const BELOW = 4;

/** Lays out a table. The last cell wraps, or goes below its row if little room remains. Escapes hidden characters. */
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
  const isBelow = widths.length > 0 && left < MIN_COLUMN && rows.some((row) => isTooWide(row.at(-1)));
  return rows
    .flatMap((row, place) => {
      const last = row.at(-1) ?? '';
      const cells = heads[place]!.map((cell, at) => padColumns(cell, widths[at]!, right.includes(at)));
      const head = indent + cells.map((cell) => cell + ' '.repeat(gap)).join('');
      if (isBelow) {
        const beside = wide - gap <= columns ? [] : cells.splice(1).flatMap((cell) => cell.trim() || []);
        const [under, between] = [' '.repeat(indent.length + BELOW), ' '.repeat(gap)];
        const below = wrap([...beside, last].join(between), columns - under.length).map((line) => under + line);
        return [indent + cells.join(between), ...below].map((line) => line.trimEnd());
      }
      return wrap(last, Math.max(MIN_COLUMN, left)).map((line, at) =>
        `${at === 0 ? head : ' '.repeat(wide)}${line}`.trimEnd(),
      );
    })
    .join('\n');
}
