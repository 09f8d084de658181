/** The JSON Schemas of a tool: judged by a kept validator within a bounded time, and told to models without their annotations. */

import { z } from 'zod';
import { withinTime } from '../../index.ts';
import { canonicalJson, type JsonValue } from '../../../plan/index.ts';
import { cutCharacters, oneLine, quote } from '../../../plan/text/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import { MOST_SCHEMA } from './settings.ts';

/** The problems of a value, by their places; empty where it fits. */
export type Judge = (value: unknown) => readonly SchemaProblem[];

export interface SchemaProblem {
  readonly path: readonly string[];
  readonly message: string;
}

export type ReadToolSchema =
  | { readonly ok: true; readonly judge: Judge }
  /** Why the schema cannot be used. */
  | { readonly ok: false; readonly problem: string };

/** A value that fits is seen in microseconds; a check that takes this long backtracks. */
const CHECK_MS = 500;
/** Checks that may take too long within this time; those after them are refused at once, so that plans cannot keep a worker busy. */
const MOST_SLOW = 10;
const SLOW_WITHIN_MS = 10_000;
const MOST_DEPTH = 64;
const MOST_PROBLEMS = 20;

/** @returns the judge of values, where the schema is one that can be checked */
export async function readToolSchema(schema: unknown): Promise<ReadToolSchema> {
  if (!isRecord(schema)) return { ok: false, problem: 'it is no object' };
  if (isDeep(schema, MOST_DEPTH)) return { ok: false, problem: `it is deeper than ${MOST_DEPTH} levels` };
  const size = JSON.stringify(schema).length;
  if (size > MOST_SCHEMA) return { ok: false, problem: `it has ${size} characters, at most ${MOST_SCHEMA}` };
  const problem = problemOf(schema);
  if (problem !== undefined) return { ok: false, problem };
  const { CfWorkerJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/cf-worker');
  try {
    const validate = new CfWorkerJsonSchemaValidator({ shortcircuit: false }).getValidator(schema);
    const judge = limited((value) => {
      const { valid, errorMessage } = validate(value);
      return valid ? [] : problemsIn(errorMessage ?? 'it does not fit the schema');
    });
    const made = withinTime(CHECK_MS, () => void validate({}));
    return made.ok ? { ok: true, judge } : { ok: false, problem: 'it refers to itself without end' };
  } catch (error) {
    return { ok: false, problem: oneLine((error as Error).message) };
  }
}

function limited(judge: Judge): Judge {
  const slow: number[] = [];
  const refuse = (message: string) => [{ path: [], message: `it cannot be checked: ${message}` }];
  return (value) => {
    while (Date.now() - (slow[0] ?? Infinity) > SLOW_WITHIN_MS) slow.shift();
    if (slow.length >= MOST_SLOW) return refuse('other arguments took too long; try again in a moment');
    const checked = withinTime(CHECK_MS, () => {
      try {
        return judge(value);
      } catch (error) {
        if (error instanceof RangeError) throw error;
        return refuse(oneLine((error as Error).message));
      }
    });
    if (checked.ok) return checked.value;
    slow.push(Date.now());
    return refuse(`comparing it with the schema ${checked.reason === 'too-long' ? 'takes too long' : 'goes too deep'}`);
  };
}

/** Each line of the validator is `#/place: sentence`; those that only say that something below does not fit are left out. */
function problemsIn(text: string): readonly SchemaProblem[] {
  const problems = new Map<string, string>();
  for (const line of text.split(/; (?=#)/)) {
    const [, place = '', message = line] = /^#(\S*?): (.*)$/s.exec(line) ?? [];
    if (/^(?:Property "|Items did not match|A subschema had errors)/.test(message)) continue;
    const isUnknown = message.startsWith('False boolean schema');
    if (isUnknown && problems.has(place)) continue;
    problems.set(place, isUnknown ? 'it is no argument here; take it out' : cutCharacters(oneLine(message), 300));
  }
  if (problems.size === 0) problems.set('', cutCharacters(oneLine(text), 300));
  return [...problems].slice(0, MOST_PROBLEMS).map(([place, message]) => ({ path: partsOf(place), message }));
}

function partsOf(place: string): readonly string[] {
  return place
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A zod type that a judge checks, and that is shown as the schema without what the server says beside it. */
export function typeOf(schema: Readonly<Record<string, unknown>>, judge: Judge): z.ZodType<Record<string, JsonValue>> {
  const type = z.unknown().transform((value, context) => {
    for (const { path, message } of judge(value)) context.addIssue({ code: 'custom', path: [...path], message });
    return value as Record<string, JsonValue>;
  });
  const { $schema: _, ...shown } = withoutNotes(schema) as Record<string, unknown>;
  // zod writes into what it is given.
  type._zod.toJSONSchema = () => structuredClone(shown);
  return type;
}

/** Keywords that check nothing, and may hold anything. */
const NOTES = ['title', 'description', '$comment', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly', '$id'];

function withoutNotes(schema: unknown, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withoutNotes(one));
  if (!isRecord(schema)) return schema;
  const kept = Object.entries(schema).filter(([key]) => isNames || !NOTES.includes(key));
  const NAMED = ['properties', '$defs', 'definitions', 'patternProperties'];
  return Object.fromEntries(
    kept.map(([key, value]) => {
      const isValues = !isNames && (key === 'enum' || key === 'const');
      return [key, isValues ? value : withoutNotes(value, !isNames && NAMED.includes(key))];
    }),
  );
}

/** The descriptions of the arguments, in a line. */
export function notesOf({ properties }: Readonly<Record<string, unknown>>): string {
  const notes = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, one]) =>
    isRecord(one) && typeof one['description'] === 'string' ? [`${name}: ${oneLine(one['description'])}`] : [],
  );
  return notes.length === 0 ? '' : ` Arguments: ${notes.join('; ')}`;
}

/** @throws TypeError of a value that JSON cannot hold, such as a text with half a surrogate pair */
export function canonical(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as JsonValue);
}

/** A reference out of the schema, which nobody follows, and a pattern that is none. */
function problemOf(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { $ref: reference, pattern } = schema as { readonly $ref?: unknown; readonly pattern?: unknown };
  if (typeof reference === 'string' && !reference.startsWith('#')) {
    return `it refers to ${quote(cutCharacters(reference, 100))}, and is to hold everything itself`;
  }
  if (typeof pattern === 'string') {
    try {
      RegExp(pattern, 'u');
    } catch (error) {
      return oneLine((error as Error).message);
    }
  }
  for (const one of Object.values(schema)) {
    const problem = problemOf(one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1));
}
