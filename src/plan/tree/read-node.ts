/** Reading any node: telling whether it is a task or a combine. */

import { describeValue, listNames, quote } from '../text/index.ts';
import { didYouMean, below, nodeAt } from '../issues/index.ts';
import { isPlainObject } from '../plain-object.ts';
import { waitForList } from '../plan-reading.ts';
import { presentKey } from '../read-field.ts';
import { NODE_KEYS, NODE_TYPES, OPERAND_KEYS, OPERATOR_KEYS, TASK_KEYS, TYPE_KEYS, readNodeKeys } from './node-keys.ts';
import { readCombine } from './read-combine.ts';
import { readTask } from './read-task.ts';
import type { PlanNode } from '../compiled-plan.ts';
import type { NodeSource, Reading, WrittenNode } from '../plan-reading.ts';

/** Reads one node: its draft and its issues go into the reading, and its children wait there. */
export function readNode({ value, place: at }: WrittenNode, reading: Reading): void {
  const place = nodeAt(at, isPlainObject(value) ? value['id'] : undefined);
  if (!isPlainObject(value)) {
    reading.issues.add('error', 'not-a-node', place, () => ({
      message: `A node belongs here, and this is ${describeValue(value)}. Write an object with "type": "task" or "combine".`,
      expected: 'an object',
      got: describeValue(value),
    }));
    return;
  }
  const written = { node: value, place };
  const kind = kindOf(written, reading);
  const { source, unread } = readNodeKeys(written, kind, reading);
  if (kind === 'task') readTask(source, unread, reading);
  else if (kind === 'combine') readCombine(source, reading);
  else waitForAnyChildren(source, reading);
}

const KIND_BY_TYPE: ReadonlyMap<string, PlanNode['kind']> = new Map([
  ...NODE_TYPES.task.map((type) => [type, 'task'] as const),
  ...NODE_TYPES.combine.map((type) => [type, 'combine'] as const),
]);
const TYPES = [...KIND_BY_TYPE.keys()];

function kindOf(source: NodeSource, reading: Reading): PlanNode['kind'] | undefined {
  const key = presentKey(source, TYPE_KEYS, reading);
  const written = key === undefined ? '' : source.node[key];
  if (typeof written === 'string') {
    const name = written.trim().toLowerCase();
    if (name === '') return inferredKind(source, reading);
    const kind = KIND_BY_TYPE.get(name);
    if (kind !== undefined) return kind;
  }
  const hint = typeof written === 'string' ? didYouMean(written, TYPES) : '';
  reading.issues.add('error', 'node-type', below(source.place, key!), () => ({
    message: `${typeof written === 'string' ? `${quote(written)} is no type of node.${hint}` : `The type of a node is a text, and this is ${describeValue(written)}.`} Write "task" or "combine".`,
    expected: TYPES,
    got: describeValue(written),
  }));
  return undefined;
}

/** Pathfinder: an operator with any operand makes a combine, else a task text makes a task. */
function inferredKind({ node, place }: NodeSource, reading: Reading): PlanNode['kind'] | undefined {
  const operator = OPERATOR_KEYS.some((key) => node[key] != null);
  const operand = OPERAND_KEYS.some((key) => node[key] != null);
  if (operator && operand) return 'combine';
  if (TASK_KEYS.some((key) => node[key] != null)) return 'task';
  if (node['id'] != null && !operator && !operand) {
    reading.issues.add('error', 'id-only', place, () => ({
      message:
        'The node has an id and neither a task nor an operator. A plan has no references: write the whole node here; equal nodes run once.',
    }));
    return undefined;
  }
  const start = operator
    ? 'The node has an operator and no operands'
    : operand
      ? 'The node has operands and no operator'
      : undefined;
  reading.issues.add('error', 'node-type', place, () => ({
    message:
      start === undefined
        ? `The node is neither a task nor a combine.${nearKey(node)} Give it a "task" text, or an "operator" with "left" and "right".`
        : `${start}.${nearKey(node)} Give it an "operator" with "left" and "right".`,
    expected: Object.keys(NODE_TYPES),
  }));
  return undefined;
}

function nearKey(node: object): string {
  const keys = Object.keys(node).filter((key) => !NODE_KEYS.has(key));
  return keys.length === 0 ? '' : ` Its keys ${listNames(keys.slice(0, 5))} are unknown.`;
}

/** The children of a node of no kind are read all the same, for their own problems. */
function waitForAnyChildren({ node, place }: NodeSource, reading: Reading): void {
  const { input, left, right, inputs } = node;
  if (Array.isArray(inputs)) waitForList(inputs, below(place, 'inputs'), reading);
  for (const [key, child] of [
    ['right', right],
    ['left', left],
    ['input', input],
  ] as const) {
    if (isPlainObject(child)) reading.waiting.push({ value: child, place: below(place, key) });
  }
}
