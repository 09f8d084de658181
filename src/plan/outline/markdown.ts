/** A plan as short lines of Markdown, for the Temporal Web UI: nested lists, and no fence that text could close. */

import { cutCharacters, oneLine } from '../text/index.ts';
import { MARKS, type Outline } from './entry.ts';
import { rowsOf, type Row, type RowOptions } from './rows.ts';
import { badgeOf, foldedWords, tailOf } from './words.ts';

/** Characters of a title, so that a line fits a panel of 85 columns. */
const TITLE = 48;
/** Levels of nested lists; deeper entries use the last one. */
const LEVELS = 6;

export function outlineMarkdown(outline: Outline, options: RowOptions): readonly string[] {
  return rowsOf(outline, options).map(markdownLine);
}

function markdownLine(row: Row): string {
  const indent = '  '.repeat(Math.min(row.depth, LEVELS - 1));
  if (row.kind === 'folded') return `${indent}- ${escapeMarkdown(foldedWords(row.entries))}`;
  const { entry } = row;
  // An id has no markup: an underscore inside a word is literal.
  const name = `${entry.id} ${escapeMarkdown(entry.key ?? entry.operator ?? '')}`.trimEnd();
  if (row.kind === 'seen') return `${indent}- see ${name}`;
  const badge = badgeOf(entry);
  const parts = [
    ...(entry.standing === undefined ? [] : [MARKS[entry.standing].mark]),
    name,
    ...(badge === '' ? [] : [`**${escapeMarkdown(badge)}**`]),
    escapeMarkdown(cutCharacters(oneLine(entry.title), TITLE)),
    ...tailOf(entry).map((part, at) => `${at === 0 ? '· ' : ''}${part}`),
  ];
  return `${indent}- ${parts.join(' ')}`;
}

/** Escapes a text from outside, so that it cannot become markup. */
export function escapeMarkdown(text: string): string {
  return oneLine(text).replaceAll(/[\\`*_|<>[\]]/g, String.raw`\$&`);
}
