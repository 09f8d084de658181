/**
 * Well-formed text: no surrogate stands alone. A lone one cannot be encoded in UTF-8, and a failure message that holds
 * one ends the worker that reports it. Plain JavaScript, as `thrown.js` is, which needs it.
 */

/** With `u` a pair is one character, so that only a lone surrogate is one. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/**
 * Whether a text can be encoded in UTF-8.
 *
 * @param {string} text
 * @returns {boolean}
 * @example isWellFormed('\ud83d\ude00'); // true
 * @example isWellFormed('\ud83d'); // false
 */
export function isWellFormed(text) {
  return !LONE_SURROGATE.test(text);
}

/**
 * The text with U+FFFD in the place of every lone surrogate.
 *
 * @param {string} text
 * @returns {string}
 * @example wellFormed('a\ud83db'); // 'a\ufffdb'
 */
export function wellFormed(text) {
  return text.replace(LONE_SURROGATES, '\ufffd');
}
