/** The person of the story. Their words are scripted; the questions are not. */

import type { JsonValue } from 'planwright';
import { QUESTIONS } from '../market.ts';

/** The name that they answer under. */
export const ANALYST = 'analyst';

const ANSWERS: Readonly<Record<string, JsonValue>> = {
  [QUESTIONS.region]: 'Norrvik',
  [QUESTIONS.currency]: 'EUR',
  [QUESTIONS.reach]: 40,
};

/** Null, which is "I do not know", for whatever they were not told beforehand. */
export function answerOf(question: string): JsonValue {
  return ANSWERS[question] ?? null;
}
