/** The forms in which a plan is written: each is led to a tree, or to a list of steps, before anything of it is read. */

import { wholeDocument } from './document/index.ts';
import { below, type Place } from './issues/index.ts';
import { isPlainObject } from './plain-object.ts';
import { sameValue } from './read-field.ts';
import type { NodeSource, Reading, WrittenNode } from './plan-reading.ts';

/** A document as a tree with its root, or as a list; `steps` where they are not simply what stands under `steps`. */
export type PlanForm =
  | { readonly is: 'tree'; readonly source: NodeSource; readonly root: WrittenNode; readonly reading: Reading }
  | { readonly is: 'steps'; readonly source: NodeSource; readonly steps?: readonly WrittenNode[] };

/** The form of a document whose format is told by its content. */
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

/** The form of a document that is a tree, whatever stands in it. */
export function treeForm(source: NodeSource, reading: Reading): PlanForm {
  return { is: 'tree', source, root: { value: source.node['plan'], place: below(source.place, 'plan') }, reading };
}

/** Whether a list by itself is one of steps, of texts, or of flat nodes. */
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
  /** `''` of a node that has none. */
  readonly id: string;
  readonly isCombine: boolean;
  readonly inputs: readonly string[];
}

/** The form of a list by itself, with what its document says beside it. */
export function formOfList(list: readonly unknown[], place: Place, source: NodeSource, reading: Reading): PlanForm {
  if (list.some(isFlatNode)) return formOfNodes(list, place, source, reading);
  return { is: 'steps', source, steps: list.map((value, index) => ({ value, place: below(place, index) })) };
}

/** A flat list of nodes that name each other: a tree where it has an operator, else a list of steps in an order that fits. */
function formOfNodes(list: readonly unknown[], at: Place, source: NodeSource, reading: Reading): PlanForm {
  const written = list.map((value, index) => flatNode(value, below(at, index)));
  const nodes = inOrder(written);
  const [stuck] = written.filter((node) => !nodes.includes(node));
  if (stuck !== undefined) {
    const message = 'The node waits for itself, by way of its inputs. Take one of them out.';
    reading.issues.add('error', 'cyclic-reference', stuck.place, () => ({ message }));
  }
  const isTree = nodes.some(({ isCombine }) => isCombine);
  if (!isTree) return { is: 'steps', source, steps: nodes.map(stepOf) };
  const named = new Map<string, WrittenNode>();
  for (const node of nodes) {
    if (named.has(node.id)) refuse('duplicate-step-key', node, 'Another node has the same id. Give each its own.');
    named.set(node.id, treeNode(node));
  }
  const used = new Set(nodes.flatMap(({ inputs }) => inputs));
  const roots = nodes.filter(({ id }) => !used.has(id));
  for (const root of roots.slice(0, -1))
    refuse(
      'several-documents',
      root,
      'No node takes this one, and a plan has one result. Let one node take all the others.',
    );
  const root = roots.at(-1);
  return {
    is: 'tree',
    source,
    root: root === undefined ? { value: undefined, place: at } : named.get(root.id)!,
    reading: { ...reading, named },
  };

  function refuse(code: 'duplicate-step-key' | 'several-documents', { place }: WrittenNode, message: string): void {
    reading.issues.add('error', code, place, () => ({ message }));
  }
}

function flatNode(value: unknown, place: Place): FlatNode {
  const { id, inputs, left, right, input, operator, op } = isPlainObject(value) ? value : {};
  const given = Array.isArray(inputs) ? (inputs as unknown[]) : [left, right, input];
  const nameOf = (name: unknown) => (typeof name === 'string' || typeof name === 'number' ? String(name).trim() : '');
  const names = given.map(nameOf).filter((name) => name !== '');
  return { value, place, id: nameOf(id), isCombine: (operator ?? op) != null, inputs: names };
}

/** Each node after those that it names; those that wait for each other are left out. */
function inOrder(nodes: readonly FlatNode[]): readonly FlatNode[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const placed = new Set<string>();
  const ordered: FlatNode[] = [];
  let left = nodes;
  for (let before = -1; ordered.length > before;) {
    before = ordered.length;
    left = left.filter((node) => {
      if (node.inputs.some((name) => ids.has(name) && !placed.has(name))) return true;
      placed.add(node.id);
      ordered.push(node);
      return false;
    });
  }
  return ordered;
}

function stepOf({ value, place }: FlatNode): WrittenNode {
  if (!isPlainObject(value)) return { value, place };
  const { id, task, ...rest } = value;
  const named = { ...(id != null && { context_key: id }), ...(task != null && { task_objective: task }) };
  return {
    value: { ...named, ...rest },
    place: {
      ...place,
      names: new Map([
        ['context_key', 'id'],
        ['task_objective', 'task'],
      ]),
    },
  };
}

/** A task takes the one node of its list as its input. */
function treeNode({ value, place, isCombine }: FlatNode): WrittenNode {
  const { inputs, ...rest } = isPlainObject(value) ? value : {};
  if (isCombine || !Array.isArray(inputs) || inputs.length > 1) return { value, place };
  const names = new Map([['input', 'inputs']]);
  return { value: inputs.length === 0 ? rest : { ...rest, input: inputs[0] as unknown }, place: { ...place, names } };
}
