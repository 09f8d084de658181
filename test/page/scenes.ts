/** Plans and runs of any size, as a page is shown them. */

import { compilePlan, nodeTitle, valuesOf, type CompiledPlan } from '../../src/plan/index.ts';
import type { OpenItem, SeenNode } from '../../src/protocol/index.ts';
import type { Seen } from '../../src/page/watch.ts';
import { status } from '../client/follow/fake-run.ts';

/** A tree of so many tasks, joined two by two; those that `isEffect` says are effects. */
export function treePlan(tasks: number, isEffect = (at: number) => at % 10 === 0): CompiledPlan {
  let at = 0;
  const node = (count: number): object =>
    count === 1
      ? {
          task: `Find the genes of region ${++at} that are expressed in the root`,
          capability: isEffect(at) ? 'order' : 'genes',
          arguments: { region: `region-${at}`, strand: 'both', least: at },
        }
      : { operator: 'UNION', left: node(Math.ceil(count / 2)), right: node(Math.floor(count / 2)) };
  return compiled({ goal: 'A large plan', plan: node(tasks) });
}

export function compiled(document: unknown, contextRefs: Readonly<Record<string, string>> = {}): CompiledPlan {
  const read = compilePlan(document, { contextRefs });
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.plan;
}

export function nodesOf(plan: CompiledPlan, over: (at: number) => Partial<SeenNode> = () => ({})): readonly SeenNode[] {
  return Object.values(plan.nodesById).map((node, at) => {
    const isEffect = node.kind === 'task' && node.capability === 'order';
    return {
      id: node.id,
      status: 'pending',
      summary: node.kind,
      executor: 'capability x@1',
      effect: isEffect ? 'at-most-once' : 'read',
      ...(isEffect && { cost: 10 }),
      ...over(at),
    };
  });
}

export function seenOf(plan: CompiledPlan, nodes = nodesOf(plan), over: Partial<Seen> = {}): Seen {
  const counts: Record<string, number> = { total: nodes.length };
  for (const { status: state } of nodes) counts[state] = (counts[state] ?? 0) + 1;
  return {
    workflowId: 'plan-of-a-name-as-long-as-they-get-3fa9c1d2',
    status: status({ digest: plan.digest, counts, waitingFor: over.open?.length ?? 0 }),
    nodes,
    plan,
    open: [],
    attempts: [],
    feedback: [],
    agents: [],
    steps: [],
    ...over,
  };
}

/** It waits for the approval of all its nodes. */
export function waitingOf(plan: CompiledPlan, over: Partial<OpenItem> = {}): Seen {
  const nodes = nodesOf(plan);
  const effects = nodes.flatMap(({ id, effect }) => {
    const node = plan.nodesById[id]!;
    const title = `order: ${nodeTitle(node)}`;
    return effect === 'read' ? [] : [{ node: id, title, effect, cost: 10, resource: 'shop', values: valuesOf(node) }];
  });
  const item = {
    ...{ id: 'approval', kind: 'approval', workflowId: seenOf(plan).workflowId, digest: plan.digest, revision: 1 },
    ...{ text: `approve the plan "${plan.goal}"?`, roles: ['operator'], effects },
    asks: `${nodes.length - effects.length} reads, ${effects.length} at-most-once: order (cost ${10 * effects.length})`,
    ...{ since: '2026-01-01T00:00:00Z', deadline: '2026-01-08T00:00:00Z' },
    ...{ nodes: nodes.slice(0, 20).map(({ id }) => id), nodeCount: nodes.length },
    send: { name: 'approve', input: { digest: plan.digest } },
    ...over,
  } as unknown as OpenItem;
  return seenOf(plan, nodes, { open: [item] });
}
