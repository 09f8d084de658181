/** The schema of a capability's arguments, reduced to keywords that every server can enforce. */

import { z } from 'zod';
import { isRecord } from '../../protocol/index.ts';
import type { JsonSchema } from '../../models/index.ts';

/** The JSON Schema of an input. Transforms and dates accept any value here; their own check decides later. */
export function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  try {
    return z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  } catch {
    return {};
  }
}

/** Keywords that the grammars of llama.cpp, vLLM and Ollama support. They reject calls with others. */
const TAKEN = ['type', 'enum', 'const', 'required', 'description', 'minimum', 'maximum'];
const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength'];
/** The largest count in a schema. A grammar repeats its rule that often, so llama.cpp rejects larger counts. */
const MAX_COUNT = 64;

/** The schema without keywords that some servers reject. The compiler checks the arguments in full. */
export function argumentSchema(input: z.ZodType): JsonSchema {
  const schema = portable(schemaOf(input));
  return schema['type'] === 'object' ? schema : { type: 'object' };
}

function portable(schema: unknown): JsonSchema {
  if (!isRecord(schema)) return {};
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (TAKEN.includes(keyword) && !isOfEveryInteger(value)) copy[keyword] = value;
    else if (COUNTS.includes(keyword) && Number(value) <= MAX_COUNT) copy[keyword] = value;
    else if (keyword === 'items') copy[keyword] = portable(value);
    else if (keyword === 'additionalProperties') copy[keyword] = typeof value === 'boolean' ? value : portable(value);
    else if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) copy['anyOf'] = value.map(portable);
    else if (keyword === 'properties' && isRecord(value)) {
      copy[keyword] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, portable(each)]));
    }
  }
  if ('properties' in copy) copy['additionalProperties'] ??= false;
  return copy as JsonSchema;
}

function isOfEveryInteger(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;
}
