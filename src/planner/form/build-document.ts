/** A flat list of nodes as a plan document: a tree where it has operators, else a list of steps. */

import { compilePlan, MODEL_LIMITS, stepsDocument, type CompiledPlan, type PlanIssue } from '../../plan/index.ts';
import { quote } from '../../plan/text/index.ts';
import { fault, readFlatNodes, referenceFaults, type FlatNode } from './flat-node.ts';
import { formOf, writeNodes, type PlanForm } from './write-nodes.ts';

export interface NodesReply {
  readonly nodes: readonly unknown[];
  /** The complexity of a list of steps (Calute: complexity and estimated time). */
  readonly complexity?: unknown;
  readonly estimatedTime?: unknown;
}

export type WrittenDocument = Readonly<Record<string, unknown>>;

export type BuiltDocument =
  | {
      readonly ok: true;
      readonly document: WrittenDocument;
      /** The parts that had to be mended, or mean nothing. */
      readonly warnings?: readonly PlanIssue[];
    }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/**
 * The document of a flat list. Without operators it is a list of steps, to which the compiler adds the `respond` that it may
 * lack. Only a revision of a tree stays a tree, where each task has one input at most, of the plan, and one node is last. The
 * goal is the run's, never the model's.
 * @param base of what is revised
 */
export function nodesDocument(
  goal: string,
  reply: NodesReply,
  contextKeys: readonly string[],
  base?: PlanForm,
): BuiltDocument {
  if (reply.nodes.length === 0 && base === undefined) return answerAlone(goal);
  const { nodes, issues } = readFlatNodes(reply.nodes);
  // A node that was refused by itself would only be reported again as unknown.
  const external = new Set(contextKeys);
  const faults = issues.length > 0 ? issues : referenceFaults(nodes, external);
  if (faults.length > 0) return { ok: false, issues: faults };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const used = new Set(nodes.flatMap(({ inputs }) => inputs.map(({ name }) => name)));
  const roots = nodes.filter(({ id }) => !used.has(id));
  const combine = nodes.find(({ isCombine }) => isCombine);
  const needsList = nodes.filter((node) => !fitsTree(node, byId));
  if (combine === undefined && (base !== 'tree' || roots.length > 1 || needsList.length > 0)) {
    const unsaid = nodes.flatMap(contextFault);
    return unsaid.length > 0
      ? { ok: false, issues: unsaid }
      : { ok: true, document: stepsOf(goal, nodes, byId, reply) };
  }
  const treeFaults = [...needsList.flatMap((node) => treeFault(node, byId)), ...looseEnds(roots)];
  if (treeFaults.length > 0) return { ok: false, issues: treeFaults };
  return treeOf(goal, roots[0]!, byId);
}

/**
 * A plan that a model has written as a document, in the form that a flat list of the same nodes has. A plan that does
 * not compile stays as it is, so that its issues name its own places.
 */
export function ownDocument(
  goal: string,
  written: WrittenDocument,
  contextKeys: readonly string[],
  base?: PlanForm,
): BuiltDocument {
  const document = { ...written, goal };
  const read = compilePlan(document, { contextKeys, limits: MODEL_LIMITS });
  const isRow = read.ok && read.plan.combines.length === 0 && formOf(read.plan) === 'tree';
  if (!isRow || base === 'tree') return { ok: true, document };
  const built = nodesDocument(goal, JSON.parse(writeNodes(read.plan)) as NodesReply, contextKeys);
  return built.ok ? { ...built, warnings: read.warnings } : built;
}

/** The steps of the reply beside the run's goal: an objective that the model writes is not taken. */
export function xmlDocument(goal: string, text: string, contextKeys: readonly string[]): BuiltDocument {
  const read = compilePlan(text, { format: 'xml', contextKeys, limits: MODEL_LIMITS });
  if (!read.ok) return { ok: false, issues: read.issues };
  const { steps, ...facts } = stepsDocument(read.plan)!;
  return { ok: true, document: { ...facts, goal, steps }, warnings: read.warnings };
}

/** A compiled plan as a document that compiles into it, under the limits of models. */
export function planDocument(plan: CompiledPlan): BuiltDocument {
  const steps = stepsDocument(plan);
  if (steps !== undefined) return { ok: true, document: { ...steps } };
  return nodesDocument(plan.goal, JSON.parse(writeNodes(plan)) as NodesReply, plan.external ?? [], 'tree');
}

/** Osprey: a plan without steps answers from what is known. */
function answerAlone(goal: string): BuiltDocument {
  const message = 'The list has no nodes: the plan is one "respond", which answers from what is known.';
  return {
    ok: true,
    document: { goal, steps: [{ context_key: 'user_response', capability: 'respond', task_objective: goal }] },
    warnings: [{ code: 'added-respond', severity: 'warning', path: '$.nodes', message }],
  };
}

/** A step has no context, and to leave it out would change what the task is given. */
function contextFault({ index, id, fields }: FlatNode): PlanIssue[] {
  if (fields['context'] == null) return [];
  const message = `In a plan without operators a task has no "context". Put it into the arguments or the hint of ${quote(id)}.`;
  return [fault('unknown-key', `$.nodes[${index}].context`, message, id)];
}

function isAnswer({ fields }: FlatNode): boolean {
  return /^(?:respond|clarify)$/i.test(String(fields['capability']));
}

function fitsTree({ isCombine, inputs }: FlatNode, byId: ReadonlyMap<string, FlatNode>): boolean {
  return inputs.every(({ name }) => byId.has(name)) && (isCombine ? inputs.length === 2 : inputs.length <= 1);
}

/** Why a plan with combines cannot have this node. */
function treeFault({ index, id, isCombine, inputs }: FlatNode, byId: ReadonlyMap<string, FlatNode>): PlanIssue[] {
  const path = `$.nodes[${index}].inputs`;
  const outside = inputs.find(({ name }) => !byId.has(name));
  if (outside !== undefined) {
    const message = `${quote(outside.name)} comes from outside the plan, and a plan with operators takes nothing from there. Write a task that gives it.`;
    return [fault('unknown-reference', path, message, id)];
  }
  if (isCombine) {
    const code = inputs.length < 2 ? 'missing-operand' : 'too-many-operands';
    const message = `A node with an operator has two inputs, the left one first, and ${quote(id)} has ${inputs.length}.`;
    return [fault(code, path, message, id, 'two ids')];
  }
  const message = `In a plan with operators a task has at most one input, and ${quote(id)} has ${inputs.length}. Combine them by an operator first.`;
  return [fault('too-many-operands', path, message, id, 'at most one id')];
}

function looseEnds(roots: readonly FlatNode[]): PlanIssue[] {
  if (roots.length < 2) return [];
  const names = roots.map(({ id }) => quote(id)).join(', ');
  const message = `A plan has one last node, and nothing takes ${names}. Combine them, or leave out those that are not needed.`;
  return roots.slice(0, -1).map(({ index, id }) => fault('several-documents', `$.nodes[${index}]`, message, id));
}

/** A node that is used twice stands twice in a tree, and is merged again by the compiler. */
function treeOf(goal: string, root: FlatNode, byId: ReadonlyMap<string, FlatNode>): BuiltDocument {
  const built = new Map<FlatNode, { node: WrittenDocument; size: number; depth: number }>();
  const { node, size, depth } = build(root);
  const { nodes, depth: levels } = MODEL_LIMITS;
  const path = `$.nodes[${root.index}]`;
  if (depth > levels) {
    const message = `The plan has ${depth} levels of nodes, and ${levels} are allowed. Let fewer nodes wait for one another.`;
    return { ok: false, issues: [fault('too-deep', path, message, root.id)] };
  }
  if (size > nodes) {
    const message = `Written out, with what is used several times, the plan has more than ${nodes} nodes. Use fewer nodes twice.`;
    return { ok: false, issues: [fault('too-many-nodes', path, message, root.id)] };
  }
  return { ok: true, document: { goal, plan: node } };

  function build(from: FlatNode): { node: WrittenDocument; size: number; depth: number } {
    const known = built.get(from);
    if (known !== undefined) return known;
    const parts = from.inputs.map(({ name }) => build(byId.get(name)!));
    const [left, right] = parts.map((part) => part.node);
    const base = { type: from.isCombine ? 'combine' : 'task', id: from.id, ...from.fields };
    const made = {
      node: from.isCombine ? { ...base, left, right } : { ...base, ...(left !== undefined && { input: left }) },
      size: parts.reduce((sum, part) => sum + part.size, 1),
      depth: Math.max(0, ...parts.map((part) => part.depth)) + 1,
    };
    built.set(from, made);
    return made;
  }
}

/** In the order of the list, each after what it takes, answers after all else. */
function stepsOf(
  goal: string,
  nodes: readonly FlatNode[],
  byId: ReadonlyMap<string, FlatNode>,
  { complexity, estimatedTime }: NodesReply,
): WrittenDocument {
  const left = new Set([...nodes.filter((node) => !isAnswer(node)), ...nodes.filter(isAnswer)]);
  const ordered: FlatNode[] = [];
  while (left.size > 0) {
    const next = [...left].find(({ inputs }) => inputs.every(({ name }) => !left.has(byId.get(name)!)))!;
    left.delete(next);
    ordered.push(next);
  }
  return {
    goal,
    ...(complexity != null && { complexity }),
    ...(estimatedTime != null && { estimated_time: estimatedTime }),
    steps: ordered.map(stepOf),
  };
}

function stepOf({ id, inputs, fields }: FlatNode): WrittenDocument {
  const { task, hint, arguments: args, type, ...rest } = fields;
  return {
    context_key: id,
    ...rest,
    // A step has no type; any other than its own is told as a key that it does not have.
    ...(type != null && type !== 'task' && { type }),
    task_objective: task,
    ...(hint != null && { description: hint }),
    ...(args != null && { parameters: args }),
    ...(inputs.length > 0 && { inputs: inputs.map(({ written }) => written) }),
  };
}
