/** The one way in which arguments meet the schema of their capability: in a plan, at a call, and when a result has brought them. */

import type { z } from 'zod';
import { describe } from '../protocol/index.ts';
import { didYouMean, type ArgumentProblem, type JsonValue } from '../plan/index.ts';
import { listNames, quote } from '../plan/text/index.ts';
import { strictly } from './strict-schema.ts';

/** The arguments as the schema gives them, with its defaults; or all their problems. */
export type ArgumentsRead =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly ArgumentProblem[] };

/** Unknown keys of one object that are told. */
const MOST_UNKNOWN = 20;
const ISSUE_OF_KEYS = 'unrecognized_keys';

/**
 * A key that the schema would drop is a problem: the capability must be given exactly the arguments that are shown and
 * approved.
 * @example readArguments(z.object({ q: z.number() }), { q: 1, current: 9 }); // a problem at ['current']
 */
export function readArguments(input: z.ZodType, args: JsonValue): ArgumentsRead {
  // zod hands on no key of this name, and refuses it in strict objects alone.
  if (JSON.stringify(args)?.includes('"__proto__":')) return { ok: false, problems: [unknown(['__proto__'], [])] };
  return readStrictly(input, args);
}

function readStrictly(schema: z.ZodType, value: unknown): ArgumentsRead {
  const parsed = strictly(schema).safeParse(value, { error: knownKeys });
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, value)) };
}

/**
 * What is wrong with a declaration of a project, in one sentence: those in plain JavaScript are not held to their types.
 * @param schema its messages go on behind the name of a field, such as `is a list`
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

/** A text that is not blank, for schemas of declarations. */
export function isWords(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The message of an issue of unknown keys is those that are known. */
function knownKeys({ code, inst }: z.core.$ZodRawIssue): string | undefined {
  const { shape = {} } = (inst?._zod.def ?? {}) as { readonly shape?: object };
  return code === ISSUE_OF_KEYS ? JSON.stringify(Object.keys(shape)) : undefined;
}

function problemsOf(issue: z.core.$ZodIssue, args: unknown): readonly ArgumentProblem[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  if (issue.code === ISSUE_OF_KEYS) {
    const known = knownIn(issue.message);
    return issue.keys.slice(0, MOST_UNKNOWN).map((key) => unknown([...path, key], known));
  }
  // Of the options of a union the one that only has too many keys was meant.
  const meant =
    issue.code === 'invalid_union'
      ? issue.errors.find((all) => all.every(({ code }) => code === ISSUE_OF_KEYS))
      : undefined;
  if (meant !== undefined)
    return meant.flatMap((one) => problemsOf({ ...one, path: [...issue.path, ...one.path] }, args));
  const got = path.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], args);
  const expected = 'expected' in issue ? { expected: String(issue.expected) } : {};
  return [{ path, message: issue.message, got: describe(got), ...expected }];
}

/** The author of a schema may have a message of their own. */
function knownIn(message: string): readonly string[] {
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
