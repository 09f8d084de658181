/** The reply to the sender of a message. */

import type { JsonValue } from '../../language/plan/index.ts';
import type { Refused } from './refusal.ts';

/** The reply of a run to a message: the effect of the message, or the refusal. */
export type Reply =
  | {
      readonly ok: true;
      /** The effect of the message, in a sentence. */
      readonly reply: string;
      /** There is no plan yet; whether it is taken is known when there is. */
      readonly kept?: true;
    }
  | (Refused & {
      /** For an edit whose plan is invalid: the issues of the plan. */
      readonly issues?: readonly JsonValue[];
    });
