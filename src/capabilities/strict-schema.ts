/** Makes a schema reject unknown keys. By default, `z.object({ q })` drops `current` from `{ q, current }`. */

import { z } from 'zod';

type Schema = z.core.$ZodType;
type Definition = Readonly<Record<string, unknown>> & { readonly type?: string };

const strictSchemas = new WeakMap<Schema, Schema>();

/**
 * Makes all objects of a schema strict, except those that keep other keys on purpose, results of transforms, and
 * schemas with `catch`, which would hide the error.
 */
export function strictly<Known extends Schema>(schema: Known): Known {
  const made = strictSchemas.get(schema) ?? remade(schema);
  strictSchemas.set(schema, made);
  return made as Known;
}

function remade(schema: Schema): Schema {
  const def = (schema as Partial<Schema>)._zod?.def as Definition | undefined;
  if (def === undefined || def.type === 'catch') return schema;
  switch (def.type) {
    case 'pipe':
      return withParts(schema, { in: strictPart(def['in']) });
    case 'lazy':
      return withParts(schema, { getter: () => strictly((def['getter'] as () => Schema)()), _cachedInner: undefined });
    case 'object':
      return strictObject(schema);
    case 'intersection': {
      const { left, right } = def as unknown as z.core.$ZodIntersectionDef;
      return withParts(schema, { left: strictObject(left, right), right: strictObject(right, left) });
    }
    default: {
      const parts = Object.keys(def).filter((key) => key !== 'checks' && strictPart(def[key]) !== def[key]);
      if (parts.length === 0) return schema;
      return withParts(schema, Object.fromEntries(parts.map((key) => [key, strictPart(def[key])])));
    }
  }
}

/** @param other the other side of an intersection: each side accepts keys of a member that the sides share */
function strictObject(schema: Schema, other?: Schema): Schema {
  const { shape, catchall } = schema._zod.def as Partial<z.core.$ZodObjectDef>;
  if (shape === undefined) return schema;
  const { shape: others = {} } = (other?._zod.def ?? {}) as Partial<z.core.$ZodObjectDef>;
  return withParts(schema, {
    // Computes the members only when they are needed, since a schema may contain itself.
    get shape() {
      const members = Object.entries(shape);
      return Object.fromEntries(members.map(([key, one]) => [key, Object.hasOwn(others, key) ? one : strictly(one)]));
    },
    catchall: strictPart(catchall ?? z.never()),
  });
}

function strictPart(part: unknown): unknown {
  if (isSchema(part)) return strictly(part);
  if (!Array.isArray(part) || !part.every(isSchema)) return part;
  const made = part.map(strictly);
  return made.every((one, at) => one === part[at]) ? part : made;
}

function withParts(schema: Schema, parts: object): Schema {
  return z.core.clone(schema, z.core.util.mergeDefs(schema._zod.def, parts) as Schema['_zod']['def']);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && '_zod' in value;
}
