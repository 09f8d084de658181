/** The limits of a question, checked where it is made: a run must not wait for an answer that nobody can give. */

import { z } from 'zod';
import { canonicalJson, type JsonValue } from '../../plan/index.ts';
import {
  describe,
  durationMs,
  isRecord,
  MAX_QUESTION_BYTES,
  MAX_QUESTION_TEXT,
  type Question,
} from '../../protocol/index.ts';
import { isWords, readAnswerSchema, readArguments } from '../index.ts';

/** What is wrong with a question: its place, and a sentence. */
export interface QuestionProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A valid question, or everything that is wrong with it. */
export type CheckedQuestion =
  | { readonly ok: true; readonly question: Question }
  | { readonly ok: false; readonly problems: readonly QuestionProblem[] };

const TEXT = `a text of 1 to ${MAX_QUESTION_TEXT} characters that is not blank`;
const TIME = 'milliseconds from 1 to 365 days';
const ROLES = 'a list of roles, at least one, none of them blank';
const FIELDS = z.strictObject({
  text: z.custom((text) => isWords(text) && text.length <= MAX_QUESTION_TEXT, TEXT),
  schema: z.unknown().optional(),
  default: z.unknown().optional(),
  deadlineMs: z.custom((ms) => typeof ms === 'number' && durationMs(ms) !== undefined, TIME).optional(),
  roles: z.custom((roles) => Array.isArray(roles) && roles.length > 0 && roles.every(isWords), ROLES).optional(),
  suggestions: z.array(z.unknown(), 'a list of answers').optional(),
} satisfies Record<keyof Question, z.ZodType>);

/**
 * A capability in plain JavaScript may return anything; all problems are reported together.
 * @example checkQuestion({ text: ' ' }); // { ok: false, problems: [{ path: ['text'], message: 'expected a text of ...' }] }
 */
export function checkQuestion(value: unknown): CheckedQuestion {
  if (!isRecord(value)) return refuse([], `expected a question { text, ... }, got ${describe(value)}`);
  const json = jsonOf(value);
  if (json === undefined) return refuse([], 'it is no JSON; build it of texts, numbers, lists and plain objects');
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_QUESTION_BYTES) {
    return refuse([], `it takes ${bytes} bytes as JSON, at most ${MAX_QUESTION_BYTES}; put what is long into a result`);
  }
  const question = JSON.parse(json) as Record<string, unknown>;
  const problems = [...fieldProblems(question), ...answerProblems(question)];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, question: question as unknown as Question };
}

function fieldProblems(question: Record<string, unknown>): QuestionProblem[] {
  const read = readArguments(FIELDS, question as JsonValue);
  return (read.ok ? [] : read.problems).map(({ path, message, got, code, expected = [] }) => {
    const known = `unknown key; known are ${[expected].flat().join(', ')}`;
    return { path, message: code === undefined ? `expected ${message}, got ${got}` : known };
  });
}

/** Checks the schema, and compares the offered answers with it. */
function answerProblems({ schema, default: given, suggestions }: Record<string, unknown>): QuestionProblem[] {
  if (schema === undefined) return [];
  const answers = readAnswerSchema(schema);
  if (!answers.ok) return answers.problems.map(({ path, message }) => ({ path: ['schema', ...path], message }));
  const offered: (readonly [QuestionProblem['path'], unknown])[] = given === undefined ? [] : [[['default'], given]];
  if (Array.isArray(suggestions)) offered.push(...suggestions.map((one, i) => [['suggestions', i], one] as const));
  for (const [path, answer] of offered) {
    const problem = answers.problemOf(answer);
    // A slow check of an answer would be slow for the next one too.
    if (problem !== undefined) return [{ path, message: `it does not fit the schema (${problem})` }];
  }
  return [];
}

/** JSON.stringify refuses circles and too deep values, the canonical form refuses values that are no JSON. */
function jsonOf(question: Readonly<Record<string, unknown>>): string | undefined {
  try {
    JSON.stringify(question);
    const present = Object.entries(question).filter(([, value]) => value !== undefined);
    return canonicalJson(Object.fromEntries(present) as JsonValue);
  } catch {
    return undefined;
  }
}

function refuse(path: QuestionProblem['path'], message: string): CheckedQuestion {
  return { ok: false, problems: [{ path, message }] };
}
