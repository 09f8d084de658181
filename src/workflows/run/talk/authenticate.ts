/**
 * The sender of a message: proved by a signature, or not proved. Judged by the time at which it was heard, however
 * often.
 */

import type { Message } from '../work-state.ts';
import {
  given,
  isSigned,
  refuse,
  signatureOf,
  tokenProblem,
  type PublicKeys,
  type Refused,
} from '../../../protocol/index.ts';
import { knowsKeys } from '../run.ts';
import type { Run } from '../in-memory.ts';
import { messageClaimedBy } from '../../../protocol/identity/token/index.ts';

/** The payload of a message, with whether its sender was proved by a signature. */
export interface Spoken {
  readonly payload: unknown;
  readonly verified: boolean;
  /** It was signed with a person's key. */
  readonly personKey?: true;
  /** The signed message as it came. */
  readonly token?: string;
}

/** Checks a signed message; pure, and in the room that knows about signatures. */
export type Verify = (token: string, about: TokenFacts) => Verified;

export interface TokenFacts {
  readonly keys: PublicKeys;
  readonly workflowId: string;
  /** Absent for a start, which is signed before there is a run. */
  readonly chain?: string;
  /** When the run began, and when the token was heard; ISO 8601. */
  readonly startedAt: string;
  readonly at: string;
}

export type Verified =
  | {
      readonly ok: true;
      readonly by: string;
      readonly role?: string;
      readonly personKey?: true;
      /** The message without its sender. */
      readonly message: Readonly<Record<string, unknown>>;
      /** The time until which the token is good, in seconds since 1970. */
      readonly until: number;
    }
  | { readonly ok: false; readonly reason: string; readonly isKeyUnknown?: true };

export type Authenticated =
  | (Spoken & {
      readonly ok: true;
      /** Tells a signed message from every other: its signature, which no other content and no other key gives. */
      readonly signature?: string;
      readonly until?: number;
    })
  | Refused
  /** The project may have the key by now. */
  | { readonly ok: false; readonly isKeyUnknown: true };

/**
 * The keys of a project are read anew at most this often.
 * @bound how often the public keys are read anew
 * @beyond an unknown key, or a signature that does not fit, is refused until then
 */
const KEYS_EVERY_MS = 60_000;

export function authenticate(run: Run, { payload, at }: Message, verify: Verify): Authenticated {
  if (!isSigned(payload)) return { ok: true, payload, verified: false };
  const problem = tokenProblem(payload);
  if (problem !== undefined) return problem;
  const { project, startedAt, chain, keysReadAt } = run.dialogue;
  if (project.keys === undefined)
    return knowsKeys(run) ? refuse('not-verified', NO_KEYS) : { ok: false, isKeyUnknown: true };
  const token = payload['token'] as string;
  const verified = verify(token, { keys: project.keys, workflowId: run.workflowId, chain, startedAt, at });
  if (!verified.ok) {
    const mayBeNew = Date.parse(at) - Date.parse(keysReadAt) >= KEYS_EVERY_MS;
    return verified.isKeyUnknown === true && mayBeNew
      ? { ok: false, isKeyUnknown: true }
      : refuse('not-verified', verified.reason);
  }
  const { by, role, message, until, personKey } = verified;
  const said = { ...message, by, ...(role !== undefined && { role }) };
  return {
    ok: true,
    payload: said,
    verified: true,
    ...given({ personKey }),
    signature: signatureOf(token),
    token,
    until,
  };
}

/**
 * Whether a signed message says that it stops the run or lets it go on. The claim is not proved; the message is only
 * heard sooner.
 */
export function claimsToStop({ token }: Record<string, unknown>): boolean {
  return STOPPING.includes(messageClaimedBy(token)?.['action']);
}

const STOPPING: readonly unknown[] = ['kill', 'pause', 'resume'];

const NO_KEYS =
  "this worker has no identity keys; add the sender's public key under identity.keys of its configuration, " +
  'or send the message without a token';

/** Forgets the tokens that have expired: they are refused for that. @param at now, ISO 8601 */
export function forgetTokens({ dialogue: { tokens } }: Run, at: string): void {
  const seconds = Date.parse(at) / 1000 - FORGET_AFTER_SECONDS;
  for (const [signature, { until }] of Object.entries(tokens)) if (until < seconds) delete tokens[signature];
}

/**
 * More than the clocks of two machines may be apart.
 * @bound how long an expired token is remembered
 * @beyond it is refused as expired
 */
const FORGET_AFTER_SECONDS = 300;
