/**
 * Yes and no as people write them in a chat (Osprey: answer detection). Only these words count; whatever else is said,
 * the question is asked again. Silence and doubt are never a yes.
 */

export const YES_WORDS: readonly string[] = ['yes', 'y', 'yep', 'yeah', 'ok', 'okay'];
export const NO_WORDS: readonly string[] = ['no', 'n', 'nope', 'nah', 'cancel'];

/**
 * Reads a person's text as yes or no. `unclear` means: ask again. Case, surrounding space and closing punctuation do
 * not matter.
 * @example readYesNo(' Okay.'); // 'yes', and readYesNo('yes, but later') is 'unclear'
 */
export function readYesNo(text: string): 'yes' | 'no' | 'unclear' {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[.!?]+$/, '');
  if (YES_WORDS.includes(word)) return 'yes';
  return NO_WORDS.includes(word) ? 'no' : 'unclear';
}
