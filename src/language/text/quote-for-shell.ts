/** Words of a command that a person pastes into a shell. */

import { wellFormed } from './well-formed.js';

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
