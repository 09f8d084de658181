import { isRecord } from './payload.ts';
import type { OpenItem } from './views.ts';
import { briefJson } from '../plan/text/index.ts';

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

/** Maximum number of members of an object that are described. Larger objects are described as JSON. */
const MAX_MEMBERS = 40;
export const BESIDE = ['type', 'title', 'description', 'default', '$schema'];
/** The schema keywords that the description of an object by its members covers. */
const OF_OBJECTS = new Set([...BESIDE, 'properties', 'required', 'additionalProperties']);

/**
 * Describes a schema as text: an object by its members, an unusual schema as JSON, cut at 200 characters.
 * @example schemaText({ type: 'number', minimum: 0, maximum: 5 }) // 'a number, at least 0, at most 5'
 */
export function schemaText(schema: Schema): string {
  const members = memberSchemas(schema)?.map(memberText);
  const known = asText(schema) ?? (members?.includes(undefined) === false ? members.join('; ') : undefined);
  return known ?? `JSON that fits ${briefJson(schema, MAX_SHOWN)}`;
}

interface Member {
  readonly name: string;
  readonly inner: Schema;
  readonly isRequired: boolean;
}

/** The members of an object, for asking a person for one at a time; undefined for any other schema. */
export function memberSchemas(schema: Schema, most = MAX_MEMBERS): readonly Member[] | undefined {
  const { type, properties, required } = schema;
  const members = isRecord(properties) ? Object.entries(properties) : [];
  const isPlain = type === 'object' && Object.keys(schema).every((key) => OF_OBJECTS.has(key));
  if (!isPlain || members.length === 0 || members.length > most) return undefined;
  const order: readonly unknown[] = Array.isArray(required) ? required : [];
  // A plan stores the names of members sorted, but `required` as its author wrote it.
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const inOrder = members.toSorted(([a], [b]) => rank(a) - rank(b));
  return inOrder.map(([name, inner]) => ({
    name,
    inner: isRecord(inner) ? (inner as Schema) : {},
    isRequired: order.includes(name),
  }));
}

/** Describes a member of an object, such as `plates (optional): a whole number, at least 1`. */
function memberText({ name, inner, isRequired }: Member): string | undefined {
  const words = asText(inner);
  return words && `${name}${isRequired ? '' : ' (optional)'}: ${words}`;
}

function asText({ type, enum: allowed, minimum, maximum, minLength, maxLength, ...rest }: Schema): string | undefined {
  const { title: _, description, ...unknown } = rest;
  if (Object.keys(unknown).length > 0) return undefined;
  const about = typeof description === 'string' ? ` (${description})` : '';
  if (Array.isArray(allowed)) return `one of ${allowed.map((value) => briefJson(value)).join(', ')}${about}`;
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
