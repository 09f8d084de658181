/** The field of a form in which a question is answered: hosts put up forms of single values, and a question may want any JSON. */

import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { JsonValue } from '../plan/index.ts';
import { schemaWords, type OpenItem } from '../protocol/index.ts';

export type Field = ElicitRequestFormParams['requestedSchema']['properties'][string];

export interface ValueForm {
  readonly field: Field;
  /** @throws SyntaxError where the text is no JSON and the question wants more than a text */
  read(given: unknown): JsonValue;
}

const FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

/**
 * The run checks the whole schema; the form says as much of it as a form can.
 * @example valueForm({ schema: { enum: [1, 2] } }).field; // { type: 'string', enum: ['1', '2'] }
 */
export function valueForm({ schema, default: byDefault }: Pick<OpenItem, 'schema' | 'default'>): ValueForm {
  const { type, enum: choices, const: only, minimum, maximum, minLength, maxLength, format } = schema ?? {};
  if (Array.isArray(choices) || only !== undefined) return choiceForm(Array.isArray(choices) ? choices : [only!]);
  const as = { read: (given: unknown) => given as JsonValue };
  switch (type) {
    case 'boolean':
      return { field: { type, ...(typeof byDefault === 'boolean' && { default: byDefault }) }, ...as };
    case 'number':
    case 'integer': {
      const bounds = { ...(isNumber(minimum) && { minimum }), ...(isNumber(maximum) && { maximum }) };
      return { field: { type, ...bounds, ...(isNumber(byDefault) && { default: byDefault }) }, ...as };
    }
    case 'string':
    case undefined: {
      if (schema !== undefined && type === undefined) break;
      const known = FORMATS.find((one) => one === format);
      const lengths = { ...(isNumber(minLength) && { minLength }), ...(isNumber(maxLength) && { maxLength }) };
      const start = typeof byDefault === 'string' && { default: byDefault };
      return { field: { type: 'string', ...lengths, ...(known && { format: known }), ...start }, ...as };
    }
    default:
  }
  const start = byDefault !== undefined && { default: JSON.stringify(byDefault) };
  const description = `JSON: ${schemaWords(schema ?? {})}`;
  return {
    field: { type: 'string', description, ...start },
    read: (given) => JSON.parse(String(given)) as JsonValue,
  };
}

/** Forms choose among texts; a number or `true` stands as its JSON. */
function choiceForm(choices: readonly JsonValue[]): ValueForm {
  const labels = choices.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return {
    field: { type: 'string', enum: labels },
    read(given) {
      const at = labels.indexOf(String(given));
      return at < 0 ? (given as JsonValue) : choices[at]!;
    },
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
