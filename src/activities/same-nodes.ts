/** Which nodes of a plan are nodes of the plan that it was made from: what was done and approved there holds for them. */

import type { CompiledPlan } from '../plan/index.ts';
import { nodeId, nodeIndex } from '../contract/index.ts';
import type { Revision } from './revision.ts';

/**
 * For each node of `revision` the index of the node of `base` that it is, or -1. A node stays the same when it means the
 * same (its key), the same executor carries it out, it reads the same external context and takes the results of nodes
 * that stay the same. Every node of `base` is named at most once; of several with one key the first comes first.
 */
export function sameNodes(revision: Revision, base: Revision): readonly number[] {
  const byKey = indexesByKey(base.plan);
  const same: number[] = [];
  for (let index = 0; index < nodeCount(revision.plan); index += 1) {
    const candidates = byKey.get(revision.plan.nodesById[nodeId(index)]?.key ?? '') ?? [];
    const place = candidates.findIndex((candidate) => isSame(revision, index, base, candidate, same));
    same.push(place === -1 ? -1 : candidates.splice(place, 1)[0]!);
  }
  return same;
}

function isSame(revision: Revision, index: number, base: Revision, before: number, same: readonly number[]): boolean {
  const node = revision.plan.nodesById[nodeId(index)]!;
  const old = base.plan.nodesById[nodeId(before)]!;
  if (revision.executorOf(node.id) !== base.executorOf(old.id)) return false;
  const names = node.kind === 'task' ? (node.externalInputs ?? []) : [];
  if (names.some((name) => revision.external[name] !== base.external[name])) return false;
  const inputs = node.kind === 'combine' ? node.inputs : node.dependsOn;
  const oldInputs = old.kind === 'combine' ? old.inputs : old.dependsOn;
  return (
    inputs.length === oldInputs.length && inputs.every((id, at) => same[nodeIndex(id)] === nodeIndex(oldInputs[at]!))
  );
}

function indexesByKey(plan: CompiledPlan): Map<string, number[]> {
  const byKey = new Map<string, number[]>();
  for (let index = 0; index < nodeCount(plan); index += 1) {
    const { key } = plan.nodesById[nodeId(index)]!;
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [index]);
    else known.push(index);
  }
  return byKey;
}

function nodeCount({ tasks, combines }: CompiledPlan): number {
  return tasks.length + combines.length;
}
