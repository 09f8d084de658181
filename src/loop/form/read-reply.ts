/** The reply of a model that was asked for a plan. */

import { isRecord, MAX_QUESTION_BYTES, MAX_QUESTION_TEXT, type Question } from '../../wire/contract/index.ts';
import { MODEL_LIMITS, type PlanIssue } from '../../language/plan/index.ts';
import { describeValue, jsonIn, quote } from '../../language/text/index.ts';
import type { ModelReply } from '../../model/index.ts';
import type { NodesReply, WrittenDocument } from './build-document.ts';
import { fault } from './flat-node.ts';

export type PlanReply =
  /** `ignored` are warnings of what the reply says beside its plan: it changes nothing. */
  | ({ readonly is: 'nodes'; readonly ignored: readonly PlanIssue[] } & NodesReply)
  /** A plan in the form of a document, which is as good. */
  | { readonly is: 'document'; readonly document: WrittenDocument }
  | { readonly is: 'question'; readonly question: Question }
  | { readonly is: 'nothing'; readonly issues: readonly PlanIssue[] };

const KEYS = ['explanation', 'nodes', 'question', 'complexity', 'estimated_time'];

/** Never throws. */
export function readPlanReply(reply: Pick<ModelReply, 'text' | 'value'>): PlanReply {
  const value = jsonOfReply(reply);
  if (!isRecord(value)) return { is: 'nothing', issues: [noPlan(reply.text, value)] };
  const { nodes, question, complexity, estimated_time: estimatedTime } = value;
  if (Array.isArray(nodes) && (nodes.length > 0 || question == null)) {
    return { is: 'nodes', nodes, complexity, estimatedTime, ignored: ignoredKeys(value) };
  }
  if (nodes == null && (value['plan'] != null || value['steps'] != null)) return { is: 'document', document: value };
  if (isRecord(question)) return readQuestion(question);
  const got = nodes == null ? `has the keys ${Object.keys(value).slice(0, 10).map(quote).join(', ') || 'of none'}` : '';
  const message =
    nodes == null
      ? `The reply has no list "nodes" and no "question" with a text; it ${got}.`
      : `"nodes" is ${describeValue(nodes)}. Write a list of nodes.`;
  return { is: 'nothing', issues: [fault('missing-plan', '$.nodes', message, undefined, 'a list of nodes')] };
}

/**
 * Takes the question alone: with a default, a deadline or a role of its own choice a model could answer for the person
 * it asks.
 */
function readQuestion({ text, schema, suggestions }: Readonly<Record<string, unknown>>): PlanReply {
  const question = {
    text,
    ...(isRecord(schema) && { schema }),
    ...(Array.isArray(suggestions) && { suggestions }),
  } as unknown as Question;
  const bytes = Buffer.byteLength(JSON.stringify(question));
  const isText = typeof text === 'string' && text.trim() !== '' && text.length <= MAX_QUESTION_TEXT;
  if (isText && bytes <= MAX_QUESTION_BYTES) return { is: 'question', question };
  const message = `A question has a text of at most ${MAX_QUESTION_TEXT} characters, and takes at most ${MAX_QUESTION_BYTES} bytes; this one takes ${bytes}, and its text is ${describeValue(text)}.`;
  return { is: 'nothing', issues: [fault('invalid-text', '$.question', message, undefined, 'a short text')] };
}

/**
 * The JSON of a reply: the value that the client read, else the text from its first brace to its last (Pathfinder:
 * plans in notes). Undefined where there is none. A reply that was cut off is not completed.
 */
export function jsonOfReply({ text, value }: Pick<ModelReply, 'text' | 'value'>): unknown {
  if (value !== undefined) return value;
  if (text.length > MODEL_LIMITS.bytes) return undefined;
  const braced = text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1);
  const whole = jsonIn(text);
  return whole === undefined ? jsonIn(braced) : whole;
}

function noPlan(text: string, value: unknown): PlanIssue {
  if (text.length > MODEL_LIMITS.bytes) {
    return fault('too-large', '$', `The reply has more than ${MODEL_LIMITS.bytes} characters. Write a smaller plan.`);
  }
  if (value !== undefined) return fault('unknown-format', '$', `The reply is ${describeValue(value)}, and no object.`);
  if (text.trim() === '') return fault('empty-document', '$', 'The reply is empty. Write a plan.');
  if (/^[^{]*\{/.test(text)) {
    return fault('invalid-json', '$', `The reply is no whole JSON: it begins with ${quote(text.trim())}.`);
  }
  return fault('not-text', '$', `The reply is prose and no plan: ${quote(text.trim())}. Write JSON alone.`);
}

/** An approval, a limit or an option that a model writes has no meaning, and is said to have none. */
function ignoredKeys(value: Readonly<Record<string, unknown>>): readonly PlanIssue[] {
  return Object.keys(value)
    .filter((key) => !KEYS.includes(key))
    .map((key) => ({
      code: 'ignored-key',
      severity: 'warning',
      path: '$',
      message: `The reply has a key ${quote(key)}, which is not part of a plan and changes nothing.`,
    }));
}
