/** The nodes of a plan that are nodes of the plan that it was made from: work and approvals there hold for them. */

import { canonicalJson, nodeTitle, type CompiledPlan, type PlanIssue, type PlanNode } from '../plan/index.ts';
import { nodeId, nodeIndex, type SameNodes } from '../protocol/index.ts';
import { quote } from '../plan/text/index.ts';
import { effectKeysOf, wordsOf } from './effect-keys.ts';
import { inputsOf, type Revision } from './revision.ts';

/**
 * For each node of `revision` the index of the node of `base` that it is, or -1. A node stays the same when it is bound to
 * the same (its key, and the goal where it reads it), the same executor carries it out,
 * and it takes the results of nodes that stay the same. Every node of `base` is named at most once; of several with one
 * binding the first comes first.
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
 * For each node of `revision` that is no node of `base` but does what one of them does, in another form, the index of
 * that one, else -1; undefined where there is none. It does the same where its effect key, its words, the goal and its
 * inputs are the same; a context key and other fields that only one form has may differ. Work that was done there need
 * not be done again. An approval there does not hold: `execute` may read the difference.
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
      return toldIn(node) === toldIn(old) && takesSame(node, old, kept);
    });
    if (place !== -1) kept[index] = candidates.splice(place, 1)[0]!;
  }
  const reformed = kept.map((before, index) => (same[index] === -1 ? before : -1));
  return reformed.some((before) => before !== -1) ? reformed : undefined;
}

/**
 * The nodes of a plan that was made anew which are, in whatever form, nodes of `base` that ended without a result and would once more.
 * @param lost ids in `base`
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

function toldIn(node: PlanNode): string {
  return node.kind === 'combine' ? '' : canonicalJson(wordsOf(node));
}

function indexesBy(base: Revision, keyOf: (base: Revision, id: string) => string | undefined): Map<string, number[]> {
  const bound = new Map<string, number[]>();
  for (let index = 0; index < nodeCount(base.plan); index += 1) {
    const binding = keyOf(base, nodeId(index)) ?? '';
    const known = bound.get(binding);
    if (known === undefined) bound.set(binding, [index]);
    else known.push(index);
  }
  return bound;
}

function nodeCount({ tasks, combines }: CompiledPlan): number {
  return tasks.length + combines.length;
}
