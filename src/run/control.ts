/** What an operator tells a run beside decisions and answers, and the reading of it from whatever arrived. */

import type { JsonValue } from '../plan/index.ts';
import { describe } from './malformed.ts';
import { isDigest, isNodeId, senderProblem, shapeProblem, unknownKey } from './sender.ts';

/** `resolve` says what became of a node that is uncertain, or gives the result of one that failed. */
export const CONTROL_ACTIONS = ['pause', 'resume', 'cancel-node', 'retry-node', 'skip-node', 'resolve'] as const;
export type ControlAction = (typeof CONTROL_ACTIONS)[number];

export const RESOLVE_OUTCOMES = ['succeeded', 'failed'] as const;

export interface Control {
  readonly action: ControlAction;
  /** The node's id; absent for pause and resume. */
  readonly node?: string;
  /** Of resolve. */
  readonly outcome?: (typeof RESOLVE_OUTCOMES)[number];
  /** Of resolve with `succeeded`: the node's result. A set is given as the list of its ids. */
  readonly value?: JsonValue;
  /** The plan that the node is meant in, by the first 8 or more hex digits of its digest. */
  readonly digest?: string;
  readonly by: string;
  readonly role?: string;
  readonly comment?: string;
}

export type ParsedControl =
  | { readonly ok: true; readonly control: Control }
  | { readonly ok: false; readonly reason: string };

const KEYS = ['action', 'node', 'outcome', 'value', 'digest', 'by', 'role', 'comment'];

/** Reads a control message. Never throws. */
export function parseControl(message: unknown): ParsedControl {
  const misshapen = shapeProblem(message, EXAMPLE);
  if (misshapen !== undefined) return refuse(misshapen);
  const payload = message as Record<string, unknown>;
  const problem = unknownKey(payload, KEYS) ?? actionProblem(payload) ?? senderProblem(payload);
  if (problem !== undefined) return refuse(problem);
  const control = payload as unknown as Control;
  const { digest } = control;
  return { ok: true, control: { ...control, by: control.by.trim(), ...(digest && { digest: digest.toLowerCase() }) } };
}

const EXAMPLE = '{"action":"pause","by":"ana"}';

function actionProblem({ action, node, outcome, value, digest }: Record<string, unknown>): string | undefined {
  if (!CONTROL_ACTIONS.includes(action as ControlAction)) {
    return `action: expected ${CONTROL_ACTIONS.join(' or ')}, got ${describe(action)}`;
  }
  const aboutRun = action === 'pause' || action === 'resume';
  if (aboutRun && node !== undefined) return `node: ${action} is about the whole run`;
  if (!aboutRun && !isNodeId(node)) {
    return `node: expected the id of a node such as "node_3", got ${describe(node)}`;
  }
  if (digest !== undefined && !isDigest(digest)) {
    return `digest: expected at least the first 8 hex digits of the plan's digest, got ${describe(digest)}`;
  }
  if (action === 'resolve' && !RESOLVE_OUTCOMES.includes(outcome as (typeof RESOLVE_OUTCOMES)[number])) {
    return `outcome: expected ${RESOLVE_OUTCOMES.join(' or ')}, got ${describe(outcome)}`;
  }
  if (action !== 'resolve' && outcome !== undefined) return 'outcome: only resolve has one';
  if ((outcome === 'succeeded') !== (value !== undefined)) {
    return outcome === 'succeeded'
      ? 'value: expected the result of the node; a set is the list of its ids'
      : 'value: only resolve with outcome "succeeded" has one';
  }
  return undefined;
}

function refuse(reason: string): ParsedControl {
  return { ok: false, reason };
}
