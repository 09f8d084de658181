/** The place of a page that says most about what was asked, cut to a few lines. */

import { cutCharacters } from '../../../plan/text/index.ts';
import type { PagePiece } from '../page-text.ts';

const MAX_SNIPPET = 240;
/** The characters before the first word that was found, in a long piece. */
const BEFORE = 60;

/**
 * The piece with most of the words, the first of equals, and the pieces after it while there is room.
 * @example snippetOf([{ text: 'A reef.', line: 3 }], ['reef']); // { text: 'A reef.', line: 3 }
 */
export function snippetOf(pieces: readonly PagePiece[], terms: readonly string[]): PagePiece {
  let best = 0;
  let most = 0;
  for (const [at, { text }] of pieces.entries()) {
    const lower = text.toLowerCase();
    const found = terms.filter((term) => lower.includes(term)).length;
    if (found > most) [best, most] = [at, found];
  }
  const { text: first = '', line = 1 } = pieces[best] ?? {};
  if (first.length > MAX_SNIPPET) return { text: around(first, terms), line };
  let text = first;
  for (const { text: next } of pieces.slice(best + 1)) {
    if (text.length + next.length >= MAX_SNIPPET) break;
    text += `\n${next}`;
  }
  return { text, line };
}

function around(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const from = Math.min(...places, text.length) - BEFORE;
  if (places.length === 0 || from <= 0) return cutCharacters(text, MAX_SNIPPET);
  // At a space, so that no word and no character is cut in two.
  const start = text.indexOf(' ', from) + 1;
  return `…${cutCharacters(text.slice(start > 0 && start <= from + BEFORE ? start : from), MAX_SNIPPET)}`;
}
