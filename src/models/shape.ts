/** The schema of a format: whether a value keeps to it, and whether a server can be held to it. */

import { z } from 'zod';
import type { JsonSchema } from './model-client.ts';

export type Shape =
  | {
      readonly ok: true;
      /** Why a value does not fit, in words; undefined when it fits. */
      problemOf(value: unknown): string | undefined;
    }
  | { readonly ok: false; readonly reason: string };

/** The most problems that are told of a value; a model needs no more to mend it. */
const MAX_TOLD = 5;

/** A project has few schemas and asks for each of them many times. */
const read = new WeakMap<JsonSchema, Shape>();

/** The schema as a check. A schema must not be changed after it was given. */
export function readShape(schema: JsonSchema): Shape {
  const known = read.get(schema);
  if (known !== undefined) return known;
  const shape = makeShape(schema);
  read.set(schema, shape);
  return shape;
}

function makeShape(schema: JsonSchema): Shape {
  let type: z.ZodType;
  try {
    // A registry of its own: the one that all schemas share would keep their names for ever.
    type = z.fromJSONSchema(schema, { registry: z.registry() });
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
  return {
    ok: true,
    problemOf(value) {
      try {
        const checked = type.safeParse(value);
        return checked.success ? undefined : problemsIn(checked.error);
      } catch (error) {
        if (error instanceof RangeError) return '$: it has too many levels to be checked';
        throw error;
      }
    },
  };
}

function problemsIn({ issues }: z.ZodError): string {
  const told = issues.slice(0, MAX_TOLD).map(({ path, message }) => `${['$', ...path].join('.')}: ${message}`);
  const more = issues.length > told.length ? [`and ${issues.length - told.length} more`] : [];
  return [...told, ...more].join('; ');
}

/**
 * Whether OpenAI's servers take the schema with `strict`, which binds the model to it: every object closed, every member
 * required, none of the keywords that their subset leaves out. They refuse any other schema with `strict`.
 */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, required, ...rest } = schema as Record<string, unknown>;
  const names = Object.keys(properties ?? {});
  const isObject = type === 'object' || properties !== undefined;
  if (isObject && rest['additionalProperties'] !== false) return false;
  if (isObject && !names.every((name) => Array.isArray(required) && required.includes(name))) return false;
  if (NOT_STRICT.some((keyword) => keyword in rest)) return false;
  const inside = [...Object.values(properties ?? {}), rest['items'], rest['anyOf']];
  const definitions = [rest['$defs'], rest['definitions']].flatMap((one) => Object.values(one ?? {}));
  return [...inside, ...definitions].every(isStrict);
}

/** https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas". */
const NOT_STRICT = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['patternProperties', 'propertyNames', 'unevaluatedProperties', 'minProperties', 'maxProperties'],
  // The guide does not list them, and the API answers "'maxLength' is not permitted".
  ...['minLength', 'maxLength'],
  ...['contains', 'uniqueItems', 'prefixItems', 'unevaluatedItems', 'default'],
];
