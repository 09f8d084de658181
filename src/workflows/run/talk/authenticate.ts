/** Checks whether a signature proves who sent a message. A token must be valid when its message arrives. */

import type { Message } from '../state.ts';
import { given, isRecord, isSigned, refuse, signatureOf, tokenProblem, type Refused } from '../../../protocol/index.ts';
import { cutCharacters } from '../../../plan/text/index.ts';
import { knowsKeys } from '../run.ts';
import type { Run } from '../in-memory.ts';
import {
  messageClaimedBy,
  type RefusedToken,
  type TokenFacts,
  type VerifiedToken,
} from '../../../protocol/identity/token/index.ts';

export interface AuthenticatedMessage {
  readonly payload: unknown;
  readonly verified: boolean;
  readonly personKey?: true;
  readonly token?: string;
}

/** Verifies a token and returns its message. `protocol/identity` implements this. */
export type Verify = (token: string, about: Omit<TokenFacts, 'namespace'>) => RefusedToken | Proved;
type Proved = Pick<Extract<VerifiedToken, { ok: true }>, 'ok' | 'by' | 'role' | 'personKey' | 'message' | 'until'>;

export type Authenticated =
  | (AuthenticatedMessage & {
      readonly ok: true;
      /** Identifies the signed message: no other content and no other key has the same signature. */
      readonly signed?: Required<Message>['signed'];
    })
  | Refused
  /** The key is unknown, but the project may have added it after the keys were read. */
  | { readonly ok: false; readonly isKeyUnknown: true };

/** Minimum ms between two reads of the public keys. Until the next read, an unknown key is rejected. */
const KEYS_EVERY_MS = 60_000;

export function authenticate(run: Run, payload: Record<string, unknown>, at: string, verify: Verify): Authenticated {
  const problem = tokenProblem(payload);
  if (problem !== undefined) return problem;
  const { project, startedAt, firstRunId, keysReadAt } = run.state;
  if (project.keys === undefined)
    return knowsKeys(run) ? refuse('not-verified', NO_KEYS) : { ok: false, isKeyUnknown: true };
  const token = payload['token'] as string;
  const verified = verify(token, { keys: project.keys, workflowId: run.workflowId, firstRunId, startedAt, at });
  if (!verified.ok) {
    const mayBeNew = Date.parse(at) - Date.parse(keysReadAt) >= KEYS_EVERY_MS;
    return verified.isKeyUnknown === true && mayBeNew
      ? { ok: false, isKeyUnknown: true }
      : refuse('not-verified', verified.reason);
  }
  const { by, role, message, until, personKey } = verified;
  const signedPayload = { ...message, by, ...(role !== undefined && { role }) };
  return {
    ok: true,
    payload: signedPayload,
    verified: true,
    ...given({ personKey }),
    signed: { signature: signatureOf(token), until },
    token,
  };
}

/** Whether a message claims to be a pause, resume or kill. Such a message is judged earlier. */
export function claimsToStop(payload: unknown): boolean {
  if (!isRecord(payload)) return false;
  return STOPPING.includes((isSigned(payload) ? messageClaimedBy(payload['token']) : payload)?.['action']);
}

const STOPPING: readonly unknown[] = ['kill', 'pause', 'resume'];

const NO_KEYS =
  "this worker has no identity keys; add the sender's public key under identity.keys of its configuration, " +
  'or send the message without a token';

const MAX_CLAIM = 200;

export function claimsIn(payload: unknown): Record<string, string> {
  const claims: Record<string, string> = {};
  if (!isRecord(payload)) return claims;
  for (const key of ['by', 'role', 'kind', 'digest', 'question', 'action', 'node']) {
    const value = payload[key];
    if (typeof value === 'string') claims[key] = cutCharacters(value, MAX_CLAIM);
  }
  return claims;
}
