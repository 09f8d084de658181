/** An answer to a question of a run. */

import type { JsonValue } from '../../language/plan/index.ts';

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
