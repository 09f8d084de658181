/** The capability `ask` lets a person answer; the answer is its result. Every project has this capability. */

import { z } from 'zod';
import { type JsonValue, canonicalJson } from '../../plan/index.ts';
import {
  durationMs,
  type Question,
  describe,
  isRecord,
  MAX_QUESTION_BYTES,
  MAX_QUESTION_TEXT,
} from '../../protocol/index.ts';
import { defineCapability, isWords, readAnswerSchema, readArguments } from '../index.ts';

/** A problem of a question: the path to the wrong part, and what is wrong. */
export interface QuestionProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

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
 * Checks a question and reports all its problems together.
 * @example checkQuestion({ text: ' ' }); // { ok: false, problems: [{ path: ['text'], message: 'expected a text of ...' }] }
 */
export function checkQuestion(value: unknown): CheckedQuestion {
  if (!isRecord(value)) return failed([], `expected a question { text, ... }, got ${describe(value)}`);
  const json = jsonOf(value);
  if (json === undefined) return failed([], 'it is no JSON; build it of texts, numbers, lists and plain objects');
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_QUESTION_BYTES) {
    return failed([], `it takes ${bytes} bytes as JSON, at most ${MAX_QUESTION_BYTES}; put what is long into a result`);
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

function answerProblems({ schema, default: given, suggestions }: Record<string, unknown>): QuestionProblem[] {
  if (schema === undefined) return [];
  const answers = readAnswerSchema(schema);
  if (!answers.ok) return answers.problems.map(({ path, message }) => ({ path: ['schema', ...path], message }));
  const offered: (readonly [QuestionProblem['path'], unknown])[] = given === undefined ? [] : [[['default'], given]];
  if (Array.isArray(suggestions)) offered.push(...suggestions.map((one, i) => [['suggestions', i], one] as const));
  for (const [path, answer] of offered) {
    const problem = answers.problemOf(answer);
    // Stops at the first wrong answer, since a check that is slow for one would be slow for all.
    if (problem !== undefined) return [{ path, message: `it does not fit the schema (${problem})` }];
  }
  return [];
}

/** A question as JSON; undefined if it has a cycle, is too deep, or contains values that JSON lacks. */
function jsonOf(question: Readonly<Record<string, unknown>>): string | undefined {
  try {
    JSON.stringify(question);
    const present = Object.entries(question).filter(([, value]) => value !== undefined);
    return canonicalJson(Object.fromEntries(present) as JsonValue);
  } catch {
    return undefined;
  }
}

function failed(path: QuestionProblem['path'], message: string): CheckedQuestion {
  return { ok: false, problems: [{ path, message }] };
}

type Scalar = string | number | boolean | null;

export const ANSWER_ARGUMENTS = {
  /** The JSON Schema (draft 2020-12) of the answer. */
  schema: z.record(z.string(), z.unknown()).optional(),
  default: z.unknown().optional(),
  /** The time to answer: a duration such as `"2h"`, or milliseconds. */
  deadline: z
    .union([z.string(), z.number()])
    .refine(
      (value) => durationMs(value) !== undefined,
      'expected a duration such as "2h", or milliseconds, at most 365 days',
    )
    .optional(),
  /** The roles whose members see the question in their inbox. Default: everybody sees it. */
  roles: z.array(z.string()).optional(),
};

export interface AnswerArguments {
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  readonly default?: unknown;
  readonly deadline?: string | number | undefined;
  readonly roles?: readonly string[] | undefined;
}

const ARGUMENT_OF: Readonly<Record<string, string>> = {
  text: 'question',
  suggestions: 'options',
  deadlineMs: 'deadline',
};

const input = z
  .strictObject({
    question: z.string(),
    ...ANSWER_ARGUMENTS,
    /** Answers to choose from. Without a schema, the run accepts no other answer. */
    options: z
      .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .min(1)
      .optional(),
  })
  .superRefine((args, context) => reportProblems(toQuestion(args), ARGUMENT_OF, context));

export const ask = defineCapability({
  name: 'ask',
  kind: 'wait',
  description: 'Asks a person, and takes the answer as its result.',
  input,
  output: 'value',
  effect: 'read',
  execute: (task) => toQuestion(task.arguments),
});

export function reportProblems(
  question: Question,
  argumentOf: Readonly<Record<string, string>>,
  context: z.core.$RefinementCtx,
): void {
  const checked = checkQuestion(question);
  if (checked.ok) return;
  for (const { path, message } of checked.problems) {
    const [field, ...rest] = path;
    const at = field === undefined ? [] : [argumentOf[field] ?? field, ...rest];
    context.addIssue({ code: 'custom', path: at, message });
  }
}

export function answerFields({ schema, default: given, deadline, roles }: AnswerArguments): Omit<Question, 'text'> {
  const deadlineMs = durationMs(deadline);
  return {
    ...(schema !== undefined && { schema: schema as Readonly<Record<string, JsonValue>> }),
    ...(given !== undefined && { default: given as JsonValue }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(roles !== undefined && { roles }),
  };
}

function toQuestion({
  question,
  options,
  ...answer
}: AnswerArguments & { readonly question: string; readonly options?: readonly Scalar[] | undefined }): Question {
  const fields = answerFields(answer);
  if (options === undefined || options.length === 0) return { text: question, ...fields };
  return { text: question, schema: { enum: options }, ...fields, suggestions: options };
}
