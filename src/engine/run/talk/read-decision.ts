/** The reading of a decision from any payload. */

import {
  DECISION_KINDS,
  DECISIONS,
  describe,
  isDigest,
  isNodeId,
  isRef,
  type Decision,
  type DecisionKind,
} from '../../../wire/contract/index.ts';
import { MAX_TEXT, senderProblem, shapeProblem, unknownKey } from './sender.ts';

export type ParsedDecision =
  | { readonly ok: true; readonly decision: Decision }
  | { readonly ok: false; readonly reason: string };

const COMMON_KEYS = ['kind', 'digest', 'revision', 'by', 'role', 'comment'];
/** More nodes than a run can have are a mistake. */
const MAX_NODES = 10_000;

/**
 * Reads a decision from a message. `kind` comes from the message's own name where it has one (`approve`, `reject`).
 * Never throws; a message that cannot be read has a reason that says what was expected.
 */
export function parseDecision(message: unknown, kind?: DecisionKind): ParsedDecision {
  const misshapen = shapeProblem(message, EXAMPLE);
  if (misshapen !== undefined) return refuse(misshapen);
  const payload = message as Record<string, unknown>;
  const problem = firstProblem(payload, kind);
  if (problem !== undefined) return refuse(problem);
  const { digest, by, ...rest } = payload;
  const said = {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    kind: kind ?? (payload['kind'] as DecisionKind),
    digest: (digest as string).toLowerCase(),
    by: (by as string).trim(),
  };
  return { ok: true, decision: said };
}

const EXAMPLE = '{"digest":"3fa9c1d2","by":"operator"}';

function firstProblem(payload: Record<string, unknown>, named: DecisionKind | undefined): string | undefined {
  const { digest, revision } = payload;
  if (named !== undefined && payload['kind'] !== undefined && payload['kind'] !== named) {
    return `the message is named "${named}" but its kind is ${describe(payload['kind'])}`;
  }
  const kind = named ?? (payload['kind'] as DecisionKind);
  if (!DECISION_KINDS.includes(kind)) {
    return `kind: expected ${DECISION_KINDS.join(' or ')}, got ${describe(payload['kind'])}`;
  }
  const unknown = unknownKey(payload, [...COMMON_KEYS, ...DECISIONS[kind].fields]);
  if (unknown !== undefined) return unknown;
  if (!isDigest(digest)) {
    return `digest: expected at least the first 8 hex digits of the plan's digest, got ${describe(digest)}`;
  }
  if (revision !== undefined && !(Number.isInteger(revision) && (revision as number) >= 1)) {
    return `revision: expected a whole number from 1, got ${describe(revision)}`;
  }
  return senderProblem(payload) ?? kindProblem(kind, payload);
}

function kindProblem(kind: DecisionKind, { nodes, feedback, plan, ref }: Record<string, unknown>): string | undefined {
  if (kind === 'approve-part' && !isNodeList(nodes)) {
    return `nodes: expected a list of node ids such as ["node_3"], got ${describe(nodes)}`;
  }
  if (kind === 'revise' && (typeof feedback !== 'string' || feedback.trim() === '' || feedback.length > MAX_TEXT)) {
    return `feedback: expected a text of at most ${MAX_TEXT} characters, got ${describe(feedback)}`;
  }
  if (kind === 'edit' && (plan === undefined || plan === null) === (ref === undefined)) {
    return 'plan: an edit carries the new plan, either as "plan" or as "ref"';
  }
  if (ref !== undefined && !isRef(ref)) {
    return `ref: expected a reference into the result store, got ${describe(ref)}`;
  }
  return undefined;
}

function isNodeList(nodes: unknown): boolean {
  if (!Array.isArray(nodes) || nodes.length === 0 || nodes.length > MAX_NODES) return false;
  return nodes.every(isNodeId);
}

function refuse(reason: string): ParsedDecision {
  return { ok: false, reason };
}
