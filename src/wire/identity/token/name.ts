/** The names that a person, a role or a key may have. */

import { MAX_NAME_CHARACTERS } from './limits.ts';

/**
 * A name of a person, a role or a key: one line of at most 200 characters, without space at its ends.
 * @example isName('operator'); // true, and isName(' operator') is false
 */
export function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_NAME_CHARACTERS &&
    value.trim() === value &&
    !UNPRINTABLE.test(value)
  );
}

/** Control characters, separators of lines, half characters, and marks that turn the direction of the text around them. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{61C}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]/u;
