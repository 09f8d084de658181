/** The plan document of a draft, from what was given: a whole document, the root of a tree beside its goal, or notes. */

import { FILE_LIMITS, readJson as readWritten, wholeDocument, type JsonValue } from '../../../plan/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import { jsonIn, quote, textOfBytes } from '../../../plan/text/index.ts';
import { invalidEntry, readJson, refuse, type DraftAnswer, type Problems } from './fields.ts';

/** The document as text or as parsed JSON. The compiler finds its faults as a plan. */
export function documentOf(
  goal: string | undefined,
  plan: unknown,
  notes: string | undefined,
): DraftAnswer<{ readonly document: JsonValue }> {
  const problems: Problems = [];
  const given = readJson('plan', plan instanceof Uint8Array ? decode(plan, problems) : plan, problems);
  if (problems.length > 0) return invalidEntry(problems);
  const document = isNothing(given) ? planIn(notes) : given;
  if (document === undefined) return refuse('draft-plan-required', planRequired(notes));
  return goal === undefined ? { ok: true, document } : withGoal(document, goal);
}

/**
 * Text that is no JSON object stays as it is: the goal that the compiler reads in it is compared later. A text stays
 * text, so that the compiler sees what parsing hides, such as a key that stands twice.
 */
function withGoal(document: JsonValue, goal: string): DraftAnswer<{ readonly document: JsonValue }> {
  const value = valueOf(document);
  if (value === undefined) return { ok: true, document };
  const text = typeof document === 'string' ? withoutMark(document) : undefined;
  if (wholeDocument(value, goal) !== value) {
    const around = text === undefined ? { goal, plan: document } : `{"goal":${JSON.stringify(goal)},"plan":${text}}`;
    return { ok: true, document: around };
  }
  const own = value['goal'] ?? value['objective'];
  if (own === undefined || own === null) {
    const written = text !== undefined && !('goal' in value);
    return {
      ok: true,
      document: written ? `{"goal":${JSON.stringify(goal)},${text.slice(1)}` : { ...value, goal },
    };
  }
  return typeof own === 'string' && own.trim() !== goal ? twoGoals(goal, own) : { ok: true, document };
}

/** The object that a document is, where it is one without the help of the compiler. */
export function valueOf(document: JsonValue): Record<string, unknown> | undefined {
  const value = typeof document === 'string' ? jsonIn(withoutMark(document)) : document;
  return isRecord(value) ? value : undefined;
}

export function twoGoals(goal: string, own: string): DraftAnswer<never> {
  const message = `The goal is ${quote(goal)}, and the plan document has a goal of its own, ${quote(own)}. Give one goal.`;
  return refuse('invalid-entry', message);
}

function isNothing(plan: JsonValue | undefined): boolean {
  if (typeof plan === 'string') return plan.trim() === '';
  return plan === undefined || plan === null || (isRecord(plan) && Object.keys(plan).length === 0);
}

/** Node types that only a plan has. */
const NODE_TYPES = ['task', 'step', 'subtask', 'combine', 'op', 'operator'];

/** The document that a model wrote into its notes instead of handing it over: read as a text with a plan in it is. */
function planIn(notes: string | undefined): JsonValue | undefined {
  const read = notes === undefined ? undefined : readWritten(notes);
  if (read?.ok !== true || !isRecord(read.value)) return undefined;
  const { plan, steps, type, kind } = read.value;
  const node = type ?? kind;
  const isNode = typeof node === 'string' && NODE_TYPES.includes(node.trim().toLowerCase());
  return isRecord(plan) || Array.isArray(steps) || isNode ? read.value : undefined;
}

function planRequired(notes: string | undefined): string {
  const where = notes === undefined ? 'no plan and no notes' : 'no plan, and its notes hold no JSON object that is one';
  return `The draft has ${where}. Give a plan document, { "goal": "...", "plan": { ... } }, or the root of its tree beside a goal.`;
}

function decode(bytes: Uint8Array, problems: Problems): string | undefined {
  if (bytes.length > FILE_LIMITS.bytes) {
    problems.push(`plan: has ${bytes.length} bytes, expected at most ${FILE_LIMITS.bytes}`);
    return undefined;
  }
  const text = textOfBytes(bytes);
  if (text === undefined) problems.push('plan: its bytes are not UTF-8; save the file as UTF-8');
  return text;
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '').trim();
}
