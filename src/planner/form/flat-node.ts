/** Reading the nodes of a flat list, each by itself. */

import { isRecord } from '../../protocol/index.ts';
import { didYouMean, MODEL_LIMITS, type PlanIssue } from '../../plan/index.ts';
import { describeValue, quote } from '../../plan/text/index.ts';

export interface FlatNode {
  /** Its place in the list. */
  readonly index: number;
  readonly id: string;
  readonly isCombine: boolean;
  /** The names of what it takes, and how each was written: a step may say under which type. */
  readonly inputs: readonly { readonly name: string; readonly written: unknown }[];
  /** Everything else that it says, as it was written. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An error at a place of the list, in the form that the compiler's have. */
export function fault(
  code: PlanIssue['code'],
  path: string,
  message: string,
  nodeId?: string,
  expected?: PlanIssue['expected'],
): PlanIssue {
  return {
    code,
    severity: 'error',
    path,
    message,
    ...(nodeId !== undefined && { nodeId }),
    ...(expected !== undefined && { expected }),
  };
}

/** The nodes that could be read; each of the others has an issue. */
export function readFlatNodes(list: readonly unknown[]): { nodes: readonly FlatNode[]; issues: readonly PlanIssue[] } {
  const issues: PlanIssue[] = [];
  if (list.length === 0) {
    issues.push(
      fault('missing-plan', '$.nodes', 'The list has no nodes. Write at least one task.', undefined, 'nodes'),
    );
  }
  if (list.length > MODEL_LIMITS.nodes) {
    const message = `The list has ${list.length} nodes, and ${MODEL_LIMITS.nodes} are allowed. Write fewer, larger tasks.`;
    return { nodes: [], issues: [fault('too-many-nodes', '$.nodes', message)] };
  }
  const nodes: FlatNode[] = [];
  const ids = new Set<string>();
  for (const [index, value] of list.entries()) {
    const path = `$.nodes[${index}]`;
    if (!isRecord(value)) {
      const message = `A node belongs here, and this is ${describeValue(value)}. Write { "id": ..., "task": ... } or { "id": ..., "operator": ..., "inputs": [...] }.`;
      issues.push(fault('not-a-node', path, message, undefined, 'an object'));
      continue;
    }
    const node = readFlatNode(value, index, path, issues);
    if (node === undefined) continue;
    if (ids.has(node.id)) {
      const message = `There is more than one node ${quote(node.id)}. Give each an id of its own.`;
      issues.push(fault('duplicate-step-key', `${path}.id`, message, node.id));
      continue;
    }
    ids.add(node.id);
    nodes.push(node);
  }
  return { nodes, issues };
}

const MAX_ID = 100;

function readFlatNode(
  { id: writtenId, inputs, input, ...fields }: Readonly<Record<string, unknown>>,
  index: number,
  path: string,
  issues: PlanIssue[],
): FlatNode | undefined {
  const id = typeof writtenId === 'number' ? String(writtenId) : writtenId;
  if (typeof id !== 'string' || id.trim() === '' || id.length > MAX_ID) {
    const message = `Each node has an "id", a text of at most ${MAX_ID} characters, and this one has ${describeValue(writtenId)}.`;
    issues.push(fault('invalid-step-key', `${path}.id`, message, undefined, 'a text'));
    return undefined;
  }
  if (inputs != null && input != null && !sameList(inputs, input)) {
    const both = `"inputs" is ${describeValue(inputs)} and "input" is ${describeValue(input)}`;
    issues.push(
      fault('invalid-inputs', `${path}.input`, `${both}: they mean the same and differ. Keep one of them.`, id),
    );
  }
  const taken = inputs ?? input ?? [];
  const list: readonly unknown[] = Array.isArray(taken) ? taken : [taken];
  const read = list.flatMap((written, at) => {
    const name = nameOf(written);
    if (name !== undefined) return [{ name, written }];
    const message = `An input is the id of a node, and this is ${describeValue(written)}.`;
    issues.push(fault('invalid-inputs', `${path}.inputs[${at}]`, message, id, 'an id'));
    return [];
  });
  return { index, id, isCombine: fields['operator'] != null, inputs: read, fields };
}

function sameList(one: unknown, other: unknown): boolean {
  return JSON.stringify([one].flat()) === JSON.stringify([other].flat());
}

/** Osprey: an input is a key, or an object of its type and the key. */
function nameOf(written: unknown): string | undefined {
  if (typeof written === 'string') return written;
  if (typeof written === 'number') return String(written);
  const [only, ...more] = isRecord(written) ? Object.values(written) : [];
  return typeof only === 'string' && more.length === 0 ? only : undefined;
}

/** The inputs that name no node, the node itself, or one that needs it. */
export function referenceFaults(nodes: readonly FlatNode[], external: ReadonlySet<string>): readonly PlanIssue[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = [...byId.keys(), ...external];
  const issues = nodes.flatMap((node) =>
    node.inputs.flatMap(({ name }, at) => {
      const path = `$.nodes[${node.index}].inputs[${at}]`;
      if (name === node.id) return [fault('self-reference', path, `The node ${quote(name)} takes itself.`, node.id)];
      if (byId.has(name) || external.has(name)) return [];
      const message = `There is no node ${quote(name)}.${didYouMean(name, known)} Take the id of a node of the list.`;
      return [fault('unknown-reference', path, message, node.id, known)];
    }),
  );
  return [...issues, ...(issues.length > 0 ? [] : circles(nodes, byId))];
}

/** Each node that is left when those that need nothing more are taken out again and again, unless it only needs a circle. */
function circles(nodes: readonly FlatNode[], byId: ReadonlyMap<string, FlatNode>): readonly PlanIssue[] {
  const left = new Set(nodes);
  const isNeeded = (node: FlatNode) => [...left].some(({ inputs }) => inputs.some(({ name }) => name === node.id));
  const needs = (node: FlatNode) => node.inputs.some(({ name }) => left.has(byId.get(name)!));
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const node of left) if (!needs(node) || !isNeeded(node)) left.delete(node);
  }
  return [...left].map((node) => {
    const names = [...left].map(({ id }) => quote(id)).join(', ');
    const message = `The nodes ${names} need each other, so that none of them can begin. Take one of their inputs out.`;
    return fault('cyclic-reference', `$.nodes[${node.index}].inputs`, message, node.id);
  });
}
