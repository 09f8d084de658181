import type { CompiledPlan, NodeId, StoredPlan, TaskNode } from '../compiled-plan.ts';

/** Whether the plan is an ordered list of steps: its root, the last step, has a context key. */
export function isOrdered({ root, tasks }: Pick<StoredPlan, 'root' | 'tasks'>): boolean {
  const last = tasks.at(-1);
  return last?.id === root && last.contextKey !== undefined;
}

/**
 * The step that `result_from_step_N` names: the one with the key N, else the one at position N, from 1. Undefined in a
 * tree.
 */
export function referencedStep(plan: StoredPlan, name: string): NodeId | undefined {
  if (!isOrdered(plan)) return undefined;
  const step = plan.tasks.find(({ contextKey }) => contextKey === name);
  if (step !== undefined) return step.id;
  return /^[1-9]\d{0,8}$/.test(name) ? plan.tasks[Number(name) - 1]?.id : undefined;
}

/**
 * Calute: get_step. The step with this key or `step_id`, else the task with this node id.
 * @example stepById(plan, 'genes')?.task; // 'Find genes'
 */
export function stepById(plan: CompiledPlan, id: string | number): TaskNode | undefined {
  const name = String(id);
  const step = plan.tasks.find(({ contextKey }) => contextKey === name);
  if (step !== undefined) return step;
  const node = Object.hasOwn(plan.nodesById, name) ? plan.nodesById[name] : undefined;
  return node?.kind === 'task' ? node : undefined;
}
