import { visible } from '../text/index.ts';
import { columnsOf, piecesOf } from './columns.ts';

/**
 * Breaks a text into lines of at most `width` columns, between words, beside wide characters, or inside a word that is
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

/** Breaks a message into lines, unless it must stay on one: a table row, or a text with an unquoted command. */
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
