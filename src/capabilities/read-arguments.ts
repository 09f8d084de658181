/** Checks arguments by their capability's schema: in a plan, at a call, and after results were inserted. */

import { z } from 'zod';
import { describe, isRecord } from '../protocol/index.ts';
import { didYouMean, exactJson, type ArgumentProblem, type JsonValue } from '../plan/index.ts';
import { listNames, quote } from '../plan/text/index.ts';

/** The arguments with the defaults of the schema, or all their problems. */
export type ArgumentsRead =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly ArgumentProblem[] };

const MAX_UNKNOWN = 20;
const ISSUE_OF_KEYS = 'unrecognized_keys';

/**
 * Checks arguments against a schema and adds defaults. A key that the schema would drop is a problem, since a
 * capability must get exactly the approved arguments.
 * @example
 * readArguments(z.object({ q: z.number() }), { q: 1, current: 9 }); // a problem at ['current']
 */
export function readArguments(input: z.ZodType, args: JsonValue): ArgumentsRead {
  if (JSON.stringify(args)?.includes('"__proto__":')) return { ok: false, problems: [unknown(['__proto__'], [])] };
  return readStrictly(input, args);
}

const MAX_REPAIRS = 20;

interface Meant {
  readonly meant: JsonValue;
  readonly repairs: readonly ArgumentProblem[];
  readonly problems: readonly ArgumentProblem[];
}

/** Repairs arguments: an optional `null` is removed, and a text with the JSON of the expected value is parsed. */
export function readMeant(input: z.ZodType, args: JsonValue): Meant {
  const repairs: ArgumentProblem[] = [];
  const tried = new Set<string>();
  let repaired = args;
  let read = readArguments(input, args);
  while (!read.ok && tried.size < MAX_REPAIRS) {
    const next = read.problems.find(({ path, code }) => code === undefined && !tried.has(placeOf(path)));
    if (next === undefined) break;
    const place = placeOf(next.path);
    tried.add(place);
    const repair = repairAt(repaired, next.path);
    const again = repair && readArguments(input, repair.value);
    if (again === undefined || (!again.ok && again.problems.some(({ path }) => placeOf(path) === place))) continue;
    [repaired, read] = [repair!.value, again];
    repairs.push({ code: 'repaired-syntax', path: next.path, message: repair!.message });
  }
  return { meant: repaired, repairs, problems: read.ok ? [] : read.problems };
}

function placeOf(path: ArgumentProblem['path']): string {
  return JSON.stringify(path);
}

/** The problems of arguments after repairs. Each repair is a warning with all repaired arguments as `meant`. */
export function checkArguments(input: z.ZodType, args: JsonValue): readonly ArgumentProblem[] {
  const { meant, repairs, problems } = readMeant(input, args);
  return [...repairs.map((one) => ({ ...one, meant })), ...problems];
}

function repairAt(whole: JsonValue, path: ArgumentProblem['path']): { value: JsonValue; message: string } | undefined {
  const value = structuredClone(whole);
  const key = path.at(-1);
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], value);
  const found = key === undefined ? value : (holder as Record<string, JsonValue> | undefined)?.[key];
  if (found === null && key === undefined) return { value: {}, message: 'null is read as no arguments.' };
  if (found === null && isRecord(holder)) {
    Reflect.deleteProperty(holder, key!);
    return { value, message: 'null is read as nothing, and the argument is left out.' };
  }
  const read = typeof found === 'string' ? exactJson(found) : undefined;
  if (read === undefined || typeof read === 'string') return undefined;
  if (key !== undefined) Reflect.set(holder as object, key, read);
  return {
    value: key === undefined ? (read as JsonValue) : value,
    message: `The text ${describe(found)} is read as ${describe(read)}, which is wanted here.`,
  };
}

export function readStrictly(schema: z.ZodType, value: unknown): ArgumentsRead {
  const parsed = strictly(schema).safeParse(value, { error: knownKeysMessage });
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, value)) };
}

/**
 * The problem of a declaration in a project. Types do not protect callers in plain JavaScript.
 * @param schema a schema whose messages continue the name of a field, such as `is a list`
 */
export function declarationProblem(schema: z.ZodType, declaration: unknown): string | undefined {
  const read = readStrictly(schema, declaration);
  const [problem] = read.ok ? [] : read.problems;
  if (problem === undefined) return undefined;
  const { path, message, code, expected = [], got } = problem;
  const field = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
  if (code === undefined) return `${field} ${message}, not ${got}`;
  return `there is no ${field}; known are ${[expected].flat().join(', ')}`;
}

export function isWords(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

const COUNT = 'is a whole number from 1';
export const count = z.int(COUNT).min(1, COUNT).optional();

export function objectOf(fields: string) {
  return { error: ({ code }: z.core.$ZodRawIssue) => (code === 'invalid_type' ? `is { ${fields} }` : undefined) };
}

function knownKeysMessage({ code, inst }: z.core.$ZodRawIssue): string | undefined {
  const { shape = {} } = (inst?._zod.def ?? {}) as { readonly shape?: object };
  return code === ISSUE_OF_KEYS ? JSON.stringify(Object.keys(shape)) : undefined;
}

function problemsOf(issue: z.core.$ZodIssue, args: unknown): readonly ArgumentProblem[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  if (issue.code === ISSUE_OF_KEYS) {
    const known = keysInMessage(issue.message);
    return issue.keys.slice(0, MAX_UNKNOWN).map((key) => unknown([...path, key], known));
  }
  // If one of several options fails only because of unknown keys, the author meant this option.
  const option =
    issue.code === 'invalid_union'
      ? issue.errors.find((all) => all.every(({ code }) => code === ISSUE_OF_KEYS))
      : undefined;
  if (option !== undefined)
    return option.flatMap((one) => problemsOf({ ...one, path: [...issue.path, ...one.path] }, args));
  const got = path.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], args);
  const expected = 'expected' in issue ? { expected: String(issue.expected) } : {};
  return [{ path, message: issue.message, got: describe(got), ...expected }];
}

function keysInMessage(message: string): readonly string[] {
  try {
    return JSON.parse(message) as readonly string[];
  } catch {
    return [];
  }
}

function unknown(path: ArgumentProblem['path'], known: readonly string[]): ArgumentProblem {
  const key = String(path.at(-1));
  const keys = known.length === 0 ? 'Take it out.' : `Use ${listNames(known)}, or take it out.`;
  return {
    code: 'unknown-argument',
    path,
    message: `${quote(key)} is no argument here.${didYouMean(key, known)} ${keys}`,
    got: key,
    ...(known.length > 0 && { expected: known }),
  };
}

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

/** @param other the other side of an intersection. A member that both sides have stays as it is */
function strictObject(schema: Schema, other?: Schema): Schema {
  const { shape, catchall } = schema._zod.def as Partial<z.core.$ZodObjectDef>;
  if (shape === undefined) return schema;
  const { shape: others = {} } = (other?._zod.def ?? {}) as Partial<z.core.$ZodObjectDef>;
  return withParts(schema, {
    // A schema may contain itself, so members are computed only when needed.
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
