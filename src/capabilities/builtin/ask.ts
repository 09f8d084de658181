/** `ask`: a task that asks a person; the answer is its result. Every project has it. */

import { z } from 'zod';
import type { JsonValue } from '../../plan/index.ts';
import { durationMs, type Question } from '../../protocol/index.ts';
import { defineCapability } from '../index.ts';
import { checkQuestion } from './check-question.ts';

type Scalar = string | number | boolean | null;

/** The fields of a question beside its text; `clarify` has them too. */
export const ANSWER_ARGUMENTS = {
  /** JSON Schema (draft 2020-12) of the answer. */
  schema: z.record(z.string(), z.unknown()).optional(),
  default: z.unknown().optional(),
  /** `"2h"` or milliseconds. */
  deadline: z
    .union([z.string(), z.number()])
    .refine(
      (value) => durationMs(value) !== undefined,
      'expected a duration such as "2h", or milliseconds, at most 365 days',
    )
    .optional(),
  /** The roles that see it in their inbox; everybody without it. */
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
    /** Answers to choose from. Without a schema no other answer is accepted. */
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

/** Reports a wrong question as a problem of the argument that causes it, at compile time. */
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
