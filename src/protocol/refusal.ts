/** The reply to the sender of a message, and the reasons for a rejection. */

import { cutCharacters, describeValue, visible } from '../plan/text/index.ts';
import { MAX_TOKEN_CHARACTERS, TOKEN_FORM } from './ids.ts';
import type { JsonValue } from '../plan/index.ts';
import { ANY_JSON, byKey, maybe, oneOf, typed, type Of } from './shape.ts';

/**
 * Why a run rejected a decision, an answer or a control message. A rejection changes nothing. For a signal it is in the
 * trace; a rejected update fails with it.
 */
export const REFUSALS = [
  /** The message cannot be read. @fix Follow the reason. */
  'malformed',
  /** There is no plan for it yet. @fix Wait for the plan. */
  'early',
  /** The message names another plan. @fix Look at the open plan, then decide. */
  'stale-digest',
  /** The message names another revision. @fix Look at the open revision, then decide. */
  'stale-revision',
  /** Somebody else was first; the reason says who and when. @fix Nothing, or let somebody else decide. */
  'already-decided',
  /** It arrived after its deadline. @fix Start the plan again; for a question look at its outcome. */
  'too-late',
  /** The run waits for no decision, or has ended. @fix Nothing. */
  'closed',
  /** The plan has no such node. @fix Name a node of the plan. */
  'unknown-node',
  /** The rules, or the question, require another role. @fix Let somebody with that role send it. */
  'wrong-role',
  /**
   * A rule counts only a person's key, or does not count authors of the plan. @fix The reason says who may; sign with a
   * person's key.
   */
  'not-counted',
  /** The message must be signed, and its signature is missing or invalid. @fix Sign it; see docs/identity.md. */
  'not-verified',
  /** There is no planner for another plan. @fix Send the plan as an edit, or reject. */
  'no-planner',
  /** The edited plan is the open one. @fix Approve or reject it. */
  'no-change',
  /**
   * The edited plan has problems; they are in `issues`. @fix Mend them and send it again; the open plan still waits.
   */
  'invalid-plan',
  /** The run has had as many plans as `maxRevisions` allows. @fix Start another run. */
  'too-many-revisions',
  /** No such question is open; the reason names the open ones. @fix Name one of them. */
  'unknown-question',
  /** Somebody else was first; the reason says who and when. @fix Nothing. */
  'already-answered',
  /** The value does not fit the question. @fix Send a value that fits; the question stays open. */
  'wrong-answer',
  /** The node, or the person, is in a state in which it cannot be done. @fix Follow the reason. */
  'not-possible',
  /** Something that the message needed failed, such as the store. @fix Repair that and send it again. */
  'failed',
] as const;

/** The stable code of a rejected message to a run. docs/errors.md says what to do about each. */
export type Refusal = (typeof REFUSALS)[number];

/**
 * Whether the decision was about another plan, or came after another decision: to look again may help, to repeat does
 * not.
 */
export function isStale(refusal: Refusal): boolean {
  return refusal.startsWith('stale') || refusal === 'already-decided' || refusal === 'already-answered';
}

const REFUSED = { refusal: oneOf(REFUSALS), reason: 'text' } as const;

/** A rejected message: the code, and a sentence for people. */
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
  /** There is no plan yet; the run judges the message when there is. */
  kept: 'true?',
} as const;

/** A message that a run has accepted. */
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
