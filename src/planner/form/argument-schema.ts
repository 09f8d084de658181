/** The schema of a capability's arguments, as far as every server can be held to it while it writes. */

import { z } from 'zod';
import { isRecord } from '../../protocol/index.ts';
import type { JsonSchema } from '../../models/index.ts';

/**
 * The JSON Schema of what a declaration takes. A transform or a date has none: it is said to take anything, and its own
 * check says the rest.
 */
export function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  try {
    return z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  } catch {
    return {};
  }
}

/** Keywords that the grammars of llama.cpp, vLLM and Ollama know. Any other, such as `pattern`, ends a call there. */
const TAKEN = ['type', 'enum', 'const', 'required', 'description', 'minimum', 'maximum'];
const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength'];
/** A grammar repeats its rule so often: llama.cpp refuses large numbers. */
const MAX_COUNT = 64;

/**
 * The schema without the keywords that some servers refuse. It lets through all that the whole one does, and more: the
 * compiler checks the arguments in full.
 * @example argumentSchema(z.object({ text: z.string() })).required; // ['text']
 */
export function argumentSchema(input: z.ZodType): JsonSchema {
  const schema = taken(schemaOf(input));
  return schema['type'] === 'object' ? schema : { type: 'object' };
}

function taken(schema: unknown): JsonSchema {
  if (!isRecord(schema)) return {};
  const kept: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (TAKEN.includes(keyword) && !isOfEveryInteger(value)) kept[keyword] = value;
    else if (COUNTS.includes(keyword) && Number(value) <= MAX_COUNT) kept[keyword] = value;
    else if (keyword === 'items') kept[keyword] = taken(value);
    else if (keyword === 'additionalProperties') kept[keyword] = typeof value === 'boolean' ? value : taken(value);
    else if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) kept['anyOf'] = value.map(taken);
    else if (keyword === 'properties' && isRecord(value)) {
      kept[keyword] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, taken(each)]));
    }
  }
  // The compiler refuses a key that the capability would never see.
  if ('properties' in kept) kept['additionalProperties'] ??= false;
  return kept as JsonSchema;
}

/** Zod says of each whole number that it is a safe one. */
function isOfEveryInteger(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;
}
