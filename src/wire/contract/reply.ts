/** What the sender of a message is told. */

import type { JsonValue } from '../../language/plan/index.ts';
import type { Refused } from './refusal.ts';

export type Reply =
  | {
      readonly ok: true;
      /** What the message did, in a sentence. */
      readonly reply: string;
      /** There is no plan yet; whether it is taken is known when there is. */
      readonly kept?: true;
    }
  | (Refused & {
      /** Of an edit whose plan is invalid: what is wrong with it. */
      readonly issues?: readonly JsonValue[];
    });
