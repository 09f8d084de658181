import { describeValue, listNames, quote } from '../text/index.ts';
import { didYouMean, below, nodeAt } from '../issues/index.ts';
import { readForeignKeys, type ForeignKeys } from '../foreign-keys.ts';
import { COLOCATE_FIELDS, NAMES, NODE_TYPES, keysOf } from '../names.ts';
import { isPlainObject } from '../plain-object.ts';
import { presentKey, readName, readText, readJsonValue } from '../read-field.ts';
import { readWords, withResultNames } from '../read-result-names.ts';
import { readOperands, readOperation } from './read-combine.ts';
import type { PlanNode } from '../compiled-plan.ts';
import type { NodeDraft, NodeSource, Reading, TaskDraft, TaskFields, WrittenNode } from '../plan-reading.ts';

/** Reads a node and all nodes below it into `reading`; undefined if the value is not a node. */
export function readNode(node: WrittenNode, reading: Reading): NodeDraft | undefined {
  // After the budget of characters is spent, every further text would give the same issue.
  if (reading.budget.left < 0) return undefined;
  const { draft, children } = readAlone(node, reading);
  for (let at = 0; at < children.length; at++) {
    const written = children[at];
    const child = written && readNode(written, reading);
    if (draft?.kind === 'task') draft.input = child;
    else if (draft !== undefined && at === 0) draft.left = child;
    else if (draft !== undefined && at === 1) draft.right = child;
  }
  return draft;
}

interface ReadAlone {
  readonly draft?: NodeDraft | undefined;
  readonly children: readonly (WrittenNode | undefined)[];
}

function readAlone(written: WrittenNode, reading: Reading): ReadAlone {
  const named = typeof written.value === 'string' ? reading.named?.get(written.value.trim()) : undefined;
  const { value, place: at } = named ?? written;
  const place = nodeAt(at, isPlainObject(value) ? value['id'] : undefined);
  if (!isPlainObject(value)) {
    reading.issues.add('error', 'not-a-node', place, () => {
      const got = describeValue(value);
      return reading.named === undefined || typeof value !== 'string'
        ? {
            message: `A node belongs here, and this is ${got}. Write an object with "type": "task" or "combine".`,
            ...{ expected: 'an object', got },
          }
        : {
            message: `There is no node ${got}.${didYouMean(value, reading.named.keys())} Take the id of a node of the list; a plan with operators takes nothing from outside.`,
            ...{ expected: 'the id of a node', got },
          };
    });
    return { children: [] };
  }
  const kind = kindOf({ node: value, place }, reading);
  const { source, unread } = readNodeKeys({ node: value, place }, kind, reading);
  if (kind === undefined) {
    // Children of a node with an unknown type are read only to report their problems.
    const { inputs } = source.node;
    const list = below(source.place, 'inputs');
    return {
      children: [
        ...['input', 'left', 'right']
          .filter((key) => isPlainObject(source.node[key]))
          .map((key) => ({ value: source.node[key], place: below(source.place, key) })),
        ...(Array.isArray(inputs) ? (inputs as unknown[]) : [])
          .map((each, index) => ({ value: each, place: below(list, index) }))
          .filter((child) => child.value != null),
      ],
    };
  }
  const draft = kind === 'task' ? readTask(source, unread, reading) : readOperation(source, reading);
  if (draft !== undefined) reading.drafts.push(draft);
  if (kind === 'combine') return { draft, children: readOperands(source, reading) };
  const { input } = source.node;
  return { draft, children: input == null ? [] : [{ value: input, place: below(source.place, 'input') }] };
}

const { any, task: ofTask, combine: ofCombine } = NAMES;
const OPERANDS = ['left', 'right', 'inputs', ...ofCombine.left.foreign, ...ofCombine.right.foreign];
const OWNERS: ReadonlyMap<string, 'any' | PlanNode['kind']> = new Map([
  ...keysOf('any').map((key) => [key, 'any'] as const),
  ...keysOf('task').map((key) => [key, 'task'] as const),
  ...[...keysOf('combine'), ...COLOCATE_FIELDS].map((key) => [key, 'combine'] as const),
]);

/** Translates the keys of a node to this project's keys, and lists keys that are not read. */
function readNodeKeys({ node, place }: NodeSource, kind: PlanNode['kind'] | undefined, reading: Reading): ForeignKeys {
  const keys = Object.keys(node).filter((key) => {
    const owner = OWNERS.get(key);
    return owner === undefined || (owner !== 'any' && owner !== kind && node[key] != null);
  });
  if (kind === undefined || keys.length === 0) return { source: { node, place } };
  return readForeignKeys({ node, place }, kind, keys, reading, {
    ownId: node['id'],
    unread: (key) => {
      const owner = OWNERS.get(key);
      return owner === undefined
        ? `A node has no key ${quote(key)}; it is not read.${didYouMean(key, OWNERS.keys())} If the task needs it, put it into "context".`
        : `"${key}" belongs to a ${owner}, and this node is a ${kind}; it is not read. Remove it, or change the type of the node.`;
    },
  });
}

const KIND_BY_TYPE: ReadonlyMap<string, PlanNode['kind']> = new Map(
  (['task', 'combine'] as const).flatMap((kind) => NODE_TYPES[kind].map((type) => [type, kind] as const)),
);
const TYPES = [...KIND_BY_TYPE.keys()];

function kindOf(source: NodeSource, reading: Reading): PlanNode['kind'] | undefined {
  const key = presentKey(source, any.type.keys, reading);
  const written = key === undefined ? '' : source.node[key];
  if (typeof written === 'string') {
    const name = written.trim().toLowerCase();
    if (name === '') return inferredKind(source, reading);
    const kind = KIND_BY_TYPE.get(name);
    if (kind !== undefined) return kind;
  }
  reading.issues.add('error', 'node-type', below(source.place, key!), () => ({
    message: `${typeof written === 'string' ? `${quote(written)} is no type of node.${didYouMean(written, TYPES)}` : `The type of a node is a text, and this is ${describeValue(written)}.`} Write "task" or "combine".`,
    expected: TYPES,
    got: describeValue(written),
  }));
  return undefined;
}

/** Infers a node's type as Pathfinder does: with an operator and an operand a combine, with a task text a task. */
function inferredKind({ node, place }: NodeSource, reading: Reading): PlanNode['kind'] | undefined {
  const operator = ofCombine.operator.keys.some((key) => node[key] != null);
  const operand = OPERANDS.some((key) => node[key] != null);
  if (operator && operand) return 'combine';
  if (ofTask.task.keys.some((key) => node[key] != null)) return 'task';
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
  const keys = Object.keys(node).filter((key) => !OWNERS.has(key));
  return keys.length === 0 ? '' : ` Its keys ${listNames(keys.slice(0, 5))} are unknown.`;
}

function readTask(source: NodeSource, unread: TaskFields['unread'], reading: Reading): TaskDraft {
  const task = readTaskText(source, reading);
  const hint = readText(source, ofTask.hint.keys, reading);
  const context = readJsonValue(source, ofTask.context.keys, reading, 'invalid-context');
  const capability = readName(source, 'capability', reading);
  const args = readJsonValue(source, ['arguments'], reading, 'invalid-arguments');
  const agent = readName(source, 'agent', reading);
  const displayName = readText(source, any.displayName.keys, reading);
  const { input } = source.node;
  const naming = { reading, takes: { input: isPlainObject(input) ? (input['id'] ?? null) : (input ?? undefined) } };
  readWords(task, source.place, 'task', naming);
  readWords(hint, source.place, 'hint', naming);
  withResultNames(context.text, below(source.place, 'context'), naming);
  withResultNames(args.text, below(source.place, 'arguments'), naming);
  return {
    kind: 'task',
    place: source.place,
    task: task ?? '',
    hint,
    context: context.text,
    capability,
    arguments: args.text,
    argumentsKey: 'arguments',
    argumentsRead: args.ok,
    unread,
    agent,
    displayName,
  };
}

function readTaskText(source: NodeSource, reading: Reading): string | undefined {
  const before = reading.issues.errors;
  const task = readText(source, ofTask.task.keys, reading, 'invalid-task');
  if (task !== undefined || reading.issues.errors > before) return task;
  const key = ofTask.task.keys.find((each) => source.node[each] != null);
  const place = key === undefined ? source.place : below(source.place, key);
  reading.issues.add('error', 'missing-task', place, () => ({
    message: `${key === undefined ? 'The task has no text' : 'The text of the task is blank'}. Say in "task" what is to be done.`,
    expected: 'a text',
  }));
  return undefined;
}
