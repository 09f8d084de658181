/** The facts about an attempt that graders judge. */

import type { Catalogue, CompiledPlan, TaskNode } from '../language/plan/index.ts';

/** How a plan came to be: at the first writing, after its mistakes were told, or by no model. The best comes first. */
export const WAYS = ['at-once', 'repaired', 'fallback'] as const;
export type Way = (typeof WAYS)[number];

/** Effects, the mildest first. */
export const EFFECT_ORDER = ['read', 'idempotent', 'at-most-once'] as const;

export interface Seen {
  readonly plan: CompiledPlan;
  readonly way: Way;
  /** Questions that the planner asked. */
  readonly asked: number;
  readonly catalogue: Catalogue;
}

/** The names of the capabilities and agents that carry out the tasks, each once. */
export function executorsOf({ plan, catalogue }: Seen): ReadonlySet<string> {
  return new Set(plan.tasks.flatMap((task) => executorOf(task, catalogue)?.name ?? []));
}

export function executorOf({ capability, agent }: TaskNode, catalogue: Catalogue) {
  if (capability !== undefined) return catalogue.executor('capability', capability);
  return agent === undefined ? catalogue.defaultExecutor : catalogue.executor('agent', agent);
}
