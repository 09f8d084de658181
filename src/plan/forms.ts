import { wholeDocument } from './whole-document.ts';
import { below, type IssueCode, type Place } from './issues/index.ts';
import { NAMES, NODE_TYPES } from './names.ts';
import { isEmptyValue, isPlainObject } from './plain-object.ts';
import { sameValue } from './read-field.ts';
import { isAnswer } from './steps/index.ts';
import type { NodeSource, Reading, WrittenNode } from './plan-reading.ts';

/** A document as a tree or as a list of steps. `steps` is set if the list was under another key. */
export type PlanForm =
  | { readonly is: 'tree'; readonly source: NodeSource; readonly root: WrittenNode; readonly reading: Reading }
  | { readonly is: 'steps'; readonly source: NodeSource; readonly steps?: readonly WrittenNode[] };

export function formOf(source: NodeSource, reading: Reading): PlanForm {
  const { node, place } = source;
  const inner = node['plan'] ?? node['execution_plan'];
  const key = node['plan'] == null ? 'execution_plan' : 'plan';
  const { [key]: _, ...beside } = node;
  if (isListOfSteps(inner)) return formOfList(inner, below(place, key), { node: beside, place }, reading);
  if (isPlainObject(inner) && (key === 'execution_plan' || wholeDocument(inner, '') === inner)) {
    const at = below(place, key);
    const [own, outer] = [inner['goal'], node['goal']];
    if (own != null && outer != null && !sameValue(own, outer, 1)) {
      const message = 'The document around this one has another goal, which counts. Remove one of them.';
      reading.issues.add('warning', 'ignored-key', below(at, 'goal'), () => ({ message }));
    }
    return formOf({ node: { ...inner, ...beside }, place: at }, reading);
  }
  const { nodes, ...rest } = node;
  if (inner == null && Array.isArray(nodes) && node['steps'] == null)
    return formOfNodes(nodes, below(place, 'nodes'), { node: rest, place }, reading);
  if (inner == null && (Object.hasOwn(node, 'steps') || node['objective'] != null)) return { is: 'steps', source };
  return treeForm(source, reading);
}

/** The form of a document that its caller passed as a tree. A flat list of nodes becomes a tree if possible. */
export function treeForm(source: NodeSource, reading: Reading): PlanForm {
  const { nodes, ...rest } = source.node;
  if (rest['plan'] == null && Array.isArray(nodes))
    return formOfNodes(nodes, below(source.place, 'nodes'), { node: rest, place: source.place }, reading, true);
  return { is: 'tree', source, root: { value: source.node['plan'], place: below(source.place, 'plan') }, reading };
}

export function isListOfSteps(list: unknown): list is readonly unknown[] {
  const isStep = (value: unknown) =>
    typeof value === 'string' || (isPlainObject(value) && STEP_SIGNS.some((key) => value[key] != null));
  return Array.isArray(list) && list.length > 0 && (list.every(isStep) || list.every(isFlatNode));
}

const STEP_SIGNS = ['context_key', 'step_id', 'task_objective', 'action', 'description'];

function isFlatNode(value: unknown): boolean {
  return (
    isPlainObject(value) && value['id'] != null && ['task', 'text', 'operator', 'op'].some((key) => value[key] != null)
  );
}

interface FlatNode extends WrittenNode {
  readonly id: string;
  readonly isCombine: boolean;
  readonly inputs: readonly unknown[];
  readonly ids: readonly string[];
}

/** The form of a list of nodes or steps. `source` has the document's other keys, if there are any. */
export function formOfList(list: readonly unknown[], place: Place, source: NodeSource, reading: Reading): PlanForm {
  if (list.some(isFlatNode)) return formOfNodes(list, place, source, reading);
  return { is: 'steps', source, steps: list.map((value, index) => ({ value, place: below(place, index) })) };
}

/**
 * Converts a flat list of nodes that name each other to a tree, if a node has an operator or the caller wants a tree
 * and the nodes form one. Otherwise the result is a list of steps in a valid order.
 */
function formOfNodes(
  list: readonly unknown[],
  at: Place,
  source: NodeSource,
  reading: Reading,
  isTreeWanted = false,
): PlanForm {
  const written = list.map((value, index) => flatNode(value, below(at, index)));
  // A list above the limit is rejected later, so it is not sorted.
  const nodes = list.length > reading.limits.nodes ? written : nodesInOrder(written);
  const placed = new Set(nodes);
  const stuck = written.find((node) => !placed.has(node));
  if (stuck !== undefined)
    refuse('cyclic-reference', stuck.place, 'The node waits for itself, by way of its inputs. Take one of them out.');
  const known = new Set(nodes.map(({ id }) => id));
  const used = new Set(nodes.flatMap(({ ids }) => ids));
  const roots = nodes.filter(({ id }) => !used.has(id));
  const takesOne = ({ inputs, ids }: FlatNode) =>
    inputs.length < 2 && inputs.length === ids.filter((id) => known.has(id)).length;
  const isTree =
    nodes.some(({ isCombine }) => isCombine) || (isTreeWanted && roots.length === 1 && nodes.every(takesOne));
  if (!isTree) {
    for (const { value, place } of nodes)
      if (isPlainObject(value) && !isEmptyValue(value['context']))
        refuse('unknown-key', below(place, 'context'), NO_CONTEXT);
    return { is: 'steps', source, steps: nodes.map(stepFromNode) };
  }
  const named = new Map<string, WrittenNode>();
  for (const node of nodes) {
    if (named.has(node.id))
      refuse('duplicate-step-key', node.place, 'Another node has the same id. Give each its own.');
    named.set(node.id, treeNode(node));
  }
  for (const root of roots.slice(0, -1))
    refuse(
      'several-documents',
      root.place,
      'No node takes this one, and a plan has one result. Let one node take all the others.',
    );
  const root = roots.at(-1);
  return {
    is: 'tree',
    source,
    root: root === undefined ? { value: undefined, place: at } : named.get(root.id)!,
    reading: { ...reading, named },
  };

  function refuse(code: IssueCode, place: Place, message: string): void {
    reading.issues.add('error', code, place, () => ({ message }));
  }
}

const NO_CONTEXT =
  'In a plan without operators a task has no "context", and this one would be lost. Put it into the arguments or the hint.';

function flatNode(value: unknown, place: Place): FlatNode {
  const node = isPlainObject(value) ? value : {};
  const isCombine = (node['operator'] ?? node['op']) != null;
  const { inputs = isCombine ? undefined : node['input'], left, right } = node;
  const operands = inputs == null ? [left, right] : Array.isArray(inputs) ? (inputs as unknown[]) : [inputs];
  const ids = operands.map(nameIn).filter((name) => name !== '');
  return { value, place, id: idText(node['id']), isCombine, inputs: operands.filter((each) => each != null), ids };
}

function idText(name: unknown): string {
  return typeof name === 'string' || typeof name === 'number' ? String(name).trim() : '';
}

function nameIn(input: unknown): string {
  const [only, ...more] = isPlainObject(input) ? Object.values(input) : [input];
  return more.length === 0 ? idText(only) : '';
}

/** Sorts each node behind the nodes that it names, and answers last. Omits nodes that wait for each other. */
function nodesInOrder(nodes: readonly FlatNode[]): readonly FlatNode[] {
  const isLast = ({ value }: FlatNode) => isPlainObject(value) && isAnswer(idText(value['capability']));
  const rows = [...nodes.filter((node) => !isLast(node)), ...nodes.filter(isLast)].map((node, at) => ({
    ...{ node, at, pass: 0 },
    waits: 0,
    before: [] as number[],
  }));
  const byId = new Map(rows.map((row) => [row.node.id, row]));
  for (const { node, at } of rows)
    for (const id of new Set(node.ids)) {
      if (byId.get(id)?.before.push(at) !== undefined) rows[at]!.waits += 1;
    }
  const placed = rows.filter(({ waits }) => waits === 0);
  // Gives the order that repeated passes over the list would give. The loop also visits the nodes that it adds to
  // `placed`.
  for (const { pass, at, before } of placed)
    for (const next of before.map((each) => rows[each]!)) {
      next.pass = Math.max(next.pass, pass + (at > next.at ? 1 : 0));
      next.waits -= 1;
      if (next.waits === 0) placed.push(next);
    }
  return placed.sort((one, other) => one.pass - other.pass || one.at - other.at).map(({ node }) => node);
}

const STEP_KEYS: ReadonlyMap<string, string> = new Map([
  ['id', 'context_key'],
  ...NAMES.task.task.keys.map((key) => [key, 'task_objective'] as const),
  ...NAMES.task.hint.keys.map((key) => [key, 'description'] as const),
  ['input', 'inputs'],
]);

function stepFromNode({ value, place }: FlatNode): WrittenNode {
  if (!isPlainObject(value)) return { value, place };
  const names = new Map<string, string>();
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const own = STEP_KEYS.get(key);
    const isOther =
      own === undefined || value[own] != null || names.has(own) || (key === 'input' && isPlainObject(field));
    if (isOther && NAMES.any.type.keys.some((each) => each === key) && isTaskType(field)) return [];
    if (!isOther && field != null) names.set(own, key);
    const as = isOther || field == null ? key : own;
    return [[as, as === 'inputs' && nameIn(field) !== '' ? [field] : field] as const];
  });
  return { value: Object.fromEntries(fields), place: { ...place, names } };
}

function isTaskType(type: unknown): boolean {
  return typeof type === 'string' && NODE_TYPES.task.some((each) => each === type.trim().toLowerCase());
}

function treeNode({ value, place, isCombine, inputs }: FlatNode): WrittenNode {
  if (isCombine || inputs.length > 1 || !isPlainObject(value) || value['input'] != null) return { value, place };
  const { inputs: _, ...rest } = value;
  const [input] = inputs;
  return { value: input === undefined ? rest : { ...rest, input }, place: { ...place, names: TAKEN } };
}

const TAKEN = new Map([['input', 'inputs']]);
