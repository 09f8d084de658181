/** The limits of a token and of the names in it. The code that makes one and the code that checks one read the same. */

/** How far the clocks of two machines may be apart. */
export const LEEWAY_SECONDS = 60;

/**
 * The longest time from `iat` to `exp`. By default a plan waits 24 h for its decision; a token that lives longer is a
 * useless risk in histories and mails.
 * @bound [approving] the life of a token
 * @beyond `not-verified`
 */
export const LONGEST_LIFE_SECONDS = 24 * 60 * 60;

export { MAX_TOKEN_CHARACTERS } from '../../ids.ts';

/** The most UTF-16 code units in the name of a person, a role or a key. */
export const MAX_NAME_CHARACTERS = 200;

/** Levels of objects and lists in a message. Node's JSON.stringify runs out of stack at some thousands. */
export const MAX_MESSAGE_DEPTH = 1000;

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
