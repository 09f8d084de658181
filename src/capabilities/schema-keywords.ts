/**
 * The keywords of JSON Schema that an answer is checked against. A keyword that is not in this list is refused, never
 * passed over.
 */

import { isRecord } from '../protocol/index.ts';

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';

export interface Keyword {
  /** The types whose values it constrains. */
  readonly of: readonly JsonType[];
  readonly expected: string;
  /** The schemas in its value: it is one, a list of them, or an object with them as members. */
  readonly holds?: 'schema' | 'list' | 'members';
  /** Whether its own value is one; of schemas in it, whether they look like schemas. */
  fits(value: unknown): boolean;
}

export const JSON_TYPES: readonly JsonType[] = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'];

/** They say something to people and constrain nothing. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', 'title', 'description', 'examples'],
  ...['default', 'deprecated', 'readOnly', 'writeOnly'],
]);

/** The formats that zod checks as JSON Schema defines them. */
const FORMATS = ['email', 'uri', 'uuid', 'date-time', 'date', 'time', 'duration', 'ipv4', 'ipv6', 'hostname'];

const count = {
  expected: 'a whole number from 0',
  fits: (value: unknown) => Number.isSafeInteger(value) && isFrom0(value),
};
const number = { expected: 'a number', fits: Number.isFinite };
const flag = { expected: 'true or false', fits: (value: unknown) => typeof value === 'boolean' };
const schema = { expected: 'a schema', holds: 'schema' as const, fits: isSchema };
const schemas = {
  expected: 'a list of schemas',
  holds: 'list' as const,
  fits: (value: unknown) => isList(value) && value.every(isSchema),
};
const members = {
  expected: 'an object of schemas',
  holds: 'members' as const,
  fits: (value: unknown) => isRecord(value) && Object.values(value).every(isSchema),
};
const names = {
  expected: 'a list of names',
  fits: (value: unknown) => isList(value) && value.every((one) => typeof one === 'string'),
};
const positive = {
  expected: 'a number above 0',
  fits: (value: unknown) => Number.isFinite(value) && value !== 0 && isFrom0(value),
};
const pattern = { expected: 'a regular expression without \\p, \\P and \\u{}', fits: isPattern };
const format = {
  expected: `one of ${FORMATS.join(', ')}`,
  fits: (value: unknown) => FORMATS.includes(value as string),
};

const texts: readonly JsonType[] = ['string'];
const numbers: readonly JsonType[] = ['number', 'integer'];
const objects: readonly JsonType[] = ['object'];
const lists: readonly JsonType[] = ['array'];

export const KEYWORDS: Readonly<Record<string, Keyword>> = {
  minLength: { of: texts, ...count },
  maxLength: { of: texts, ...count },
  pattern: { of: texts, ...pattern },
  format: { of: texts, ...format },
  minimum: { of: numbers, ...number },
  maximum: { of: numbers, ...number },
  exclusiveMinimum: { of: numbers, ...number },
  exclusiveMaximum: { of: numbers, ...number },
  multipleOf: { of: numbers, ...positive },
  properties: { of: objects, ...members },
  required: { of: objects, ...names },
  additionalProperties: { of: objects, ...schema },
  propertyNames: { of: objects, ...schema },
  minProperties: { of: objects, ...count },
  maxProperties: { of: objects, ...count },
  items: { of: lists, ...schema },
  prefixItems: { of: lists, ...schemas },
  minItems: { of: lists, ...count },
  maxItems: { of: lists, ...count },
  uniqueItems: { of: lists, ...flag },
};

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isRecord(value);
}

function isFrom0(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

/**
 * JSON Schema reads patterns with the `u` flag and zod without it; a pattern that the two read differently is refused.
 */
function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || /\\[pP]|\\u\{|[^ -~]/.test(value)) return false;
  try {
    return new RegExp(value, 'u').source !== '';
  } catch {
    return false;
  }
}
