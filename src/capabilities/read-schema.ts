/**
 * Reads a JSON Schema (draft 2020-12) for answers. It keeps the keywords that are checked and refuses all that would be
 * passed over in silence, so that a schema means to the run what it means to the one who wrote it.
 */

import { describe, isRecord } from '../protocol/index.ts';
import { ANNOTATIONS, isList, isSchema, JSON_TYPES, KEYWORDS, type JsonType } from './schema-keywords.ts';

export interface SchemaProblem {
  readonly path: Path;
  readonly message: string;
}

export type ReadSchema =
  /** Only what is checked, without annotations. */
  | { readonly ok: true; readonly schema: SchemaObject }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

type SchemaObject = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** The state that the reading of one schema shares. */
interface Reading {
  readonly definitions: SchemaObject;
  report(path: Path, message: string): undefined;
}

const MAX_DEPTH = 32;
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
/** A schema that has one of them says all with it; beside them zod overlooks other keywords. */
const FORMS = ['$ref', 'anyOf', 'oneOf', 'enum', 'const'] as const;
const REFERENCE = /^#(?:\/\$defs\/([\w.-]+))?$/;

/** All problems are told at once, with the keys of their place. */
export function readSchema(written: unknown): ReadSchema {
  if (!isRecord(written)) {
    const message = `expected a JSON Schema as an object, got ${describe(written)}`;
    return { ok: false, problems: [{ path: [], message }] };
  }
  const { $schema = DRAFT, $defs = {}, ...root } = written;
  const problems: SchemaProblem[] = [];
  const definitions = isRecord($defs) ? $defs : {};
  const reading: Reading = { definitions, report: (path, message) => void problems.push({ path, message }) };
  if ($schema !== DRAFT) reading.report(['$schema'], `expected ${DRAFT}, got ${describe($schema)}`);
  if (!isRecord($defs)) reading.report(['$defs'], `expected an object of schemas, got ${describe($defs)}`);
  const schema = keepSchema(root, [], 0, reading) as SchemaObject;
  const kept = keepMembers(definitions, ['$defs'], 0, reading);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, schema: Object.keys(kept).length === 0 ? schema : { ...schema, $defs: kept } };
}

/** The schema without annotations; undefined where it cannot be read. */
function keepSchema(schema: unknown, path: Path, depth: number, reading: Reading): unknown {
  if (typeof schema === 'boolean') return schema;
  if (depth > MAX_DEPTH)
    return reading.report(path, `schemas are nested deeper than ${MAX_DEPTH} levels; flatten them`);
  if (!isRecord(schema)) return reading.report(path, `expected a schema, got ${describe(schema)}`);
  const form = FORMS.find((key) => Object.hasOwn(schema, key));
  if (form === undefined) return keepTyped(schema, path, depth, reading);
  const hasValues = form === 'enum' || form === 'const';
  const beside = said(schema).filter((key) => key !== form && !(hasValues && key === 'type'));
  if (beside.length > 0) {
    reading.report(path, `${beside.join(', ')} beside ${form} would not be checked; take it out, or put it inside`);
  }
  if (hasValues) return keepValues(schema, form, path, reading);
  const at = [...path, form];
  if (form === '$ref') return { $ref: keepReference(schema[form], at, reading) };
  const choices = schema[form];
  if (!isList(choices) || choices.length === 0) {
    return reading.report(at, `expected a list of schemas, at least one, got ${describe(choices)}`);
  }
  return { [form]: choices.map((one, index) => keepSchema(one, [...at, index], depth + 1, reading)) };
}

function keepTyped(schema: SchemaObject, path: Path, depth: number, reading: Reading): SchemaObject {
  const types = readTypes(schema['type'], [...path, 'type'], reading);
  const kept: Record<string, unknown> = types === undefined ? {} : { type: schema['type'] };
  for (const key of said(schema)) {
    if (key !== 'type') kept[key] = keepKeyword(key, schema[key], types ?? [], [...path, key], depth, reading);
  }
  const properties = isRecord(kept['properties']) ? kept['properties'] : {};
  const required = isList(kept['required']) ? kept['required'] : [];
  for (const name of required) {
    if (Object.hasOwn(properties, name as string)) continue;
    reading.report([...path, 'required'], `it names ${describe(name)}, which is not in properties; describe it there`);
  }
  // A list without items: zod passes over its bounds.
  if (types?.includes('array') === true) kept['items'] ??= true;
  return kept;
}

function keepKeyword(
  key: string,
  value: unknown,
  types: readonly JsonType[],
  path: Path,
  depth: number,
  reading: Reading,
): unknown {
  const keyword = Object.hasOwn(KEYWORDS, key) ? KEYWORDS[key] : undefined;
  if (keyword === undefined) return reading.report(path, `${key} is not checked; take it out, or say it otherwise`);
  if (!keyword.fits(value)) return reading.report(path, `expected ${keyword.expected}, got ${describe(value)}`);
  if (!types.some((type) => keyword.of.includes(type))) {
    const message = `${key} constrains values of type ${keyword.of.join(' or ')}; say so with "type"`;
    return reading.report(path, message);
  }
  switch (keyword.holds) {
    case 'schema':
      return keepSchema(value, path, depth + 1, reading);
    case 'list':
      return (value as readonly unknown[]).map((one, index) => keepSchema(one, [...path, index], depth + 1, reading));
    case 'members':
      return keepMembers(value as SchemaObject, path, depth + 1, reading);
    default:
      return value;
  }
}

function keepMembers(schemas: SchemaObject, path: Path, depth: number, reading: Reading): SchemaObject {
  if (Object.hasOwn(schemas, '__proto__')) reading.report(path, 'no member can be named __proto__; name it otherwise');
  const entries = Object.entries(schemas);
  return Object.fromEntries(entries.map(([name, one]) => [name, keepSchema(one, [...path, name], depth + 1, reading)]));
}

function keepValues(schema: SchemaObject, form: 'enum' | 'const', path: Path, reading: Reading): unknown {
  const values = form === 'const' ? [schema['const']] : schema['enum'];
  const at = [...path, form];
  if (!isList(values) || values.length === 0 || !values.every(isScalar)) {
    return reading.report(at, 'expected texts, numbers, true, false or null; of lists and objects say the type');
  }
  const types = readTypes(schema['type'], [...path, 'type'], reading);
  const misfit = types === undefined ? -1 : values.findIndex((value) => !types.some((type) => isOfType(value, type)));
  if (misfit !== -1) reading.report(at, `${describe(values[misfit])} is not of the type that stands beside it`);
  return { enum: values };
}

function keepReference(value: unknown, path: Path, { definitions, report }: Reading): unknown {
  const match = typeof value === 'string' ? REFERENCE.exec(value) : null;
  const name = match?.[1];
  if (match !== null && (name === undefined || (Object.hasOwn(definitions, name) && isSchema(definitions[name])))) {
    return value;
  }
  return report(path, `expected "#" or "#/$defs/NAME" of a schema that is there, got ${describe(value)}`);
}

function readTypes(value: unknown, path: Path, reading: Reading): readonly JsonType[] | undefined {
  if (value === undefined) return undefined;
  const types: readonly unknown[] = isList(value) ? value : [value];
  // Types that repeat would double the work at every level.
  const isOnce = new Set(types).size === types.length && types.length > 0;
  if (isOnce && types.every((type) => JSON_TYPES.includes(type as JsonType))) return types as readonly JsonType[];
  return reading.report(
    path,
    `expected one of ${JSON_TYPES.join(', ')}, or a list of them, each once, got ${describe(value)}`,
  );
}

function said(schema: SchemaObject): readonly string[] {
  return Object.keys(schema).filter((key) => !ANNOTATIONS.has(key));
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function isOfType(value: unknown, type: JsonType): boolean {
  if (type === 'null') return value === null;
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
