/**
 * Makes a capability's schema refuse keys that it would drop: `z.object({ q })` parses `{ q, current }` into `{ q }`.
 */

import { z } from 'zod';

type Schema = z.core.$ZodType;
type Definition = Readonly<Record<string, unknown>> & { readonly type?: string };

const strictSchemas = new WeakMap<Schema, Schema>();

/**
 * The schema with each of its objects strict, unless its author keeps other keys. Results of transforms stay, and so do
 * `catch` schemas, which would hide the refusal.
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

/** @param other the other side of an intersection: each may keep what the other drops of a shared member */
function strictObject(schema: Schema, other?: Schema): Schema {
  const { shape, catchall } = schema._zod.def as Partial<z.core.$ZodObjectDef>;
  if (shape === undefined) return schema;
  const { shape: others = {} } = (other?._zod.def ?? {}) as Partial<z.core.$ZodObjectDef>;
  return withParts(schema, {
    // A getter: a schema may contain itself.
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
