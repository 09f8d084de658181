/** A question to a person, which a `wait` capability gives in place of a result, and the answer that the run waits for. */

import type { JsonValue } from '../plan/index.ts';
import { durationMs } from './options.ts';
import { isRecord } from './payload.ts';

/** A question to a person, as a `wait` capability gives it in place of a result. */
export interface Question {
  /** The words of the question, at most `MAX_QUESTION_TEXT` characters. */
  readonly text: string;
  /** JSON Schema (draft 2020-12) that an answer must fit; any JSON fits when absent. */
  readonly schema?: Readonly<Record<string, JsonValue>>;
  /** Taken as the answer when the deadline passes. Without it the node fails then. */
  readonly default?: JsonValue;
  /** How long the run waits, in milliseconds. Default: the run's `answerDeadline`. */
  readonly deadlineMs?: number;
  /** The roles in whose inbox it is; everybody's when absent. */
  readonly roles?: readonly string[];
  /** Answers to choose from; others are taken too where the schema allows them. */
  readonly suggestions?: readonly JsonValue[];
}

/** The reply of the activity of a `wait` node: nothing is done yet, a person is asked. */
export interface Asked {
  readonly asks: Question;
}

/**
 * @bound {characters} the text of a question
 * @beyond `CRITICAL`
 */
export const MAX_QUESTION_TEXT = 2000;
/**
 * All of a question as JSON: the questions of a run must fit the answer to a query.
 * @bound a question as JSON
 * @beyond `CRITICAL`
 */
export const MAX_QUESTION_BYTES = 8000;

/** Whether this is a question as the run relies on it: an activity can be completed from outside, with anything. */
export function isAsked(value: unknown): value is Asked {
  if (!isRecord(value) || !isRecord(value['asks'])) return false;
  const { text, schema, deadlineMs, roles, suggestions } = value['asks'];
  return (
    typeof text === 'string' &&
    text.length <= MAX_QUESTION_TEXT &&
    (schema === undefined || isRecord(schema)) &&
    (deadlineMs === undefined || (typeof deadlineMs === 'number' && durationMs(deadlineMs) !== undefined)) &&
    (roles === undefined || (Array.isArray(roles) && roles.every((role) => typeof role === 'string'))) &&
    (suggestions === undefined || Array.isArray(suggestions))
  );
}

/** A person's answer to a question of a run. The value must fit the schema of the question. */
export interface Answer {
  /** The id of the question, as the query `questions` gives it. */
  readonly question: string;
  readonly value: JsonValue;
  /** The plan that the question is meant in, by the first 8 or more hex digits of its digest. */
  readonly digest?: string;
  readonly by: string;
  readonly role?: string;
  readonly comment?: string;
}
