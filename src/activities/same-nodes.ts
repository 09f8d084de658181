/** Which nodes of a plan are nodes of the plan that it was made from: what was done and approved there holds for them. */

import type { CompiledPlan } from '../plan/index.ts';
import { nodeId, nodeIndex } from '../contract/index.ts';
import type { Revision } from './revision.ts';

/**
 * For each node of `revision` the index of the node of `base` that it is, or -1. A node stays the same when it is bound to
 * the same (its key, and the goal where it reads it), the same executor carries it out, it reads the same external context
 * and takes the results of nodes that stay the same. Every node of `base` is named at most once; of several with one
 * binding the first comes first.
 */
export function sameNodes(revision: Revision, base: Revision): readonly number[] {
  const bound = indexesByBinding(base);
  const same: number[] = [];
  for (let index = 0; index < nodeCount(revision.plan); index += 1) {
    const candidates = bound.get(revision.bindingOf(nodeId(index)) ?? '') ?? [];
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

function indexesByBinding({ plan, bindingOf }: Revision): Map<string, number[]> {
  const bound = new Map<string, number[]>();
  for (let index = 0; index < nodeCount(plan); index += 1) {
    const binding = bindingOf(nodeId(index)) ?? '';
    const known = bound.get(binding);
    if (known === undefined) bound.set(binding, [index]);
    else known.push(index);
  }
  return bound;
}

function nodeCount({ tasks, combines }: CompiledPlan): number {
  return tasks.length + combines.length;
}
