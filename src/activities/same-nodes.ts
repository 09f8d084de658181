/** Finds the nodes of a plan that equal a node of the previous plan. Their results and approvals remain valid. */

import { canonicalJson, groupsBy, nodeTitle, type CompiledPlan, type PlanIssue, type PlanNode } from '../plan/index.ts';
import { nodeId, nodeIndex, type SameNodes } from '../protocol/index.ts';
import { quote } from '../plan/text/index.ts';
import { effectKeysOf, taskTexts, inputsOf, type Revision } from './revision.ts';

/**
 * For each node of `revision`, the index of the equal node in `base`, or -1. Nodes are equal if their identity (key
 * and, if read, goal), executor and input nodes are equal. Each node of `base` is used at most once.
 */
export function sameNodes(revision: Revision, base: Revision): readonly number[] {
  const bound = indexesBy(base, ({ bindingOf }, id) => bindingOf(id));
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
  return takesSame(node, old, same);
}

function takesSame(node: PlanNode, old: PlanNode, same: readonly number[]): boolean {
  const inputs = inputsOf(node);
  const oldInputs = inputsOf(old);
  return (
    inputs.length === oldInputs.length && inputs.every((id, at) => same[nodeIndex(id)] === nodeIndex(oldInputs[at]!))
  );
}

/**
 * For each node of `revision`, the index of a node in `base` that does the same in another form, or -1. Effect key,
 * text, goal and inputs must be equal. The result remains valid, but the approval does not, since `execute` may read
 * the difference.
 */
export function reformedNodes(
  revision: Revision,
  base: Revision,
  same: readonly number[],
): readonly number[] | undefined {
  if (!same.includes(-1) || revision.plan.goal !== base.plan.goal) return undefined;
  const keys = effectKeysOf(revision);
  const oldKeys = effectKeysOf(base);
  const taken = new Set(same);
  const free = indexesBy(base, (_, id) => (taken.has(nodeIndex(id)) ? undefined : oldKeys[nodeIndex(id)]));
  const kept = [...same];
  for (const [index, before] of same.entries()) {
    if (before !== -1) continue;
    const node = revision.plan.nodesById[nodeId(index)]!;
    const candidates = free.get(keys[index]!) ?? [];
    const place = candidates.findIndex((candidate) => {
      const old = base.plan.nodesById[nodeId(candidate)]!;
      return textOfNode(node) === textOfNode(old) && takesSame(node, old, kept);
    });
    if (place !== -1) kept[index] = candidates.splice(place, 1)[0]!;
  }
  const reformed = kept.map((before, index) => (same[index] === -1 ? before : -1));
  return reformed.some((before) => before !== -1) ? reformed : undefined;
}

/**
 * Returns an issue for each node that failed in the old plan and is unchanged in the new one.
 * @param lost ids of the failed nodes in `base`
 */
export function issuesOfLost(
  { sameAs = [], reformed = [] }: SameNodes,
  { plan }: Revision,
  lost: readonly string[],
): readonly PlanIssue[] {
  return [...sameAs, ...reformed].flatMap((old) => {
    const node = old < 0 ? undefined : plan.nodesById[nodeId(old)];
    if (node === undefined || !lost.includes(node.id)) return [];
    const key = node.kind === 'task' ? node.contextKey : undefined;
    const message = `${quote(nodeTitle(node))} stands in it as before, and ended without a result: as it is it would again. Change it, or what it takes, or do without it.`;
    const code = 'failed-before' as const;
    return [{ code, severity: 'error', path: '$', message, ...(key !== undefined && { nodeId: key }) }];
  });
}

function textOfNode(node: PlanNode): string {
  return node.kind === 'combine' ? '' : canonicalJson(taskTexts(node));
}

function indexesBy(base: Revision, keyOf: (base: Revision, id: string) => string | undefined) {
  return groupsBy(Array(nodeCount(base.plan)).keys(), (index) => keyOf(base, nodeId(index)) ?? '');
}

function nodeCount({ tasks, combines }: CompiledPlan): number {
  return tasks.length + combines.length;
}
