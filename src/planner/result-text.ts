import type { JsonValue } from '../plan/index.ts';
import { cutCharacters } from '../plan/text/index.ts';
import type { Result } from '../store/index.ts';

const RESULT_CHARACTERS = 8000;
const IDS_SHOWN = 100;

/** A result as text for a model: the first 8,000 characters, or the first 100 ids of a set. */
export function resultText(result: Result): string {
  const text =
    result.kind === 'text'
      ? result.text
      : result.kind === 'value'
        ? JSON.stringify(result.value)
        : `${result.set.ids.length} records: ${result.set.ids.slice(0, IDS_SHOWN).join(', ')}`;
  return text.length <= RESULT_CHARACTERS
    ? text
    : `${cutCharacters(text, RESULT_CHARACTERS)} (${text.length} characters in all)`;
}

/** A result as plain JSON. A set is the list of its ids. */
export function resultJson(result: Result): JsonValue {
  switch (result.kind) {
    case 'set':
      return result.set.ids;
    case 'value':
      return result.value;
    case 'text':
      return result.text;
  }
}
