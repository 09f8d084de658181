/**
 * `clarify`: asks the person who gave the goal what is missing (Osprey: clarify asks 1-4 questions). Every project has
 * it.
 */

import { z } from 'zod';
import type { Question } from '../../protocol/index.ts';
import { ANSWER_ARGUMENTS, answerFields, reportProblems, type AnswerArguments } from './ask.ts';
import { defineCapability } from '../index.ts';

interface ClarifyArguments extends AnswerArguments {
  readonly questions?: string | readonly string[] | undefined;
}

/**
 * @bound questions of one `clarify`
 * @beyond refused
 */
const MAX_QUESTIONS = 4;

const input = z
  .strictObject({
    questions: z.union([z.string(), z.array(z.string()).min(1).max(MAX_QUESTIONS)]).optional(),
    ...ANSWER_ARGUMENTS,
  })
  // The text of the task is unknown here, and never blank.
  .superRefine((args, context) => reportProblems(toQuestion(args, 'task'), ARGUMENT_OF, context));

const ARGUMENT_OF = { text: 'questions', deadlineMs: 'deadline' };

export const clarify = defineCapability({
  name: 'clarify',
  kind: 'wait',
  description: 'Asks a person for what is missing, in one to four questions, and takes the answer as its result.',
  input,
  output: 'value',
  effect: 'read',
  execute: ({ task, arguments: args }) => toQuestion(args, task),
});

/** Several questions are numbered; without any, the task is the question. */
function toQuestion({ questions = [], ...answer }: ClarifyArguments, task: string): Question {
  const asked = typeof questions === 'string' ? [questions] : questions;
  const [only = task] = asked;
  // The number would hide a blank question among several.
  const hasBlank = asked.some((one) => one.trim() === '');
  const numbered = asked.map((one, index) => `${index + 1}. ${one}`).join('\n');
  return { text: hasBlank ? '' : asked.length > 1 ? numbered : only, ...answerFields(answer) };
}
