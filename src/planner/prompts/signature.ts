/** The arguments of a capability in one line: a type, at a fraction of the tokens of a JSON Schema. */

import type { z } from 'zod';
import { cutCharacters } from '../../plan/text/index.ts';
import { isRecord } from '../../protocol/index.ts';
import { schemaOf } from '../form/index.ts';

const MAX_SIGNATURE = 200;
const MAX_LEVELS = 4;

/** The type of a capability's input, as in TypeScript. */
export function typeSignature(input: z.ZodType): string {
  return cutCharacters(typeOf(schemaOf(input), 0), MAX_SIGNATURE);
}

function typeOf(schema: unknown, level: number): string {
  if (!isRecord(schema) || level > MAX_LEVELS) return 'any';
  const { type, enum: names, const: only, anyOf, oneOf, items } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(names)) return names.map((name) => JSON.stringify(name)).join(' | ');
  const choice = anyOf ?? oneOf;
  if (Array.isArray(choice)) return choice.map((each) => typeOf(each, level + 1)).join(' | ');
  if (type === 'array') return `list of ${typeOf(items, level + 1)}`;
  if (type === 'object') return objectType(schema, level);
  if (Array.isArray(type)) return type.map(String).join(' | ');
  return typeof type === 'string' ? type : 'any';
}

function objectType({ properties, required, additionalProperties }: Record<string, unknown>, level: number): string {
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(isRecord(properties) ? properties : {}).map(
    ([name, schema]) => `${name}${needed.includes(name) ? '' : '?'}: ${typeOf(schema, level + 1)}`,
  );
  if (isRecord(additionalProperties)) fields.push(`[any name]: ${typeOf(additionalProperties, level + 1)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
