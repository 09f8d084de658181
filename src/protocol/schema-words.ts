/** The schema of an answer in words, for the person who types it. */

import type { OpenItem } from './views.ts';
import { cutCharacters } from '../plan/text/index.ts';

type Schema = NonNullable<OpenItem['schema']>;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'yes or no',
  array: 'a list, as JSON',
  object: 'an object, as JSON',
  null: 'null',
};
const MAX_SHOWN = 200;

/**
 * A schema of few words in few words; of any other the JSON, cut at 200 characters.
 * @example schemaWords({ type: 'number', minimum: 0, maximum: 5 }) // 'a number, at least 0, at most 5'
 */
export function schemaWords(schema: Schema): string {
  const known = inWords(schema);
  if (known !== undefined) return known;
  return `JSON that fits ${cutCharacters(JSON.stringify(schema), MAX_SHOWN)}`;
}

function inWords({ type, enum: allowed, minimum, maximum, minLength, maxLength, ...rest }: Schema): string | undefined {
  const { title: _, description, ...unknown } = rest;
  if (Object.keys(unknown).length > 0) return undefined;
  const about = typeof description === 'string' ? ` (${description})` : '';
  if (Array.isArray(allowed)) return `one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}${about}`;
  const kind = typeof type === 'string' ? KINDS[type] : undefined;
  if (kind === undefined) return undefined;
  const limits = [
    limit('at least', minimum),
    limit('at most', maximum),
    limit('at least', minLength, ' characters'),
    limit('at most', maxLength, ' characters'),
  ];
  return `${kind}${limits.join('')}${about}`;
}

function limit(word: string, value: unknown, unit = ''): string {
  return typeof value === 'number' ? `, ${word} ${value}${unit}` : '';
}
