/** Parses decisions, answers and control actions from any payload. Never throws. */

import {
  CONTROL_ACTIONS,
  CONTROLS,
  DECISION_KINDS,
  DECISIONS,
  describe,
  given,
  isDigest,
  isMalformed,
  isNodeId,
  isRecord,
  isRef,
  RESOLVE_OUTCOMES,
  type Answer,
  type Control,
  type ControlAction,
  type Decision,
  type DecisionKind,
} from '../../../protocol/index.ts';
import { quote, withoutHidden } from '../../../plan/text/index.ts';
import { normalizeName } from '../../approval/rules.ts';

export type Read<Message> =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly reason: string };

type Payload = Readonly<Record<string, unknown>>;

/** @bound {characters} a comment or feedback @beyond the message is `malformed` */
const MAX_TEXT = 2000;
const MAX_NAME = 200;
const MAX_ID = 100;
const MAX_NODES = 10_000;

/**
 * Parses a decision. Some message names (`approve`, `reject`) imply its `kind`.
 * @example parseDecision({ digest: '3fa9c1d2', by: 'operator' }, 'approve'); // { ok: true, message: { kind: 'approve', ... } }
 */
export function parseDecision(message: unknown, named?: DecisionKind): Read<Decision> {
  const read = readPayload<Decision>(message, '{"digest":"3fa9c1d2","by":"operator"}', (payload) => {
    const { kind: own, digest, revision } = payload;
    if (named !== undefined && own !== undefined && own !== named) {
      return `the message is named "${named}" but its kind is ${describe(own)}`;
    }
    const kind = named ?? (own as DecisionKind);
    if (!DECISION_KINDS.includes(kind)) return `kind: expected ${DECISION_KINDS.join(' or ')}, got ${describe(own)}`;
    const unknown = unknownKey(payload, ['kind', 'digest', 'revision', 'shown', ...BY, ...DECISIONS[kind].fields]);
    if (unknown !== undefined) return unknown;
    if (!isDigest(digest)) return digestProblem(digest);
    if (revision !== undefined && !(Number.isInteger(revision) && (revision as number) >= 1)) {
      return `revision: expected a whole number from 1, got ${describe(revision)}`;
    }
    const { shown } = payload;
    if (shown !== undefined && !isDigest(shown))
      return `shown: expected at least the first 8 hex digits of what the run says beside its costs and states, got ${describe(shown)}`;
    return senderProblem(payload) ?? kindProblem(kind, payload);
  });
  if (!read.ok) return read;
  // The keys have a fixed order, since snapshots are compared as text.
  const { digest, by, ...rest } = read.message;
  return { ok: true, message: { ...rest, kind: named ?? rest.kind, digest, by } };
}

function kindProblem(kind: DecisionKind, { nodes, feedback, plan, ref }: Payload): string | undefined {
  if (kind === 'approve-part' && !isNodeList(nodes)) {
    return `nodes: expected a list of node ids such as ["node_3"], got ${describe(nodes)}`;
  }
  if (kind === 'revise' && (typeof feedback !== 'string' || feedback.trim() === '' || feedback.length > MAX_TEXT)) {
    return `feedback: expected a text of at most ${MAX_TEXT} characters, got ${describe(feedback)}`;
  }
  if (kind === 'edit' && (plan === undefined || plan === null) === (ref === undefined)) {
    return 'plan: an edit carries the new plan, either as "plan" or as "ref"';
  }
  return ref === undefined || isRef(ref)
    ? undefined
    : `ref: expected a reference into the result store, got ${describe(ref)}`;
}

function isNodeList(nodes: unknown): boolean {
  return Array.isArray(nodes) && nodes.length > 0 && nodes.length <= MAX_NODES && nodes.every(isNodeId);
}

/** Parses an answer. An activity later checks whether the value fits the question. */
export function parseAnswer(message: unknown): Read<Answer> {
  const example = '{"question":"3fa9c1d2.node_3","value":true,"by":"operator"}';
  return readPayload<Answer>(withoutKind(message, 'answer'), example, (payload) => {
    const { question, value, digest } = payload;
    const unknown = unknownKey(payload, ['question', 'value', 'digest', ...BY]);
    if (unknown !== undefined) return unknown;
    if (typeof question !== 'string' || question.trim() === '' || question.length > MAX_ID) {
      return `question: expected the id of an open question, got ${describe(question)}`;
    }
    if (value === undefined) return 'value: expected the answer, got nothing';
    if (digest !== undefined && !isDigest(digest)) return digestProblem(digest);
    return senderProblem(payload);
  });
}

export function parseControl(message: unknown): Read<Control> {
  return readPayload<Control>(withoutKind(message, 'control'), '{"action":"pause","by":"operator"}', (payload) => {
    const { action, node, digest, comment } = payload;
    if (!isAction(action)) return `action: expected ${CONTROL_ACTIONS.join(' or ')}, got ${describe(action)}`;
    const facts = CONTROLS[action];
    const unknown = unknownKey(payload, ['action', 'node', 'digest', ...BY, ...(facts.fields ?? [])]);
    if (unknown !== undefined) return unknown;
    if (facts.node === 'none' && node !== undefined) return `node: ${action} is about the whole run`;
    if (facts.node === 'required' && !isNodeId(node)) {
      return `node: expected the id of a node such as "node_3", got ${describe(node)}`;
    }
    if (digest !== undefined && !isDigest(digest)) return digestProblem(digest);
    if (facts.comment === 'required' && isBlank(comment)) return commentProblem(action, comment);
    return (action === 'resolve' ? resolveProblem(payload) : undefined) ?? senderProblem(payload);
  });
}

function isAction(value: unknown): value is ControlAction {
  return CONTROL_ACTIONS.includes(value as ControlAction);
}

export function isBlank(comment: unknown): boolean {
  return comment === undefined || (typeof comment === 'string' && withoutHidden(comment).trim() === '');
}

function commentProblem(action: ControlAction, comment: unknown): string {
  const example = `{"action":"${action}","by":"operator","comment":"the beam is lost"}`;
  return `comment: expected why, which is kept with who says it, got ${describe(comment)}; say it again with a comment, such as ${example}`;
}

function resolveProblem({ outcome, value }: Payload): string | undefined {
  if (!RESOLVE_OUTCOMES.includes(outcome as (typeof RESOLVE_OUTCOMES)[number])) {
    return `outcome: expected ${RESOLVE_OUTCOMES.join(' or ')}, got ${describe(outcome)}`;
  }
  if ((outcome === 'succeeded') === (value !== undefined)) return undefined;
  return outcome === 'succeeded'
    ? 'value: expected the result of the node; a set is the list of its ids'
    : 'value: only resolve with outcome "succeeded" has one';
}

const BY = ['by', 'role', 'comment'];

function withoutKind(message: unknown, own: string): unknown {
  if (!isRecord(message) || message['kind'] !== own) return message;
  const { kind: _, ...rest } = message;
  return rest;
}

/** Parses a message, which must be one JSON object. Drops keys without a value. */
function readPayload<Message extends { readonly by: string; readonly digest?: string }>(
  payload: unknown,
  example: string,
  problemIn: (payload: Payload) => string | undefined,
): Read<Message> {
  if (isMalformed(payload)) return { ok: false, reason: `the message could not be decoded (${payload.reason})` };
  if (!isRecord(payload)) {
    return { ok: false, reason: `expected an object such as ${example}, got ${describe(payload)}` };
  }
  const reason = problemIn(payload);
  if (reason !== undefined) return { ok: false, reason };
  const parsed = given(payload) as unknown as Message;
  const { by, digest } = parsed;
  return { ok: true, message: { ...parsed, by: by.trim(), ...(digest && { digest: digest.toLowerCase() }) } };
}

function senderProblem({ by, role, comment, feedback }: Payload): string | undefined {
  if (typeof by !== 'string' || normalizeName(by) === '' || by.length > MAX_NAME) {
    return `by: expected the name of who says it, at most ${MAX_NAME} characters, got ${describe(by)}`;
  }
  if (role !== undefined && (typeof role !== 'string' || role.trim() === '' || role.length > MAX_NAME)) {
    return `role: expected a text of at most ${MAX_NAME} characters, got ${describe(role)}`;
  }
  if (comment !== undefined && (typeof comment !== 'string' || comment.length > MAX_TEXT)) {
    return `comment: expected a text of at most ${MAX_TEXT} characters, got ${describe(comment)}`;
  }
  const broken = Object.entries({ by, role, comment, feedback }).find(
    ([, text]) => typeof text === 'string' && !text.isWellFormed(),
  );
  return broken && `${broken[0]}: it holds half of a surrogate pair, which is no character; leave it out`;
}

function digestProblem(digest: unknown): string {
  return `digest: expected at least the first 8 hex digits of the plan's digest, got ${describe(digest)}`;
}

function unknownKey(payload: Payload, known: readonly string[]): string | undefined {
  const unknown = Object.keys(payload).find((key) => !known.includes(key));
  return unknown === undefined ? undefined : `unknown key ${quote(unknown)}; known are ${known.join(', ')}`;
}

/** Texts that approve, from chats (answer detection in Osprey) and the buttons. No other text approves. */
export const YES_WORDS: readonly string[] = ['yes', 'y', 'yep', 'yeah', 'ok', 'okay', 'approve'];
export const NO_WORDS: readonly string[] = ['no', 'n', 'nope', 'nah', 'cancel', 'reject'];

/**
 * `unclear` means that the question must be asked again. Ignores case, surrounding space and closing punctuation.
 * @example readYesNo(' Okay.'); // 'yes', and readYesNo('yes, but later') is 'unclear'
 */
export function readYesNo(text: string): 'yes' | 'no' | 'unclear' {
  const normalized = text
    .trim()
    .toLowerCase()
    .replace(/[.!?]+$/, '');
  if (YES_WORDS.includes(normalized)) return 'yes';
  return NO_WORDS.includes(normalized) ? 'no' : 'unclear';
}
