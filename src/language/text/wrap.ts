/** Text laid out for a terminal and for a shell: lines of a width, tables, words of a command. */

import { isHighSurrogate } from './cut.ts';
import { wellFormed } from './well-formed.js';
import { visible } from './visible.ts';

/**
 * Lines of at most `width` characters, broken between words; a word that no line holds is broken itself, so that nothing
 * of it is lost. Below 1 the width counts as 1.
 *
 * @example wrap('one two three', 8); // ['one two', 'three']
 */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    let rest = word;
    if (line !== '' && line.length + 1 + rest.length > room) {
      lines.push(line);
      line = '';
    }
    while (rest.length > room) {
      const end = isHighSurrogate(rest.charCodeAt(room - 1)) && room > 1 ? room - 1 : room;
      lines.push(wellFormed(rest.slice(0, end)));
      rest = rest.slice(end);
    }
    line = line === '' ? rest : `${line} ${rest}`;
  }
  return [...lines, line];
}

/** The pieces that are copied as a whole: a command that is named in backticks or quotes, else a word. */
const WHOLE = /`[^`]*`\S*|"(?:npx )?planwright [^"]*"\S*|\S+/g;

/**
 * Lines of at most `width` characters for a message that names commands, paths and addresses: none of them is broken,
 * so that each can be copied, and one that is longer than a line has one of its own. Line breaks and the indentation of
 * lines stay; other runs of spaces become one.
 *
 * @example wrapMessage('no worker; start one with `planwright worker`', 24); // ['no worker; start one', 'with', '`planwright worker`']
 */
export function wrapMessage(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((paragraph) => {
    const indent = /^ */.exec(paragraph)?.[0] ?? '';
    const lines: string[] = [];
    let line = '';
    for (const [whole] of paragraph.matchAll(WHOLE)) {
      if (line !== '' && indent.length + line.length + 1 + whole.length > width) {
        lines.push(indent + line);
        line = '';
      }
      line = line === '' ? whole : `${line} ${whole}`;
    }
    return [...lines, indent + line];
  });
}

/**
 * The same for a line that may be one of a table, or a command to paste: it stays one line if it is laid out in
 * columns, names a command that stands in no quotes, or fits.
 *
 * @example wrapNote('next: planwright result plan-1', 10); // ['next: planwright result plan-1']
 */
export function wrapNote(line: string, width: number): readonly string[] {
  const isLaidOut = /\S {2,}\S/.test(line) || /[│├└]/.test(line);
  const isCommand = /\b(?:planwright|temporal) \S/.test(
    line.replace(WHOLE, (whole) => (whole.includes(' ') ? '' : whole)),
  );
  return line.length <= width || isLaidOut || isCommand ? [line] : wrapMessage(line, width);
}

/** They mean nothing to any shell of POSIX, nor to zsh, where a word that begins with `=` is a command to look up. */
const BARE = /^[\w.:/@%+,-][\w.:/@%+=,-]*$/;

/**
 * A word as a POSIX shell reads it back: as it stands where that is safe, else in single quotes.
 *
 * @example quoteForShell('plan-1'); // 'plan-1'
 * @example quoteForShell("it's"); // `'it'\\''s'`
 */
export function quoteForShell(word: string): string {
  return BARE.test(word) ? word : `'${wellFormed(word).replaceAll("'", `'\\''`)}'`;
}

/**
 * Rows as aligned columns; the last column may be as long as it likes. What others wrote cannot break a row, nor rule the
 * terminal it is shown on.
 *
 * @example table([['node_1', 'done'], ['node_12', 'failed']]); // 'node_1   done\nnode_12  failed'
 */
export function table(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map((cell) => visible(cell)));
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
