/** The reply to the sender of a message, and why one is not taken. */

import { cutCharacters, describeValue, visible } from '../plan/text/index.ts';
import { MAX_TOKEN_CHARACTERS, TOKEN_FORM } from './ids.ts';
import type { JsonValue } from '../plan/index.ts';
import { ANY_JSON, byKey, maybe, oneOf, typed, type Of } from './shape.ts';

/**
 * Why a run did not take a decision, an answer or a control message. A refusal changes nothing. Of a signal it stands in the trace; an
 * update that is refused fails with it.
 */
export const REFUSALS = [
  /** The message cannot be read. @fix Follow the reason. */
  'malformed',
  /** There is no plan yet for it. @fix Wait for the plan. */
  'early',
  /** The message names another plan. @fix Look at the open plan, then decide. */
  'stale-digest',
  /** The message names another revision. @fix Look at the open revision, then decide. */
  'stale-revision',
  /** Somebody was first; the reason says who and when. @fix Nothing, or let somebody else decide. */
  'already-decided',
  /** The run heard it after its deadline. @fix Start the plan anew; of a question look at its outcome. */
  'too-late',
  /** The run waits for no decision, or has ended. @fix Nothing. */
  'closed',
  /** The plan has no such node. @fix Name one it has. */
  'unknown-node',
  /** The rules, or the question, ask for another role. @fix Let somebody of that role say it. */
  'wrong-role',
  /**
   * A rule counts a person's key alone, or not whose words are in the plan. @fix The reason names who may; sign with a
   * person's key.
   */
  'not-counted',
  /** The message must be signed, and is not, or not rightly. @fix Sign it; see docs/identity.md. */
  'not-verified',
  /** Nobody is there to make another plan. @fix Send the plan as an edit, or reject. */
  'no-planner',
  /** The edited plan is the open one. @fix Approve or reject it. */
  'no-change',
  /**
   * The edited plan has problems; they are in `issues`. @fix Mend them and send it again; the open plan still waits.
   */
  'invalid-plan',
  /** The run has had as many plans as `maxRevisions` allows. @fix Start another run. */
  'too-many-revisions',
  /** No such question is open; the reason names those that are. @fix Name one of them. */
  'unknown-question',
  /** Somebody was first; the reason says who and when. @fix Nothing. */
  'already-answered',
  /** The value does not fit the question. @fix Send a value that fits; the question stays open. */
  'wrong-answer',
  /** The node, or the person, is in a state in which it cannot be done. @fix Follow the reason. */
  'not-possible',
  /** What the message needed could not be carried out, such as the store. @fix Mend that and send it again. */
  'failed',
] as const;

/** The stable code of a refused message to a run. docs/errors.md says what to do about each. */
export type Refusal = (typeof REFUSALS)[number];

/** Whether a refused decision came for another plan or after another decision: to look again may help, to repeat may not. */
export function isStale(refusal: Refusal): boolean {
  return refusal.startsWith('stale') || refusal === 'already-decided' || refusal === 'already-answered';
}

const REFUSED = { refusal: oneOf(REFUSALS), reason: 'text' } as const;

/** A refused message: the code, and the reason in a sentence for people. */
export interface Refused extends Of<typeof REFUSED> {
  readonly ok: false;
}

/** The reason is for people: hidden characters of other people's texts are made visible in it. */
export function refuse(refusal: Refusal, reason: string): Refused {
  return { ok: false, refusal, reason: visible(reason, { lines: true }) };
}

const TAKEN = {
  /** The effect of the message, in a sentence. */
  reply: 'text',
  /** There is no plan yet; whether it is taken is known when there is. */
  kept: 'true?',
} as const;

/** A message that a run has taken. */
export interface Taken extends Of<typeof TAKEN> {
  readonly ok: true;
}

/** The reply of a run to a message: its effect, or the refusal; for an edit whose plan is invalid with the issues of the plan. */
export type Reply = Taken | (Refused & { readonly issues?: readonly JsonValue[] });

export const REPLY = typed<Reply>(byKey('ok', { true: TAKEN, false: { ...REFUSED, issues: maybe([ANY_JSON]) } }));

/** The faults of a token that need no key to be seen. */
export function tokenProblem(payload: Record<string, unknown>): Refused | undefined {
  const { token, ...beside } = payload;
  if (typeof token !== 'string')
    return refuse('malformed', `token: expected a compact JWS, got ${describeValue(token)}`);
  const [key] = Object.keys(beside);
  if (key !== undefined) {
    const reason = `${cutCharacters(key, 80)} stands beside the token; what is said belongs inside what is signed`;
    return refuse('malformed', reason);
  }
  return token.length <= MAX_TOKEN_CHARACTERS && TOKEN_FORM.test(token)
    ? undefined
    : refuse('not-verified', 'the token is no compact JWS with an Ed25519 signature; see docs/identity.md');
}
