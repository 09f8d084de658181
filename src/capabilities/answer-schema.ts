/** Whether an answer fits the schema of its question, within a bounded time. */

import { z } from 'zod';
import { readSchema, type SchemaProblem } from './read-schema.ts';
import { createContext, Script } from 'node:vm';

/** A JSON Schema that answers can be checked against, or the problems for which it cannot be used. */
export type AnswerSchema =
  | {
      readonly ok: true;
      /** Why a value does not fit, in words; undefined when it fits. */
      problemOf(value: unknown): string | undefined;
    }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

/**
 * A value that fits a schema is seen in microseconds; a check that takes this long backtracks, or refers to itself
 * without end.
 */
const CHECK_MS = 500;
const MAX_TOLD = 5;

/**
 * Reads the schema of a question, so that answers can be checked against it.
 * `schema` is a JSON Schema (draft 2020-12), from the writer of the plan; anything may come. `withinMs` bounds the
 * reading of it, and each check of an answer.
 * @example
 * const schema = readAnswerSchema({ type: 'number', minimum: 0 });
 * if (schema.ok) schema.problemOf(-1); // '$: Too small: expected number to be >=0'
 */
export function readAnswerSchema(schema: unknown, withinMs = CHECK_MS): AnswerSchema {
  const read = readSchema(schema);
  if (!read.ok) return read;
  const made = withinTime(withinMs, () => convert(read.schema));
  if (!made.ok)
    return refuse(`reading it ${made.reason === 'too-long' ? 'takes too long' : 'goes too deep'}; make it smaller`);
  if (typeof made.value === 'string') return refuse(`it cannot be read (${made.value})`);
  const type = made.value;
  return {
    ok: true,
    problemOf(value) {
      const checked = withinTime(withinMs, () => type.safeParse(value));
      if (!checked.ok) {
        return `it cannot be checked: comparing it with the schema ${checked.reason === 'too-long' ? 'takes too long' : 'goes too deep'}`;
      }
      return checked.value.success ? undefined : problemsIn(checked.value.error);
    },
  };
}

/** A registry of its own: the one that all schemas share would keep their names for ever. */
function convert(schema: object): z.ZodType | string {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0], { registry: z.registry() });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return (error as Error).message;
  }
}

function refuse(message: string): AnswerSchema {
  return { ok: false, problems: [{ path: [], message }] };
}

function problemsIn({ issues }: z.ZodError): string {
  const told = issues.slice(0, MAX_TOLD).map(({ path, message }) => `${['$', ...path].join('.')}: ${message}`);
  const more = issues.length > told.length ? [`and ${issues.length - told.length} more`] : [];
  return [...told, ...more].join('; ');
}

export type TimedWork<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: 'too-long' | 'too-deep' };

/** A regular expression that backtracks is stopped only from another thread, which is what a script's timeout is. */
const SCRIPT = new Script('work()');
/** Made when it is first needed: most programs never check an answer. */
let context: { work: () => unknown } | undefined;

/** Runs synchronous work and stops it after `ms` milliseconds, or where it runs out of stack. Other errors pass. */
export function withinTime<T>(ms: number, work: () => T): TimedWork<T> {
  context ??= createContext({ work }) as { work: () => unknown };
  context.work = work;
  try {
    return { ok: true, value: SCRIPT.runInContext(context, { timeout: ms }) as T };
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      return { ok: false, reason: 'too-long' };
    }
    if (error instanceof RangeError) return { ok: false, reason: 'too-deep' };
    throw error;
  }
}
