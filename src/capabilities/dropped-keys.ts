/**
 * The keys that a schema takes in and does not hand on: `z.object({ q })` parses `{ q, current }` into `{ q }`. Transforms,
 * defaults and coercions are no loss: the author of the schema wrote them.
 */

import { z } from 'zod';

export interface DroppedKey {
  /** The keys down to it; it is the last. */
  readonly path: readonly (string | number)[];
  /** The keys that the schema knows beside it. */
  readonly known: readonly string[];
}

type Path = DroppedKey['path'];
type Schema = z.core.$ZodType;

/** The most levels of schemas around one value, such as a `lazy` that gives itself; keys below them count as taken. */
const MAX_LEVELS = 100;

/**
 * Judged by what the schema reads, level by level, never by what it gives. A kind of schema that is not known here takes all.
 * @param value JSON; what the schema refuses in it is told by parsing
 * @example droppedKeys(z.object({ q: z.number() }), { q: 1, current: 9 }); // [{ path: ['current'], known: ['q'] }]
 */
export function droppedKeys(
  schema: Schema,
  value: unknown,
  path: Path = [],
  levels = MAX_LEVELS,
): readonly DroppedKey[] {
  if (typeof value !== 'object' || value === null || levels === 0) return NONE;
  const def = (schema as Partial<z.core.$ZodTypes>)._zod?.def;
  const same = (inner: Schema) => droppedKeys(inner, value, path, levels - 1);
  const each = (innerOf: (key: string) => Schema | undefined | null, known: readonly string[] = []) =>
    Object.entries(value).flatMap(([key, member]) => {
      const at = [...path, Array.isArray(value) ? Number(key) : key];
      const inner = innerOf(key);
      // zod never hands on a key of this name.
      if (inner === undefined || key === '__proto__') return [{ path: at, known }];
      return inner === null ? NONE : droppedKeys(inner, member, at);
    });
  switch (def?.type) {
    case 'object': {
      const { shape, catchall } = def;
      const rest = catchall?._zod.def.type === 'never' ? undefined : catchall;
      return Array.isArray(value)
        ? NONE
        : each((key) => (Object.hasOwn(shape, key) ? shape[key] : rest), Object.keys(shape));
    }
    case 'record':
      return Array.isArray(value) ? NONE : each((key) => (fitsKey(def, key) ? def.valueType : null));
    case 'array':
      return Array.isArray(value) ? each(() => def.element) : NONE;
    case 'tuple':
      return Array.isArray(value) ? each((key) => def.items[Number(key)] ?? def.rest) : NONE;
    case 'union': {
      // The first that fits is the one that is taken; where none fits, parsing says so.
      const taken = def.options.find((option) => fits(option, value));
      return taken === undefined ? NONE : same(taken);
    }
    case 'intersection':
      return droppedByBoth(same(def.left), same(def.right));
    case 'pipe':
      return same(def.in);
    case 'lazy':
      return same(def.getter());
    case 'catch':
      return fits(def.innerType, value) ? same(def.innerType) : NONE;
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'readonly':
      return same(def.innerType);
    default:
      return NONE;
  }
}

const NONE: readonly DroppedKey[] = [];

function fits(schema: Schema, value: unknown): boolean {
  return z.core.safeParse(schema, value).success;
}

/** A loose record hands on a key that does not fit as it is; any other refuses it. */
function fitsKey({ mode, keyType }: z.core.$ZodRecordDef, key: string): boolean {
  return mode !== 'loose' || fits(keyType, key) || (key.trim() !== '' && fits(keyType, Number(key)));
}

/**
 * Both sides parse the same value and their results are merged: a key is lost where neither hands it on, or the object
 * that it is in.
 */
function droppedByBoth(left: readonly DroppedKey[], right: readonly DroppedKey[]): readonly DroppedKey[] {
  const lost = new Map<string, DroppedKey>();
  for (const [side, other] of [[left, right] as const, [right, left] as const]) {
    const others = new Map(other.map((one) => [nameOf(one.path), one]));
    for (const { path, known } of side) {
      const prefixes = path.map((_, at) => nameOf(path.slice(0, at + 1)));
      if (!prefixes.some((name) => others.has(name))) continue;
      const same = others.get(nameOf(path))?.known ?? [];
      lost.set(nameOf(path), { path, known: [...new Set([...known, ...same])] });
    }
  }
  return [...lost.values()];
}

function nameOf(path: Path): string {
  return JSON.stringify(path);
}
