/** Reads untrusted JSON Schemas of answers and tools. The library ajv checks values by them, within a time limit. */

import { createRequire } from 'node:module';
import { createContext, Script } from 'node:vm';
import type { Ajv, ErrorObject, Options } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, isDeeperThan, isRecord } from '../protocol/index.ts';
import { briefJson, cutCharacters, messageOf, oneLine } from '../plan/text/index.ts';

export interface SchemaProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** A check of values by a schema, or the problems of a schema that cannot be used. */
export type ReadSchema =
  | { readonly ok: true; problemsOf(value: unknown): readonly SchemaProblem[] }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

/** A JSON Schema for answers, or the problems of a schema that cannot be used. */
export type AnswerSchema =
  | {
      readonly ok: true;
      problemOf(value: unknown): string | undefined;
    }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

/** Time limit of a check in ms. A valid value takes microseconds; a longer check may never end. */
const CHECK_MS = 500;
/**
 * Maximum number of slow checks within a period. Plans with more are rejected, so that they cannot keep a worker busy.
 */
const MAX_SLOW = 10;
const SLOW_WITHIN_MS = 10_000;
const MAX_CHARACTERS = 65_536;
const MAX_LEVELS = 64;
const MAX_PROBLEMS = 20;
const MAX_LISTED = 5;
const MAX_MESSAGE = 300;

const OPTIONS = {
  ...{ allErrors: true, verbose: true, allowUnionTypes: true, strictTuples: false, strictRequired: false },
  // Turns inlining off: if two definitions use each other twice, it doubles the generated code at each level.
  ...{ inlineRefs: false, multipleOfPrecision: 10 },
} satisfies Options;

/**
 * Reads the untrusted JSON Schema (draft 2020-12) of a question; unknown keywords and formats are rejected. `withinMs`
 * limits the time to read it and the time of each check, in milliseconds.
 * @example
 * const schema = readAnswerSchema({ type: 'number', minimum: 0 });
 * if (schema.ok) schema.problemOf(-1); // '$: must be >= 0, got number -1'
 */
export function readAnswerSchema(schema: unknown, withinMs = CHECK_MS): AnswerSchema {
  const read = readSchema(schema, { isStrict: true, withinMs });
  if (!read.ok) return read;
  return {
    ok: true,
    problemOf(value) {
      const problems = read.problemsOf(value);
      const lines = problems.slice(0, MAX_LISTED).map(({ path, message }) => `${['$', ...path].join('.')}: ${message}`);
      const more = problems.length > lines.length ? [`and ${problems.length - lines.length} more`] : [];
      return problems.length === 0 ? undefined : [...lines, ...more].join('; ');
    },
  };
}

/** @param isStrict rejects keywords that ajv would ignore; the schema of a tool may have keywords of its server */
export function readSchema(
  schema: unknown,
  { isStrict = false, withinMs = CHECK_MS }: { readonly isStrict?: boolean; readonly withinMs?: number } = {},
): ReadSchema {
  if (!isRecord(schema)) return unusable(`expected a JSON Schema as an object, got ${describe(schema)}`);
  if (isDeeperThan(MAX_LEVELS, schema)) return unusable(`it is nested deeper than ${MAX_LEVELS} levels; flatten it`);
  const text = JSON.stringify(schema);
  if (text.length > MAX_CHARACTERS) return unusable(`it has ${text.length} characters, at most ${MAX_CHARACTERS}`);
  if (text.includes('"__proto__":')) return unusable('no member can be named __proto__; name it otherwise');
  const { $schema, ...own } = schema;
  const draft = typeof $schema === 'string' ? $schema : '2020-12';
  if (!/2020-12|2019-09|draft-0[67]/.test(draft))
    return unusable(`$schema: expected draft 2020-12, got ${describe($schema)}`);
  const isOld = draft.includes('draft-0') || /"items":\[/.test(text);
  const notes: string[] = [];
  const meta = metaOf(isOld);
  const made = withinTime(withinMs, () => {
    if (meta.validateSchema(own) !== true) return { problems: firstOfEach(problemsIn(meta.errors ?? [])) };
    const strict = isStrict ? 'log' : false;
    const options = { ...OPTIONS, strict, strictTypes: strict, meta: false, validateSchema: false } as const;
    const warn = (message: unknown) => void notes.push(String(message).replace('strict mode: ', ''));
    // Each schema has its own instance of ajv, since schemas must not share names.
    return { validate: ajvOf(isOld, { ...options, logger: { warn, log: warn, error: warn } }).compile(own) };
  });
  if (!made.ok) {
    return unusable(made.isOver ? `reading it ${made.reason}; make it smaller` : `it cannot be read: ${made.reason}`);
  }
  if ('problems' in made.value) return { ok: false, problems: made.value.problems };
  if (isStrict && notes.length > 0) return { ok: false, problems: notes.map((message) => ({ path: [], message })) };
  const { validate } = made.value;
  const slow: number[] = [];
  const unchecked = (why: string) => [{ path: [], message: `it cannot be checked: ${why}` }];
  return {
    ok: true,
    problemsOf(value) {
      while (Date.now() - (slow[0] ?? Infinity) > SLOW_WITHIN_MS) slow.shift();
      if (slow.length >= MAX_SLOW) return unchecked('other values took too long; try again in a moment');
      const checked = withinTime(withinMs, () => (validate(value) ? [] : problemsIn(validate.errors ?? [])));
      if (checked.ok) return checked.value;
      slow.push(Date.now());
      return unchecked(`comparing it with the schema ${checked.reason}`);
    },
  };
}

function unusable(message: string): Extract<ReadSchema, { ok: false }> {
  return { ok: false, problems: [{ path: [], message }] };
}

const require = createRequire(import.meta.url);
const metas = new Map<boolean, Ajv>();

function ajvOf(isOld: boolean, options: Options): Ajv {
  const { Ajv: Draft7 } = require('ajv') as { readonly Ajv: typeof Ajv };
  const { Ajv2020: Draft2020 } = require('ajv/dist/2020.js') as { readonly Ajv2020: typeof Ajv2020 };
  const { default: addFormats } = require('ajv-formats') as { readonly default: (ajv: Ajv) => Ajv };
  return addFormats(isOld ? new Draft7(options) : new Draft2020(options));
}

function metaOf(isOld: boolean): Ajv {
  const known = metas.get(isOld);
  if (known !== undefined) return known;
  const meta = ajvOf(isOld, { ...OPTIONS, logger: false });
  // The first check takes a hundred times as long as later checks, so it is made in advance.
  void meta.validateSchema({});
  metas.set(isOld, meta);
  return meta;
}

function firstOfEach(problems: readonly SchemaProblem[]): readonly SchemaProblem[] {
  const places = problems.map(({ path }) => path.join('/'));
  return problems.filter((_, at) => places.indexOf(places[at]!) === at);
}

function problemsIn(errors: readonly ErrorObject[]): readonly SchemaProblem[] {
  const below = errors.filter(({ keyword, params }) => !isSum(keyword, params));
  const problems = new Map<string, SchemaProblem>();
  for (const error of below.length > 0 ? below : errors) {
    const problem = problemOf(error);
    problems.set(JSON.stringify(problem), problem);
  }
  return [...problems.values()].slice(0, MAX_PROBLEMS);
}

function isSum(keyword: string, { passingSchemas }: ErrorObject['params']): boolean {
  return ['anyOf', 'if', 'propertyNames'].includes(keyword) || (keyword === 'oneOf' && !Array.isArray(passingSchemas));
}

function problemOf({ instancePath, keyword, message = '', params, data }: ErrorObject): SchemaProblem {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const stray = params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof stray === 'string') return { path: [...path, stray], message: 'it is not known here; take it out' };
  if (keyword === 'required') return { path: [...path, String(params['missingProperty'])], message: 'it is required' };
  const allowed = params['allowedValues'] ?? (keyword === 'const' ? [params['allowedValue']] : undefined);
  const words =
    allowed === undefined ? message : `must be ${(allowed as unknown[]).map((one) => briefJson(one)).join(' or ')}`;
  return { path, message: cutCharacters(oneLine(`${words}, got ${describe(data)}`), MAX_MESSAGE) };
}

type TimedWork<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string; readonly isOver: boolean };

/** Only another thread can stop a regular expression that backtracks. The timeout of a vm script uses one. */
const SCRIPT = new Script('work()');
let context: { work: () => unknown } | undefined;

/** Runs synchronous code and stops it after `ms` milliseconds, or if the stack overflows. */
function withinTime<T>(ms: number, work: () => T): TimedWork<T> {
  context ??= createContext({ work }) as { work: () => unknown };
  context.work = work;
  try {
    return { ok: true, value: SCRIPT.runInContext(context, { timeout: ms }) as T };
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      return { ok: false, reason: 'takes too long', isOver: true };
    }
    if (error instanceof RangeError) return { ok: false, reason: 'goes too deep', isOver: true };
    return { ok: false, reason: oneLine(messageOf(error)), isOver: false };
  }
}
