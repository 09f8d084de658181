/** Finds the plan of a draft: a document, the root of a tree with a goal, or a document in the notes. */

import { readJson, wholeDocument, type JsonValue } from '../../../plan/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import { jsonIn } from '../../../plan/text/index.ts';
import { DraftError } from './drafts.ts';

export function draftDocument(
  goal: string | undefined,
  plan: JsonValue | undefined,
  notes: string | undefined,
): JsonValue {
  const document = isNothing(plan) ? planIn(notes) : plan;
  if (document !== undefined) return goal === undefined ? document : withGoal(document, goal);
  const where = notes === undefined ? 'no plan and no notes' : 'no plan, and its notes hold no JSON object that is one';
  const next = 'Give a plan document, { "goal": "...", "plan": { ... } }, or the root of its tree beside a goal.';
  throw new DraftError('draft-plan-required', `The draft has ${where}. ${next}`);
}

/** Adds the goal to a document. A text stays text, so that the compiler sees repeated keys. */
function withGoal(document: JsonValue, goal: string): JsonValue {
  const value = documentObject(document);
  if (value === undefined) return document;
  const text = typeof document === 'string' ? withoutMark(document) : undefined;
  const isRoot = wholeDocument(value, goal) !== value;
  if (isRoot) return text === undefined ? { goal, plan: document } : `{"goal":${JSON.stringify(goal)},"plan":${text}}`;
  if ((value['goal'] ?? value['objective'] ?? undefined) !== undefined) return document;
  const isText = text !== undefined && !('goal' in value);
  return isText ? `{"goal":${JSON.stringify(goal)},${text.slice(1)}` : { ...value, goal };
}

export function statedGoal(document: JsonValue): string | undefined {
  const { goal, objective } = documentObject(document) ?? {};
  const stated = goal ?? objective;
  return typeof stated === 'string' ? stated.trim() || undefined : undefined;
}

function documentObject(document: JsonValue): Readonly<Record<string, JsonValue>> | undefined {
  const value = typeof document === 'string' ? jsonIn(withoutMark(document)) : document;
  return isRecord(value) ? (value as Readonly<Record<string, JsonValue>>) : undefined;
}

function isNothing(plan: JsonValue | undefined): boolean {
  if (typeof plan === 'string') return plan.trim() === '';
  return plan === undefined || (isRecord(plan) && Object.keys(plan).length === 0);
}

const NODE_TYPES = ['task', 'step', 'subtask', 'combine', 'op', 'operator'];

function planIn(notes: string | undefined): JsonValue | undefined {
  const read = notes === undefined ? undefined : readJson(notes);
  if (read?.ok !== true || !isRecord(read.value)) return undefined;
  const { plan, steps, type, kind } = read.value;
  const node = type ?? kind;
  const isNode = typeof node === 'string' && NODE_TYPES.includes(node.trim().toLowerCase());
  return isRecord(plan) || Array.isArray(steps) || isNode ? read.value : undefined;
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '').trim();
}
