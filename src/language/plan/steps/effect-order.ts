/** The order in which the effects of a list of steps happen. */

import { isOrdered } from './find-step.ts';
import type { Effect } from '../catalogue.ts';
import type { NodeId, StoredPlan, TaskNode } from '../compiled-plan.ts';

/**
 * The steps that a step waits for beside its inputs, because effects happen in the order of the list: a step with an
 * effect above read waits for the nearest earlier such step, and for every read step between. Reads wait for their
 * inputs only, and a tree has no such order. Only steps that wait have an entry; ids rise, and none is among its
 * dependencies.
 *
 * @example effectOrder(plan, ({ id }) => executors[id].effect); // { node_3: ['node_1', 'node_2'] }
 */
export function effectOrder(
  plan: StoredPlan,
  effectOf: (step: TaskNode) => Effect,
): Readonly<Record<NodeId, readonly NodeId[]>> {
  const after: Record<NodeId, readonly NodeId[]> = {};
  if (!isOrdered(plan)) return after;
  let since: NodeId[] = [];
  for (const step of plan.tasks) {
    if (effectOf(step) !== 'read') {
      const inputs = new Set(step.dependsOn);
      const others = since.filter((id) => !inputs.has(id));
      if (others.length > 0) after[step.id] = others;
      since = [];
    }
    since.push(step.id);
  }
  return after;
}
