/** The reply to the sender of a message, and why one is not taken. docs/errors.md explains each refusal; a test compares. */

import { visible } from '../plan/text/index.ts';
import type { JsonValue } from '../plan/index.ts';

export const REFUSALS = [
  'malformed',
  'early',
  'stale-digest',
  'stale-revision',
  'already-decided',
  'too-late',
  'closed',
  'unknown-node',
  'wrong-role',
  'not-counted',
  'not-verified',
  'no-planner',
  'no-change',
  'invalid-plan',
  'too-many-revisions',
  'unknown-question',
  'already-answered',
  'wrong-answer',
  'not-possible',
  'failed',
] as const;

/** The stable code of a refused message to a run. docs/errors.md says what to do about each. */
export type Refusal = (typeof REFUSALS)[number];

/** Whether a refused decision came for another plan or after another decision: to look again may help, to repeat may not. */
export function isStale(refusal: Refusal): boolean {
  return refusal.startsWith('stale') || refusal === 'already-decided' || refusal === 'already-answered';
}

/** A refused message: the code, and the reason in a sentence for people. */
export interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
  readonly reason: string;
}

/** The reason is for people: hidden characters of other people's texts are made visible in it. */
export function refuse(refusal: Refusal, reason: string): Refused {
  return { ok: false, refusal, reason: visible(reason, { lines: true }) };
}

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
