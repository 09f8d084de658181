/** The person behind a name, as far as the name tells. */

import { withoutHidden } from '../../plan/text/index.ts';
import type { Hindrance } from './rules.ts';

export function spokenAs(by: string, role: string | undefined): string {
  return `${by} spoke ${role === undefined ? 'in no role' : `as ${role}`}`;
}

/** Why a word in the right role does not count. */
export function hinderedWords(hindrance: Exclude<Hindrance, 'role'>, by: string): string {
  return hindrance === 'key'
    ? `the key that ${by} signed with is not marked as a person's in the project's config`
    : `${by} started this run, or put words into its plan`;
}

/** One person, however the name is written, also with hidden characters: two spellings are not two people. */
export function personOf(by: string): string {
  // U+FEFF counts as white space and is drawn as nothing; two parts that a hidden one kept apart are joined without it.
  const spaced = by.normalize('NFKC').replaceAll(/[^\S\ufeff]+/g, ' ');
  return withoutHidden(spaced).normalize('NFKC').replaceAll(/ +/g, ' ').trim().toLowerCase();
}
