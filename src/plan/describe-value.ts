import { firstUnits } from './json-path.ts';

const MAX_QUOTED = 60;

/** A value in the words of a message, such as `the text "ten"` or `an object`. Safe for any value. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the text ${quote(value)}`;
    case 'number':
      return `the number ${value}`;
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
    case 'undefined':
      return 'nothing';
    default:
      return `a ${typeof value}`;
  }
}

/** A text in double quotes, its control characters escaped, cut after 60 characters. */
export function quote(text: string): string {
  const short = firstUnits(text, MAX_QUOTED);
  return JSON.stringify(short.length < text.length ? `${short}…` : short);
}

/** Names as a message lists them: `"a", "b" or "c"`, at most 20 of them. */
export function listNames(names: readonly string[]): string {
  const quoted = names.slice(0, 20).map(quote);
  if (names.length > quoted.length) return `${quoted.join(', ')} and ${names.length - quoted.length} more`;
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}
