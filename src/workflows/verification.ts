/** Who says something: proved by a signature that an activity checks, or not proved. */

import { workflowInfo } from '@temporalio/workflow';
import { describe, isRecord, MAX_TOKEN_CHARACTERS, refuse, TOKEN_FORM, type Refused, type Run } from '../run/index.ts';
import { reasonOf, verifyMessage } from './reach.ts';

export type Sender =
  | {
      readonly ok: true;
      readonly payload: unknown;
      readonly verified: boolean;
      /** Tells a signed message from every other: its signature, which no other content and no other key gives. */
      readonly key?: string;
    }
  | Refused;

/** Whoever sends more at once is refused; what came before is heard. */
const MAX_WAITING = 100;

/** Verifies signed messages one after another: they are taken in the order in which they came. */
export function createVerification(run: Run): (payload: Record<string, unknown>) => Promise<Sender> {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (payload) => {
    const problem = tokenProblem(payload);
    if (problem !== undefined) return problem;
    if (waiting >= MAX_WAITING) {
      return refuse('failed', `${MAX_WAITING} signed messages wait to be verified already; send it again later`);
    }
    waiting += 1;
    const mine = last.then(() => verified(run, payload['token'] as string));
    last = mine;
    try {
      return await mine;
    } finally {
      waiting -= 1;
    }
  };
}

export function unproved(payload: unknown): Sender {
  return { ok: true, payload, verified: false };
}

export function isSigned(payload: unknown): payload is Record<string, unknown> {
  return isRecord(payload) && 'token' in payload;
}

export function tokenProblem(payload: Record<string, unknown>): Refused | undefined {
  const { token, ...beside } = payload;
  if (typeof token !== 'string') return refuse('malformed', `token: expected a compact JWS, got ${describe(token)}`);
  const [key] = Object.keys(beside);
  if (key !== undefined) {
    return refuse(
      'malformed',
      `${key.slice(0, 80)} stands beside the token; what is said belongs inside what is signed`,
    );
  }
  // A worthless token costs no activity.
  return token.length <= MAX_TOKEN_CHARACTERS && TOKEN_FORM.test(token)
    ? undefined
    : refuse('not-verified', 'the token is no compact JWS with an Ed25519 signature; see docs/identity.md');
}

/** Never rejects. */
async function verified(run: Run, token: string): Promise<Sender> {
  try {
    const startedAt = workflowInfo().startTime.toISOString();
    const reply = await verifyMessage({ token, workflowId: run.workflowId, startedAt });
    if (!reply.ok) return refuse('not-verified', reply.reason);
    const { by, role, message } = reply;
    const payload = { ...message, by, ...(role !== undefined && { role }) };
    return { ok: true, payload, verified: true, key: TOKEN_FORM.exec(token)?.[1] ?? token };
  } catch (error) {
    return refuse('failed', `who says it could not be verified: ${reasonOf(error)}`);
  }
}
