/** A compiled plan, written as a document again. */

import { OPERATORS } from '../operators/index.ts';
import { stepsDocument, type StepsDocument } from '../steps/index.ts';
import type { CombineNode, CompiledPlan, JsonValue, PlanNode, TaskNode } from '../compiled-plan.ts';

type Written = { readonly [key: string]: JsonValue };

/** A node that is used twice is written twice, so that a small plan may have a huge document. */
const MOST = { nodes: 10_000, levels: 1000 };

/**
 * A compiled plan as a document again: its steps, or its tree. It compiles to the same digest, given the keys of
 * `plan.external`. Undefined for a tree of more than 10,000 nodes as written, or more than 1,000 levels.
 *
 * @example planDocument(plan); // { goal: 'Count', plan: { type: 'task', task: 'Find genes' } }
 */
export function planDocument(plan: CompiledPlan): StepsDocument | Written | undefined {
  const steps = stepsDocument(plan);
  if (steps !== undefined) return steps;
  const written = new Map<string, { readonly node: Written; readonly nodes: number; readonly levels: number }>();
  // A dependency stands before the nodes that take it.
  for (const node of Object.values(plan.nodesById)) {
    const parts = (node.kind === 'task' ? node.dependsOn : node.inputs).map((id) => written.get(id)!);
    const nodes = parts.reduce((sum, part) => sum + part.nodes, 1);
    const levels = Math.max(0, ...parts.map((part) => part.levels)) + 1;
    if (nodes > MOST.nodes || levels > MOST.levels) return undefined;
    const [left, right] = parts.map((part) => part.node);
    const below =
      node.kind === 'task'
        ? { ...(left !== undefined && { input: left }) }
        : { ...(left !== undefined && { left }), ...(right !== undefined && { right }) };
    const type = node.kind === 'task' ? 'task' : 'combine';
    written.set(node.id, { node: { type, ...writtenNode(node), ...below }, nodes, levels });
  }
  return { goal: plan.goal, plan: written.get(plan.root)!.node };
}

/**
 * The fields of a node as a document has them, without its id and its inputs.
 * @example writtenNode(plan.nodesById.node_1); // { task: 'Find the genes', capability: 'genes' }
 */
export function writtenNode(node: PlanNode): Written {
  return node.kind === 'task' ? taskFields(node) : combineFields(node);
}

function taskFields({ task, hint, context, capability, agent, arguments: args, displayName }: TaskNode): Written {
  return {
    task,
    ...(capability !== undefined && { capability }),
    ...(agent !== undefined && { agent }),
    ...(args !== undefined && { arguments: args }),
    ...(hint !== undefined && { hint }),
    ...(context !== undefined && { context }),
    ...(displayName !== undefined && { display_name: displayName }),
  };
}

function combineFields({ operator, inputs, displayName, colocate }: CombineNode): Written {
  const isDefault = displayName === OPERATORS[operator].defaultName(...inputs, colocate);
  const base = { operator, ...(!isDefault && { display_name: displayName }) };
  if (colocate === undefined) return base;
  const { upstream, downstream, ...rest } = colocate;
  // With regions there is no window.
  const fields = colocate.left === undefined ? { upstream, downstream, ...rest } : rest;
  return { ...base, colocate: JSON.parse(JSON.stringify(fields)) as JsonValue };
}
