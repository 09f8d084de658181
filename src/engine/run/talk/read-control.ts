/** The reading of an operator's control message from any payload. */

import {
  CONTROL_ACTIONS,
  CONTROLS,
  describe,
  isDigest,
  isNodeId,
  RESOLVE_OUTCOMES,
  type Control,
  type ControlAction,
} from '../../../wire/contract/index.ts';
import { withoutHidden } from '../../../language/text/index.ts';
import { senderProblem, shapeProblem, unknownKey } from './sender.ts';

export type ParsedControl =
  | { readonly ok: true; readonly control: Control }
  | { readonly ok: false; readonly reason: string };

const COMMON_KEYS = ['action', 'node', 'digest', 'by', 'role', 'comment'];

/** Reads a control message. Never throws. */
export function parseControl(message: unknown): ParsedControl {
  const misshapen = shapeProblem(message, EXAMPLE);
  if (misshapen !== undefined) return refuse(misshapen);
  const payload = message as Record<string, unknown>;
  const problem = actionProblem(payload) ?? senderProblem(payload);
  if (problem !== undefined) return refuse(problem);
  const control = payload as unknown as Control;
  const { digest } = control;
  return { ok: true, control: { ...control, by: control.by.trim(), ...(digest && { digest: digest.toLowerCase() }) } };
}

const EXAMPLE = '{"action":"pause","by":"operator"}';

function actionProblem(payload: Record<string, unknown>): string | undefined {
  const { action, node, digest } = payload;
  if (!isAction(action)) return `action: expected ${CONTROL_ACTIONS.join(' or ')}, got ${describe(action)}`;
  const facts = CONTROLS[action];
  const unknown = unknownKey(payload, [...COMMON_KEYS, ...facts.fields]);
  if (unknown !== undefined) return unknown;
  if (facts.node === 'none' && node !== undefined) return `node: ${action} is about the whole run`;
  if (facts.node === 'required' && !isNodeId(node)) {
    return `node: expected the id of a node such as "node_3", got ${describe(node)}`;
  }
  if (digest !== undefined && !isDigest(digest)) {
    return `digest: expected at least the first 8 hex digits of the plan's digest, got ${describe(digest)}`;
  }
  if (facts.comment === 'required' && isBlank(payload['comment'])) return commentProblem(action, payload);
  return action === 'resolve' ? resolveProblem(payload) : undefined;
}

function isAction(value: unknown): value is ControlAction {
  return CONTROL_ACTIONS.includes(value as ControlAction);
}

function isBlank(comment: unknown): boolean {
  return comment === undefined || (typeof comment === 'string' && withoutHidden(comment).trim() === '');
}

function commentProblem(action: ControlAction, { comment }: Record<string, unknown>): string {
  const example = `{"action":"${action}","by":"operator","comment":"the beam is lost"}`;
  return `comment: expected why, which is kept with who says it, got ${describe(comment)}; say it again with a comment, such as ${example}`;
}

function resolveProblem({ outcome, value }: Record<string, unknown>): string | undefined {
  if (!RESOLVE_OUTCOMES.includes(outcome as (typeof RESOLVE_OUTCOMES)[number])) {
    return `outcome: expected ${RESOLVE_OUTCOMES.join(' or ')}, got ${describe(outcome)}`;
  }
  if ((outcome === 'succeeded') === (value !== undefined)) return undefined;
  return outcome === 'succeeded'
    ? 'value: expected the result of the node; a set is the list of its ids'
    : 'value: only resolve with outcome "succeeded" has one';
}

function refuse(reason: string): ParsedControl {
  return { ok: false, reason };
}
