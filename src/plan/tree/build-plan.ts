import type {
  Colocate,
  JsonValue,
  Operator,
  Region,
  CombineNode,
  CompiledPlan,
  NodeId,
  PlanNode,
  TaskNode,
} from '../compiled-plan.ts';
import { OPERATORS } from '../operators/index.ts';
import { stepsDocument, type StepsDocument } from '../steps/index.ts';

type Written = { readonly [key: string]: JsonValue };

/** Maximum number of nodes in a document. Shared nodes are written twice, so a small plan may have a huge document. */
const MAX_NODES = 10_000;

/**
 * Writes a compiled plan as a document: its steps, or its tree. Compiled with the keys of `plan.external`, it has the
 * same digest. Undefined for a tree that takes more than 10,000 nodes to write.
 * @param values other arguments of these tasks
 */
export function planDocument(
  compiled: CompiledPlan,
  values: Readonly<Record<NodeId, JsonValue>> = {},
): StepsDocument | Written | undefined {
  const tasks = compiled.tasks.map((one) =>
    Object.hasOwn(values, one.id) ? { ...one, arguments: values[one.id]! } : one,
  );
  const nodesById = { ...compiled.nodesById, ...Object.fromEntries(tasks.map((one) => [one.id, one])) };
  const plan = { ...compiled, tasks, nodesById };
  const steps = stepsDocument(plan);
  if (steps !== undefined) return steps;
  const written = new Map<string, { readonly node: Written; readonly nodes: number }>();
  for (const node of Object.values(plan.nodesById)) {
    const parts = (node.kind === 'task' ? node.dependsOn : node.inputs).map((id) => written.get(id)!);
    const nodes = parts.reduce((sum, part) => sum + part.nodes, 1);
    if (nodes > MAX_NODES) return undefined;
    const keys = node.kind === 'task' ? ['input'] : ['left', 'right'];
    const below = Object.fromEntries(parts.map((part, at) => [keys[at]!, part.node]));
    written.set(node.id, { node: { type: node.kind, ...writtenNode(node), ...below }, nodes });
  }
  return { goal: plan.goal, plan: written.get(plan.root)!.node };
}

export function writtenNode(node: PlanNode): Written {
  return node.kind === 'task' ? taskFields(node) : combineFields(node);
}

function taskFields({ task: text, hint, context, capability, agent, arguments: args, displayName }: TaskNode): Written {
  return {
    task: text,
    ...(capability !== undefined && { capability }),
    ...(agent !== undefined && { agent }),
    ...(args !== undefined && { arguments: args }),
    ...(hint !== undefined && { hint }),
    ...(context !== undefined && { context }),
    ...(displayName !== undefined && { display_name: displayName }),
  };
}

function combineFields({ operator, inputs, displayName, colocate: places }: CombineNode): Written {
  const isDefault = displayName === OPERATORS[operator].defaultName(...inputs, places);
  const base = { operator, ...(!isDefault && { display_name: displayName }) };
  if (places === undefined) return base;
  const { upstream, downstream, ...rest } = places;
  const fields = places.left === undefined ? { upstream, downstream, ...rest } : rest;
  return { ...base, colocate: JSON.parse(JSON.stringify(fields)) as JsonValue };
}

/** The fields of a task other than its text. */
export interface TaskDetails {
  readonly hint?: string;
  readonly context?: JsonValue;
  readonly capability?: string;
  readonly arguments?: JsonValue;
  readonly agent?: string;
  readonly displayName?: string;
  /** The node whose result the task takes. */
  readonly input?: TreeNode;
}

/** A task of a plan document: a text that describes work for a capability or an agent. */
export interface TreeTask extends TaskDetails {
  readonly type: 'task';
  readonly task: string;
}

/** A combine of a plan document: a set operator on the results of two nodes. */
export interface TreeCombine {
  readonly type: 'combine';
  readonly operator: Operator;
  readonly displayName?: string;
  readonly colocate?: ColocateDetails;
  readonly left: TreeNode;
  readonly right: TreeNode;
}

/** A node of a plan document, as plain JSON. One node may occur in several places; it then runs once. */
export type TreeNode = TreeTask | TreeCombine;

/** A plan document in the tree format: a goal, and the root node. */
export interface TreeDocument {
  readonly goal: string;
  readonly plan: TreeNode;
}

/** The fields of a combine other than its operator and its two inputs. */
export interface CombineDetails {
  readonly displayName?: string;
}

/** The parameters of COLOCATE. Default: no window, both strands, and left records that overlap a right record. */
export type ColocateDetails = Partial<Pick<Colocate, 'strand' | 'operation' | 'output' | 'invert'>> &
  (
    | { readonly upstream?: number; readonly downstream?: number; readonly left?: never; readonly right?: never }
    | { readonly left: Region; readonly right: Region; readonly upstream?: never; readonly downstream?: never }
  );

/**
 * Functions for the parts of a plan document, such as `plan.document('Find targets', plan.minus(plan.task('A'),
 * plan.task('B')))`. `compilePlan` takes the result. `createPlanBuilder` adds type checks for the capabilities of a
 * project.
 */
export const plan = { task, union, intersect, minus, rminus, colocate, document } satisfies Record<
  Lowercase<Operator> | 'task' | 'document',
  unknown
>;

function task(text: string, details: TaskDetails = {}): TreeTask {
  return { type: 'task', task: text, ...details };
}

function union(left: TreeNode, right: TreeNode, details: CombineDetails = {}): TreeCombine {
  return combine('UNION', left, right, details);
}

function intersect(left: TreeNode, right: TreeNode, details: CombineDetails = {}): TreeCombine {
  return combine('INTERSECT', left, right, details);
}

function minus(left: TreeNode, right: TreeNode, details: CombineDetails = {}): TreeCombine {
  return combine('MINUS', left, right, details);
}

function rminus(left: TreeNode, right: TreeNode, details: CombineDetails = {}): TreeCombine {
  return combine('RMINUS', left, right, details);
}

function colocate(
  left: TreeNode,
  right: TreeNode,
  { displayName, ...parameters }: ColocateDetails & CombineDetails = {},
): TreeCombine {
  const node = combine('COLOCATE', left, right, displayName === undefined ? {} : { displayName });
  return Object.keys(parameters).length === 0 ? node : { ...node, colocate: parameters };
}

function document(goal: string, root: TreeNode): TreeDocument {
  return { goal, plan: root };
}

function combine(operator: Operator, left: TreeNode, right: TreeNode, details: CombineDetails): TreeCombine {
  return { type: 'combine', operator, ...details, left, right };
}
