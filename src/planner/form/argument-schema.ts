/** The schema of a capability's arguments, reduced to what every server can enforce while it writes. */

import { z } from 'zod';
import { isRecord } from '../../protocol/index.ts';
import type { JsonSchema } from '../../models/index.ts';

/**
 * The JSON Schema of a declaration's input. A transform or a date has none: it accepts anything here, and its own check
 * decides.
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
 * The schema without keywords that some servers refuse. It accepts more than the original: the compiler checks the
 * arguments in full.
 */
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
  // The compiler refuses a key that the capability would never see.
  if ('properties' in copy) copy['additionalProperties'] ??= false;
  return copy as JsonSchema;
}

/** Zod bounds every integer by the safe ones. */
function isOfEveryInteger(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;
}
