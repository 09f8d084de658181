/**
 * References in any text. Pure. Whatever looks like one counts: a history, a page of a snapshot or a note of a later version refers to
 * what it names, whether or not this version knows its form.
 */

/** A word that may be a reference, or have one in it. */
export interface Word {
  readonly word: string;
  /** The text says that it names a set, which refers to nothing. */
  readonly isSet: boolean;
}

const LENGTH = 43;
const HEX_LENGTH = 64;
const WORDS = /[A-Za-z0-9_-]{43,}/g;
const HEX = /[0-9a-f]{64,}/gi;
/** As a handle goes on behind its reference. */
const SET = '","kind":"set"';
/** Of a text that was cut somewhere in a reference so many letters of each part are needed. */
export const EDGE = HEX_LENGTH - 1;

export function wordsIn(text: string): readonly Word[] {
  return Array.from(text.matchAll(WORDS), ({ 0: word, index }) => ({
    word,
    isSet: word.length === LENGTH && text.startsWith(SET, index + LENGTH),
  }));
}

/**
 * The references that words are, and those somewhere in them.
 * @param isThere whether the store has an object of this reference
 */
export function* referencesIn(words: readonly Word[], isThere: (ref: string) => boolean): Generator<Word> {
  for (const { word, isSet } of words) {
    for (const ref of refsOf(word)) if (isThere(ref)) yield { word: ref, isSet };
  }
}

function* refsOf(word: string): Generator<string> {
  for (let at = 0; at + LENGTH <= word.length; at += 1) yield word.slice(at, at + LENGTH);
  for (const { 0: digits } of word.matchAll(HEX)) {
    for (let at = 0; at + HEX_LENGTH <= digits.length; at += 1) {
      yield Buffer.from(digits.slice(at, at + HEX_LENGTH), 'hex').toString('base64url');
    }
  }
}
