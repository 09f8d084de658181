import { cutCharacters, describeValue, visible } from '../plan/text/index.ts';
import { MAX_TOKEN_CHARACTERS, TOKEN_FORM } from './ids.ts';
import type { JsonValue } from '../plan/index.ts';
import { ANY_JSON, byKey, maybe, oneOf, typed, type Of } from './shape.ts';

/** Why a run rejected a message, which then changes nothing. A rejected signal is in the trace; an update fails. */
export const REFUSALS = [
  /** The message cannot be parsed. @fix Follow the reason. */
  'malformed',
  /** The message is about a plan, and there is none yet. @fix Wait for the plan. */
  'early',
  /** The message names a plan that is no longer open. @fix Look at the open plan, then decide. */
  'stale-digest',
  /** The message names a revision that is no longer open. @fix Look at the open revision, then decide. */
  'stale-revision',
  /** Somebody else decided first; the reason says who and when. @fix Nothing, or let somebody else decide. */
  'already-decided',
  /** The message arrived after its deadline. @fix Start the plan again; for a question look at its outcome. */
  'too-late',
  /** The run has ended, or waits for no decision. @fix Nothing. */
  'closed',
  /** The plan has no node with this id. @fix Name a node of the plan. */
  'unknown-node',
  /** The rules, or the question, require another role. @fix Let somebody with that role send the message. */
  'wrong-role',
  /**
   * A rule counts only keys of people, or does not count authors of the plan. @fix The reason says whose approval
   * counts; sign with a person's key.
   */
  'not-counted',
  /** The signature that the message needs is missing or invalid. @fix Sign the message; see docs/identity.md. */
  'not-verified',
  /** The project has no planner that could make another plan. @fix Send the plan as an edit, or reject. */
  'no-planner',
  /** The edited plan is identical to the open one. @fix Approve or reject the plan. */
  'no-change',
  /** The edited plan has the problems in `issues`. @fix Correct them and send it again; the open plan still waits. */
  'invalid-plan',
  /** The run has had as many plans as `maxRevisions` allows. @fix Start another run. */
  'too-many-revisions',
  /** No question with this id is open; the reason names the open ones. @fix Name one of them. */
  'unknown-question',
  /** Somebody else answered first; the reason says who and when. @fix Nothing. */
  'already-answered',
  /** The value does not fit the schema of the question. @fix Send a value that fits; the question stays open. */
  'wrong-answer',
  /** The state of the node, or of the sender, does not allow the action. @fix Follow the reason. */
  'not-possible',
  /** Something that the message needed failed, such as the store. @fix Repair the cause and send the message again. */
  'failed',
] as const;

/** The stable code of a rejected message to a run. docs/errors.md says what to do about each. */
export type Refusal = (typeof REFUSALS)[number];

/** Whether another decision or plan came first. Repeating the decision cannot help. */
export function isStale(refusal: Refusal): boolean {
  return refusal.startsWith('stale') || refusal === 'already-decided' || refusal === 'already-answered';
}

const REFUSED = { refusal: oneOf(REFUSALS), reason: 'text' } as const;

/** A rejected message: the code, and a sentence for people. */
export interface Refused extends Of<typeof REFUSED> {
  readonly ok: false;
}

/** Makes a rejection. Escapes hidden characters in the reason, since it may quote other people's texts. */
export function refuse(refusal: Refusal, reason: string): Refused {
  return { ok: false, refusal, reason: visible(reason, { lines: true }) };
}

const TAKEN = {
  reply: 'text',
  /** True if there is no plan yet, so that the run judges the message later. */
  kept: 'true?',
} as const;

export interface Taken extends Of<typeof TAKEN> {
  readonly ok: true;
}

/** The reply of a run to a message: its effect, or the rejection, with the issues of an invalid edit. */
export type Reply = Taken | (Refused & { readonly issues?: readonly JsonValue[] });

export const REPLY = typed<Reply>(byKey('ok', { true: TAKEN, false: { ...REFUSED, issues: maybe([ANY_JSON]) } }));

/** The problem of a token that can be found without a key; undefined if there is none. */
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
