/** A signed message by its form alone: `{ token }`, a compact JWS. */

import { cutCharacters } from '../plan/text/index.ts';
import { MAX_TOKEN_CHARACTERS, TOKEN_FORM } from './ids.ts';
import { describe, isRecord } from './payload.ts';
import { refuse, type Refused } from './refusal.ts';

export function isSigned(payload: unknown): payload is Record<string, unknown> {
  return isRecord(payload) && 'token' in payload;
}

/** The faults of a token that need no key to be seen. */
export function tokenProblem(payload: Record<string, unknown>): Refused | undefined {
  const { token, ...beside } = payload;
  if (typeof token !== 'string') return refuse('malformed', `token: expected a compact JWS, got ${describe(token)}`);
  const [key] = Object.keys(beside);
  if (key !== undefined) {
    const reason = `${cutCharacters(key, 80)} stands beside the token; what is said belongs inside what is signed`;
    return refuse('malformed', reason);
  }
  return token.length <= MAX_TOKEN_CHARACTERS && TOKEN_FORM.test(token)
    ? undefined
    : refuse('not-verified', 'the token is no compact JWS with an Ed25519 signature; see docs/identity.md');
}
