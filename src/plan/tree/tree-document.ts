/** Writes a compiled plan as a document. */

import { OPERATORS } from '../operators/index.ts';
import { stepsDocument, type StepsDocument } from '../steps/index.ts';
import type { CombineNode, CompiledPlan, JsonValue, PlanNode, TaskNode } from '../compiled-plan.ts';

type Written = { readonly [key: string]: JsonValue };

/** A node that is used twice is written twice, so a small plan may have a huge document. */
const MOST_NODES = 10_000;

/**
 * A compiled plan as a document: its steps, or its tree. It compiles to the same digest, given the keys of
 * `plan.external`. Undefined for a tree of more than 10,000 nodes as written.
 */
export function planDocument(plan: CompiledPlan): StepsDocument | Written | undefined {
  const steps = stepsDocument(plan);
  if (steps !== undefined) return steps;
  const written = new Map<string, { readonly node: Written; readonly nodes: number }>();
  // Dependencies come before the nodes that take them.
  for (const node of Object.values(plan.nodesById)) {
    const parts = (node.kind === 'task' ? node.dependsOn : node.inputs).map((id) => written.get(id)!);
    const nodes = parts.reduce((sum, part) => sum + part.nodes, 1);
    if (nodes > MOST_NODES) return undefined;
    const keys = node.kind === 'task' ? ['input'] : ['left', 'right'];
    const below = Object.fromEntries(parts.map((part, at) => [keys[at]!, part.node]));
    written.set(node.id, { node: { type: node.kind, ...writtenNode(node), ...below }, nodes });
  }
  return { goal: plan.goal, plan: written.get(plan.root)!.node };
}

/** The document fields of a node, without its id and inputs. */
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
  const fields = colocate.left === undefined ? { upstream, downstream, ...rest } : rest;
  return { ...base, colocate: JSON.parse(JSON.stringify(fields)) as JsonValue };
}
