/** A stored plan, resolved with this worker's own capabilities and without relying on the run or the server. */

import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { isNodeId, nodeId, nodeIndex, type PlanShape } from '../protocol/index.ts';
import { groupsBy, type CompiledPlan, type Executor, type NodeId } from '../plan/index.ts';
import type { ResultStore } from '../store/index.ts';
import { traitsIn, type NodeTraits } from '../workflows/run/index.ts';
import { workerExecutor } from './execute-node.ts';
import { looksAtState } from './grants/find-grants.ts';
import { createCache, readPlan, revisionOf } from './revision.ts';
import { planShapeOf } from './plan-shape.ts';
import { marksOf } from './untrusted.ts';

export interface WorkerPlanView {
  readonly plan: CompiledPlan;
  /** Whether the node's capability can show in advance what it would change. */
  looksAt(nodeId: string): boolean;
  readonly gate: { readonly plan: Pick<PlanShape, 'inputs' | 'after' | 'executors' | 'executorOf' | 'untrusted'> } & {
    readonly rules: readonly never[];
    readonly deadlineMs: number;
  };
  bindingOf(nodeId: string): string | undefined;
  /** The properties of a node that approval rules use. A node that does not exist counts as an at-most-once effect. */
  claimOf(nodeId: string): NodeTraits;
  placesOf(binding: string): readonly number[];
  indexesOf(nodeIds: readonly string[]): readonly number[];
}

function planViewOf(plan: CompiledPlan, registry: CapabilityRegistry): WorkerPlanView {
  const executors: Record<NodeId, Executor> = {};
  for (const task of plan.tasks) {
    const executor = workerExecutor(task, registry);
    if (executor !== undefined) executors[task.id] = executor;
  }
  const planShape = { ...planShapeOf(plan, executors, registry), ...marksOf(plan, { executors }).shape };
  const labels = planShape.executors.map(({ label }) => label);
  const { bindingOf } = revisionOf(plan, { digest: plan.digest, labels, labelOf: planShape.executorOf });
  const places = groupsBy(planShape.inputs.keys(), (node) => bindingOf(nodeId(node)) ?? '');
  return {
    plan,
    looksAt: (id) => looksAtState(planShape, nodeIndex(id), registry),
    gate: { plan: planShape, rules: [], deadlineMs: 0 },
    bindingOf,
    claimOf: (id) => traitsIn(planShape, nodeIndex(id)),
    placesOf: (binding) => places.get(binding) ?? [],
    indexesOf: (ids) => ids.filter((id) => isNodeId(id) && nodeIndex(id) < planShape.inputs.length).map(nodeIndex),
  };
}

const MAX_VIEWS = 20;

export function createPlanViews(
  registry: CapabilityRegistry,
): (digest: string, store: ResultStore) => Promise<WorkerPlanView> {
  const cached = createCache<WorkerPlanView>(MAX_VIEWS, () => 1);
  return (digest, store) => cached(digest, async () => planViewOf(await readPlan(store, digest), registry));
}
