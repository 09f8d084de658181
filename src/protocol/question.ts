/** A question to a person (the result of a `wait` capability), and the answer that the run waits for. */

import type { JsonValue } from '../plan/index.ts';
import { WAIT } from './options.ts';
import { ANY_JSON, eachOf, fits, maybe, textUpTo, typed, type Of } from './shape.ts';

/** Maximum characters of a question. A task with a longer one fails as `CRITICAL`. */
export const MAX_QUESTION_TEXT = 2000;
/** Maximum size of a question as JSON, in bytes, since a run's questions must fit into one query answer. */
export const MAX_QUESTION_BYTES = 8000;

export const QUESTION = {
  text: textUpTo(MAX_QUESTION_TEXT),
  /** The JSON Schema (draft 2020-12) of valid answers. If absent, any JSON is valid. */
  schema: maybe(eachOf(ANY_JSON)),
  /** The answer if nobody answers in time. Without a default the node fails. */
  default: maybe(ANY_JSON),
  /** How long the run waits for an answer, in milliseconds. Default: the run's `answerDeadline`. */
  deadlineMs: maybe(WAIT),
  /** The roles that see the question in their inbox. Default: everybody sees it. */
  roles: maybe(['text']),
  /** Suggested answers. Any other answer that fits the schema is accepted too. */
  suggestions: maybe([ANY_JSON]),
} as const;

/** A question to a person. A `wait` capability returns it. */
export interface Question extends Of<typeof QUESTION> {}

const ASKED = { asks: typed<Question>(QUESTION) } as const;
/** The reply of a `wait` node's activity: the node is not done, and a person must answer. */
export type Asked = Of<typeof ASKED>;

/** Validates a question, since anyone with access to the server can complete an activity. */
export function isAsked(value: unknown): value is Asked {
  return fits(ASKED, value);
}

/** A person's answer to a question of a run. The value must fit the schema of the question. */
export interface Answer {
  readonly question: string;
  readonly value: JsonValue;
  /** The digest of the plan that contains the question, or its first 8 or more hex digits. */
  readonly digest?: string;
  readonly by: string;
  readonly role?: string;
  readonly comment?: string;
}
