import { indexOfId } from '../digest/index.ts';
import type { CompiledPlan, NodeId, PlanNode, StoredPlan, TaskNode } from '../compiled-plan.ts';

/** Whether the plan is an ordered list of steps: its root, the last step, has a context key. */
export function isOrdered({ root, tasks }: Pick<StoredPlan, 'root' | 'tasks'>): boolean {
  const last = tasks.at(-1);
  return last?.id === root && last.contextKey !== undefined;
}

/**
 * The step that `result_from_step_N` names: the one with the key N, else the one at the position N, counted from 1.
 * Undefined in a tree, which has no references.
 */
export function referencedStep(plan: StoredPlan, name: string): NodeId | undefined {
  if (!isOrdered(plan)) return undefined;
  const step = plan.tasks.find(({ contextKey }) => contextKey === name);
  if (step !== undefined) return step.id;
  return /^[1-9]\d{0,8}$/.test(name) ? plan.tasks[Number(name) - 1]?.id : undefined;
}

/** Calute: get_step. The step with this key or `step_id`, else the task with this node id. */
export function stepById(plan: CompiledPlan, id: string | number): TaskNode | undefined {
  const name = String(id);
  const step = plan.tasks.find(({ contextKey }) => contextKey === name);
  if (step !== undefined) return step;
  const node = Object.hasOwn(plan.nodesById, name) ? plan.nodesById[name] : undefined;
  return node?.kind === 'task' ? node : undefined;
}

/**
 * Calute: get_next_steps. The nodes that are not completed and whose dependencies all are, in the order of the plan.
 * `completed` holds keys of steps or node ids.
 */
export function readySteps(plan: CompiledPlan, completed: Iterable<string | number>): readonly PlanNode[] {
  const done = new Set<NodeId>();
  const idByKey = new Map(plan.tasks.map(({ contextKey, id }) => [contextKey ?? id, id]));
  for (const each of completed) done.add(idByKey.get(String(each)) ?? String(each));
  const nodes = [...plan.tasks, ...plan.combines].sort((one, other) => indexOfId(one.id) - indexOfId(other.id));
  return nodes.filter(({ id, dependsOn }) => !done.has(id) && dependsOn.every((dependency) => done.has(dependency)));
}
