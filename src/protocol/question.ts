/** A question to a person, the result of a `wait` capability, and the answer that the run waits for. */

import type { JsonValue } from '../plan/index.ts';
import { WAIT } from './options.ts';
import { ANY_JSON, eachOf, fits, maybe, textUpTo, typed, type Of } from './shape.ts';

/**
 * @bound {characters} [approving] the text of a question
 * @beyond `CRITICAL`
 */
export const MAX_QUESTION_TEXT = 2000;
/** All of a question as JSON: the questions of a run must fit the answer to a query. */
export const MAX_QUESTION_BYTES = 8000;

export const QUESTION = {
  /** The text of the question, at most `MAX_QUESTION_TEXT` characters. */
  text: textUpTo(MAX_QUESTION_TEXT),
  /** JSON Schema (draft 2020-12) that an answer must fit; any JSON fits when absent. */
  schema: maybe(eachOf(ANY_JSON)),
  /** The answer when the deadline passes. Without it the node fails then. */
  default: maybe(ANY_JSON),
  /** How long the run waits, in milliseconds. Default: the run's `answerDeadline`. */
  deadlineMs: maybe(WAIT),
  /** The roles in whose inbox it is; everybody's when absent. */
  roles: maybe(['text']),
  /** Suggested answers; others are accepted too if the schema allows them. */
  suggestions: maybe([ANY_JSON]),
} as const;

/** A question to a person, the result of a `wait` capability. */
export interface Question extends Of<typeof QUESTION> {}

const ASKED = { asks: typed<Question>(QUESTION) } as const;
/** The reply of the activity of a `wait` node: nothing is done yet, a person is asked. */
export type Asked = Of<typeof ASKED>;

/** Whether this is a question as the run relies on it: an activity can be completed from outside, with anything. */
export function isAsked(value: unknown): value is Asked {
  return fits(ASKED, value);
}

/** A person's answer to a question of a run. The value must fit the schema of the question. */
export interface Answer {
  /** The id of the question, from the query `questions`. */
  readonly question: string;
  readonly value: JsonValue;
  /** The plan that the question is meant in, by the first 8 or more hex digits of its digest. */
  readonly digest?: string;
  readonly by: string;
  readonly role?: string;
  readonly comment?: string;
}
