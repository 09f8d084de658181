/** The nodes of a plan that can start next. */

import { indexOfId } from '../digest/index.ts';
import { effectOrder } from './effect-order.ts';
import type { Effect } from '../catalogue.ts';
import type { CompiledPlan, NodeId, PlanNode, TaskNode } from '../compiled-plan.ts';

/**
 * Calute: get_next_steps. The nodes that are not completed and whose dependencies all are, in the order of the plan.
 * `completed` holds keys of steps or node ids. Without `effectOf` every step counts as one that only reads, and the order of
 * effects is ignored: in a run a step with an effect above read waits for those before it in the list too. Approvals,
 * resources and limits of a run are no part of a plan, and are ignored in either case.
 *
 * @example
 * const { plan, executors } = compiled;
 * readySteps(plan, ['genes'], ({ id }) => executors[id].effect).map(({ id }) => id); // ['node_2']
 */
export function readySteps(
  plan: CompiledPlan,
  completed: Iterable<string | number>,
  effectOf: (step: TaskNode) => Effect = () => 'read',
): readonly PlanNode[] {
  const done = new Set<NodeId>();
  const idByKey = new Map(plan.tasks.map(({ contextKey, id }) => [contextKey ?? id, id]));
  for (const each of completed) done.add(idByKey.get(String(each)) ?? String(each));
  const after = effectOrder(plan, effectOf);
  const nodes = [...plan.tasks, ...plan.combines].sort((one, other) => indexOfId(one.id) - indexOfId(other.id));
  return nodes.filter(
    ({ id, dependsOn }) => !done.has(id) && [...dependsOn, ...(after[id] ?? [])].every((before) => done.has(before)),
  );
}
