/**
 * Reads the plan in a model's reply, in any of these formats: a flat list of nodes, a list of steps (Osprey), a goal
 * with a tree (Pathfinder), XML (Calute), or one of these in a list or another object.
 */

import { isRecord, MAX_QUESTION_BYTES, MAX_QUESTION_TEXT, type Question } from '../../protocol/index.ts';
import { exactJson, MODEL_LIMITS, readJson, type PlanIssue } from '../../plan/index.ts';
import { describeValue, quote } from '../../plan/text/index.ts';
import type { ModelReply } from '../../models/index.ts';

export type WrittenDocument = Readonly<Record<string, unknown>>;

/** The plan or the question in a reply, or its issues. `ignored` has warnings about the rest of the reply. */
export type PlanReply =
  | { readonly is: 'document'; readonly document: WrittenDocument; readonly ignored: readonly PlanIssue[] }
  | { readonly is: 'xml'; readonly text: string; readonly ignored: readonly PlanIssue[] }
  | { readonly is: 'question'; readonly question: Question }
  | { readonly is: 'nothing'; readonly issues: readonly PlanIssue[] };

type Reply = Readonly<Record<string, unknown>>;

/** The keys of a plan, and keys that may be beside it. `goal` is ignored, since the run's goal counts. */
const KEYS = ['nodes', 'steps', 'plan', 'question', 'goal', 'explanation', 'complexity', 'estimated_time'];

/** Reads the plan in a reply. It never throws. */
export function readPlanReply(reply: Pick<ModelReply, 'text' | 'value'>): PlanReply {
  const drafts = reply.value === undefined ? plansIn(reply.text) : [];
  const last = drafts.at(-1);
  const warning = ignored('$', `The reply has ${drafts.length} plans, and the last one counts.`);
  const several = drafts.length > 1 ? [warning] : [];
  // The last plan in XML, or the only plan with the text around it, which gives a warning.
  const xml = drafts.length > 1 ? last : isXml(reply.text) && reply.value === undefined ? reply.text : undefined;
  if (typeof xml === 'string') return { is: 'xml', text: xml, ignored: several };
  const plan = readPlan(reply, drafts.length > 1 ? last : jsonOfReply(reply));
  return 'ignored' in plan ? { ...plan, ignored: [...plan.ignored, ...several] } : plan;
}

/**
 * Finds all plans in a reply: the last is final, others are drafts. Plans in XML are returned as text, others as parsed
 * values.
 */
function plansIn(written: string): readonly unknown[] {
  const text = written.length > MODEL_LIMITS.bytes ? '' : withoutThoughts(written);
  const plans: unknown[] = [];
  let depth = 0;
  let start = 0;
  let xml = -1;
  // Removes quotes that are not closed on their line, since for each the search would read the rest of the line.
  const closed = text.replace(/"[^"\\\n]*(?:\\.[^"\\\n]*)*("?)/g, (found, end) =>
    end ? found : found.replaceAll('"', ' '),
  );
  for (const { 0: mark, index } of closed.matchAll(/"(?:[^"\\\n]|\\.)*"|[{}]|<plan(?=[\s>])|<\/plan\s*>/gi)) {
    if (mark.startsWith('</')) {
      if (xml >= 0 && depth === 0) plans.push(text.slice(xml, index + mark.length));
      xml = -1;
    } else if (mark.startsWith('<') && depth === 0 && xml < 0) xml = index;
    if (xml >= 0) continue;
    if (mark === '{' && depth++ === 0) start = index;
    if (mark !== '}' || depth === 0 || --depth > 0) continue;
    const value = exactJson(text.slice(start, index + 1));
    if (hasPlan(value)) plans.push(value);
  }
  return plans.length > 0 ? plans : yamlPlansIn(text);
}

const MAX_DOCUMENTS = 20;

function yamlPlansIn(text: string): readonly unknown[] {
  const documents = text.split(/^(?:---|`{3}\w*)[ \t]*\r?$/m).slice(-MAX_DOCUMENTS);
  return documents.length < 2 ? [] : documents.map((one) => jsonOfReply({ text: one })).filter(hasPlan);
}

function readPlan(reply: Pick<ModelReply, 'text'>, read: unknown): PlanReply {
  const value = outOfWrapping(read);
  if (value === undefined) return { is: 'nothing', issues: [noPlanIssue(reply.text, read)] };
  const { nodes, steps, plan, question } = value;
  if (Array.isArray(nodes) && (nodes.length > 0 || question == null)) return readNodes(nodes, value);
  if (nodes == null && (plan != null || steps != null)) return readDocument(value);
  if (question != null) return readQuestion(isRecord(question) ? question : { ...value, text: question });
  const keys = Object.keys(value).slice(0, 10).map(quote).join(', ') || 'of none';
  const message =
    nodes == null
      ? `The reply has no list "nodes" and no "question" with a text; it has the keys ${keys}.`
      : `"nodes" is ${describeValue(nodes)}. Write a list of nodes.`;
  return { is: 'nothing', issues: [fault('missing-plan', '$.nodes', message, 'a list of nodes')] };
}

function readNodes(list: readonly unknown[], value: Reply): PlanReply {
  const [first] = list;
  if (list.length === 1 && isQuestion(first)) {
    const { question } = first;
    return readQuestion(isRecord(question) ? question : { ...first, text: question });
  }
  const questions = list.flatMap((node, at) => (isQuestion(node) ? [at] : []));
  const besides = questions.map((at) => ignored(`$.nodes[${at}]`, 'A question beside a plan is not asked.'));
  const nodes = list.filter((node) => !isQuestion(node));
  const facts = nodes.some((node) => isRecord(node) && (node['operator'] ?? node['op']) != null) ? {} : effortIn(value);
  return { is: 'document', document: { ...facts, nodes }, ignored: [...ignoredKeys(value), ...besides] };
}

function readDocument(value: Reply): PlanReply {
  const { plan, steps } = value;
  const document = plan == null ? { ...effortIn(value), steps } : { plan };
  return { is: 'document', document, ignored: ignoredKeys(value) };
}

function effortIn({ complexity, estimated_time: estimate }: Reply): WrittenDocument {
  return { ...(complexity != null && { complexity }), ...(estimate != null && { estimated_time: estimate }) };
}

/** The object with the plan: the reply, an object made of a list, or the only member that has a plan. */
function outOfWrapping(read: unknown): Reply | undefined {
  if (Array.isArray(read)) return read.every(isRecord) ? ofList(read) : undefined;
  if (!isRecord(read)) return undefined;
  if (read['nodes'] != null || read['steps'] != null) return read;
  const wrapped = Object.entries(read).filter(([, member]) => hasPlan(member));
  const [[key, inside] = []] = wrapped;
  if (key === undefined || wrapped.length > 1) return read;
  const { [key]: _, ...beside } = read;
  return { ...beside, ...(Array.isArray(inside) ? ofList(inside) : (inside as Reply)) };
}

function hasPlan(member: unknown): boolean {
  if (Array.isArray(member)) return member.length > 0 && member.every(isNode);
  return isRecord(member) && ['nodes', 'steps', 'plan'].some((key) => typeof member[key] === 'object');
}

function isNode(value: unknown): boolean {
  return isRecord(value) && ['task', 'task_objective', 'operator', 'capability', 'agent'].some((key) => key in value);
}

function ofList(list: readonly unknown[]): Reply {
  const isOfSteps = list.some((one) => isRecord(one) && ('task_objective' in one || 'context_key' in one));
  return isOfSteps ? { steps: list } : { nodes: list };
}

function isQuestion(node: unknown): node is Reply {
  return isRecord(node) && node['question'] != null && !isNode(node);
}

/** Reads only the question itself: with a default, a deadline or a role, a model could answer for the person. */
function readQuestion({ text, schema, suggestions }: Reply): PlanReply {
  const question = {
    text,
    ...(isRecord(schema) && { schema }),
    ...(Array.isArray(suggestions) && suggestions.length > 0 && { suggestions }),
  } as unknown as Question;
  const bytes = Buffer.byteLength(JSON.stringify(question));
  const isText = typeof text === 'string' && text.trim() !== '' && text.length <= MAX_QUESTION_TEXT;
  if (isText && bytes <= MAX_QUESTION_BYTES) return { is: 'question', question };
  const message = `A question has a text of at most ${MAX_QUESTION_TEXT} characters, and takes at most ${MAX_QUESTION_BYTES} bytes; this one takes ${bytes}, and its text is ${describeValue(text)}.`;
  return { is: 'nothing', issues: [fault('invalid-text', '$.question', message, 'a short text')] };
}

/** The JSON of a reply or of its text (plans in notes in Pathfinder). A cut reply is not completed. */
export function jsonOfReply({ text, value }: Pick<ModelReply, 'text' | 'value'>): unknown {
  if (value !== undefined) return value;
  const read = readJson(text);
  return read.ok ? read.value : undefined;
}

function isXml(text: string): boolean {
  return /^[^{[]*<plan[\s>]/i.test(text);
}

function noPlanIssue(text: string, value: unknown): PlanIssue {
  if (text.length > MODEL_LIMITS.bytes) {
    return fault('too-large', '$', `The reply has more than ${MODEL_LIMITS.bytes} characters. Write a smaller plan.`);
  }
  if (value !== undefined) return fault('unknown-format', '$', `The reply is ${describeValue(value)}, and no object.`);
  if (text.trim() === '') return fault('empty-document', '$', 'The reply is empty. Write a plan.');
  const begins = quote(text.trim());
  if (!/[[{]/.test(text)) {
    return fault('not-text', '$', `The reply is prose and no plan: ${begins}. Write JSON alone.`);
  }
  const read = readJson(text);
  const reason = read.ok ? '' : ` ${read.reason}`;
  return fault('invalid-json', '$', `The reply is no whole JSON: it begins with ${begins}.${reason}`);
}

/** Warns about other keys. Approvals, limits and options in a model's reply have no effect. */
function ignoredKeys(value: Reply): readonly PlanIssue[] {
  return Object.keys(value)
    .filter((key) => !KEYS.includes(key))
    .map((key) => ignored('$', `The reply has a key ${quote(key)}, which is not part of a plan and changes nothing.`));
}

function ignored(path: string, message: string): PlanIssue {
  return { code: 'ignored-key', severity: 'warning', path, message };
}

function fault(code: PlanIssue['code'], path: string, message: string, expected?: string): PlanIssue {
  return { code, severity: 'error', path, message, ...(expected !== undefined && { expected }) };
}

/** Removes thoughts. If a block has no end, it ends with the text; if it has no beginning, it begins with the text. */
export function withoutThoughts(text: string): string {
  let visible = text;
  for (const name of ['think', 'thinking', 'reasoning']) {
    const end = visible.indexOf(`</${name}>`);
    const begin = visible.indexOf(`<${name}>`);
    if (end >= 0 && (begin < 0 || end < begin)) visible = visible.slice(end + name.length + 3);
    const parts = visible.split(`<${name}>`);
    const rest = parts.slice(1).map((part) => part.split(`</${name}>`).slice(1).join(''));
    visible = [parts[0], ...rest].join('');
  }
  return visible;
}
