/** A stored plan resolved with this worker's own capabilities, independent of the run and the server. */

import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { isNodeId, nodeIndex, type RunSlice } from '../protocol/index.ts';
import type { CompiledPlan, Executor, NodeId } from '../plan/index.ts';
import type { ResultStore } from '../store/index.ts';
import type { NodeTraits } from '../workflows/run/index.ts';
import { ownExecutor } from './carry-out-node.ts';
import { createCache, readPlan, revisionOf } from './revision.ts';
import { sliceOfPlan } from './slice-of-plan.ts';

export interface OwnView {
  readonly gate: { readonly plan: Pick<RunSlice, 'inputs' | 'after' | 'executors' | 'executorOf'> } & {
    readonly rules: readonly never[];
    readonly deadlineMs: number;
  };
  /** The identity of a node for its approval and its result; undefined if the node does not exist. */
  bindingOf(nodeId: string): string | undefined;
  /** The claim that the rules of a project look at. A node that is not there counts as the highest effect. */
  claimOf(nodeId: string): NodeTraits;
  /** The nodes with this binding. */
  placesOf(binding: string): readonly number[];
  /** The indexes of the nodes that are there. */
  indexesOf(nodeIds: readonly string[]): readonly number[];
}

function ownViewOf(plan: CompiledPlan, registry: CapabilityRegistry): OwnView {
  const executors: Record<NodeId, Executor> = {};
  for (const task of plan.tasks) {
    const executor = ownExecutor(task, registry);
    if (executor !== undefined) executors[task.id] = executor;
  }
  const slice = sliceOfPlan(plan, executors, registry);
  const labels = slice.executors.map(({ label }) => label);
  const { bindingOf } = revisionOf(plan, { digest: plan.digest, labels, labelOf: slice.executorOf });
  const places = new Map<string, number[]>();
  for (const { id } of [...plan.tasks, ...plan.combines]) {
    const binding = bindingOf(id) ?? '';
    places.set(binding, [...(places.get(binding) ?? []), nodeIndex(id)]);
  }
  return {
    gate: { plan: slice, rules: [], deadlineMs: 0 },
    bindingOf,
    claimOf: (id) => slice.executors[slice.executorOf[nodeIndex(id)] ?? -1] ?? { effect: 'at-most-once' },
    placesOf: (binding) => places.get(binding) ?? [],
    indexesOf: (ids) => ids.filter((id) => isNodeId(id) && nodeIndex(id) < slice.inputs.length).map(nodeIndex),
  };
}

/** Plans that were looked at last; each has at most the nodes of a run. */
const MAX_VIEWS = 20;

export function createViews(registry: CapabilityRegistry): (digest: string, store: ResultStore) => Promise<OwnView> {
  const cached = createCache<OwnView>(MAX_VIEWS, () => 1);
  return (digest, store) => cached(digest, async () => ownViewOf(await readPlan(store, digest), registry));
}
