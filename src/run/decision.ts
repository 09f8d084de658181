/** A decision on a plan: what a person says to a run, and the reading of it from whatever arrived. */

import { describe, isMalformed, isRecord } from './malformed.ts';

export const DECISION_KINDS = ['approve', 'reject'] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];

export interface Decision {
  readonly kind: DecisionKind;
  /** The digest that is decided, or its first 8 or more hex digits. */
  readonly digest: string;
  readonly revision?: number;
  readonly by: string;
  readonly role?: string;
  readonly comment?: string;
}

export type ParsedDecision =
  | { readonly ok: true; readonly decision: Decision }
  | { readonly ok: false; readonly reason: string };

const KEYS = ['kind', 'digest', 'revision', 'by', 'role', 'comment'];
const DIGEST = /^[0-9a-f]{8,64}$/;
/** A comment is kept in the run's memory and shown in its details. */
const MAX_TEXT = 2000;

/**
 * Reads a decision from a message. `kind` comes from the message's own name where it has one (`approve`, `reject`).
 * Never throws; what cannot be read has a reason that says what was expected.
 */
export function parseDecision(payload: unknown, kind?: DecisionKind): ParsedDecision {
  if (isMalformed(payload)) return refuse(`the message could not be decoded (${payload.reason})`);
  if (!isRecord(payload)) return refuse(`expected an object such as ${EXAMPLE}, got ${describe(payload)}`);
  const problem = firstProblem(payload, kind);
  if (problem !== undefined) return refuse(problem);
  const { digest, revision, by, role, comment } = payload;
  return {
    ok: true,
    decision: {
      kind: kind ?? (payload['kind'] as DecisionKind),
      digest: (digest as string).toLowerCase(),
      by: (by as string).trim(),
      ...(revision !== undefined && { revision: revision as number }),
      ...(role !== undefined && { role: role as string }),
      ...(comment !== undefined && { comment: comment as string }),
    },
  };
}

const EXAMPLE = '{"digest":"3fa9c1d2","by":"ana"}';

function firstProblem(payload: Record<string, unknown>, kind: DecisionKind | undefined): string | undefined {
  const { digest, revision, by } = payload;
  const unknown = Object.keys(payload).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0)
    return `unknown key ${JSON.stringify(unknown[0]?.slice(0, 80))}; known are ${KEYS.join(', ')}`;
  if (kind !== undefined && payload['kind'] !== undefined && payload['kind'] !== kind) {
    return `the message is named "${kind}" but its kind is ${describe(payload['kind'])}`;
  }
  if (kind === undefined && !DECISION_KINDS.includes(payload['kind'] as DecisionKind)) {
    return `kind: expected ${DECISION_KINDS.join(' or ')}, got ${describe(payload['kind'])}`;
  }
  if (typeof digest !== 'string' || !DIGEST.test(digest.toLowerCase())) {
    return `digest: expected at least the first 8 hex digits of the plan's digest, got ${describe(digest)}`;
  }
  if (revision !== undefined && !(Number.isInteger(revision) && (revision as number) >= 1)) {
    return `revision: expected a whole number from 1, got ${describe(revision)}`;
  }
  if (typeof by !== 'string' || by.trim() === '' || by.length > MAX_TEXT) {
    return `by: expected the name of who decides, got ${describe(by)}`;
  }
  for (const key of ['role', 'comment'] as const) {
    const text = payload[key];
    if (text !== undefined && (typeof text !== 'string' || text.length > MAX_TEXT)) {
      return `${key}: expected a text of at most ${MAX_TEXT} characters, got ${describe(text)}`;
    }
  }
  return undefined;
}

function refuse(reason: string): ParsedDecision {
  return { ok: false, reason };
}
