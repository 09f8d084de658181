/** Random plans, rules and edits for the property tests. A node of them is known by its key, which no two nodes share. */

import fc from 'fast-check';
import type { Effect } from '../../../src/plan/index.ts';
import type { ApprovalRule, PlanShape } from '../../../src/protocol/index.ts';
import { executor, shapeOf } from './make-run.ts';

export interface RandomNode {
  readonly key: string;
  readonly inputs: readonly number[];
  /** Of a list: what it waits for beside its inputs. */
  readonly after: readonly number[];
  readonly effect: Effect;
  readonly name: string;
  readonly cost: number;
  /** Of an effect above read. */
  readonly resource?: string;
}
export type RandomPlan = readonly RandomNode[];

export const EFFECTS: readonly Effect[] = ['read', 'idempotent', 'at-most-once'];
export const ROLES = ['ops', 'chief'];
const NAMES = ['find', 'move'];

/** What an edit does to each node of the open plan, and what it adds. */
export interface RandomEdit {
  readonly fates: readonly ('keep' | 'change' | 'drop')[];
  readonly places: readonly number[];
  readonly added: readonly RandomNode[];
  readonly after: readonly (readonly number[])[];
}

const drafts = fc
  .record({
    inputs: fc.array(fc.nat({ max: 1000 }), { maxLength: 2 }),
    after: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.nat({ max: 1000 }), { maxLength: 2 }) },
    ),
    effect: fc.constantFrom(...EFFECTS),
    name: fc.constantFrom(...NAMES),
    cost: fc.nat({ max: 3 }),
    writesTo: fc.constantFrom(undefined, 'magnet', 'shutter'),
  })
  .map(({ writesTo, ...node }) =>
    writesTo === undefined || node.effect === 'read' ? node : { ...node, resource: writesTo },
  );

export const plans: fc.Arbitrary<RandomPlan> = fc.array(drafts, { minLength: 1, maxLength: 7 }).map((nodes) =>
  nodes.map((node, index) => ({
    ...node,
    key: `k${index}`,
    inputs: earlier(node.inputs, index),
    after: earlier(node.after, index),
  })),
);

export const rules: fc.Arbitrary<readonly ApprovalRule[]> = fc.array(
  fc.record(
    {
      effect: fc.constantFrom(...EFFECTS),
      capability: fc.constantFrom(...NAMES),
      minCost: fc.nat({ max: 3 }),
      roles: fc.subarray(ROLES, { minLength: 1 }),
      count: fc.integer({ min: 1, max: 2 }),
    },
    { requiredKeys: [] },
  ),
  { minLength: 1, maxLength: 3 },
);

export const edits: fc.Arbitrary<RandomEdit> = fc.record({
  fates: fc.array(fc.constantFrom('keep', 'keep', 'keep', 'change', 'drop'), { minLength: 10, maxLength: 10 }),
  places: fc.array(fc.nat({ max: 9 }), { minLength: 12, maxLength: 12 }),
  added: fc.array(
    drafts.map((node) => ({ ...node, key: '' })),
    { maxLength: 2 },
  ),
  after: fc.array(fc.array(fc.nat({ max: 1000 }), { maxLength: 1 }), { minLength: 12, maxLength: 12 }),
});

/** A node stays the same only with all its inputs; what the list order says may change about it. */
export function applyEdit(
  plan: RandomPlan,
  edit: RandomEdit,
  revision: number,
): { plan: RandomPlan; sameAs: readonly number[] } {
  const fateOf = (index: number): 'keep' | 'change' | 'drop' => {
    const inputs = plan[index]?.inputs ?? [];
    const fate = edit.fates[index % edit.fates.length] ?? 'keep';
    return fate === 'keep' && inputs.some((input) => fateOf(input) !== 'keep') ? 'change' : fate;
  };
  const kept = plan
    .map((node, index) => ({ node, old: index, fate: fateOf(index) }))
    .filter(({ fate }) => fate !== 'drop');
  const fresh = edit.added.map((node) => ({ node: { ...node, inputs: [] }, old: -1, fate: 'change' as const }));
  // A node comes as early as its place says and its inputs allow.
  const waiting = [...kept, ...fresh].map((one, index) => ({ ...one, place: edit.places[index % 12] ?? 0 }));
  const order: typeof waiting = [];
  while (waiting.length > 0) {
    const free = waiting.filter(
      ({ node, old }) => old < 0 || node.inputs.every((input) => !waiting.some((other) => other.old === input)),
    );
    const next = free.reduce((first, one) => (one.place < first.place ? one : first));
    order.push(next);
    waiting.splice(waiting.indexOf(next), 1);
  }
  if (order.length === 0) return { plan, sameAs: plan.map((_, index) => index) };
  const nodes = order.map(({ node, old, fate }, index): RandomNode => ({
    ...node,
    key: fate === 'keep' ? node.key : `r${revision}k${index}`,
    inputs:
      old < 0
        ? []
        : node.inputs.map((input) => order.findIndex((one) => one.old === input)).filter((input) => input >= 0),
    after: earlier(edit.after[index % 12] ?? [], index),
    ...(fate === 'change' && old >= 0 && { cost: (node.cost + 1) % 4 }),
  }));
  return { plan: nodes, sameAs: order.map(({ old, fate }) => (fate === 'keep' ? old : -1)) };
}

export function planShapeOf(plan: RandomPlan, digest: string): PlanShape {
  const after = Object.fromEntries(plan.flatMap((node, index) => (node.after.length > 0 ? [[index, node.after]] : [])));
  return shapeOf(
    plan.map(({ inputs }) => inputs),
    {
      digest,
      after,
      executors: plan.map(({ effect, name, cost, resource }) => ({
        ...executor(effect, name, cost),
        ...(resource !== undefined && { resource }),
      })),
      executorOf: plan.map((_, index) => index),
    },
  );
}

function earlier(picks: readonly number[], index: number): number[] {
  return index === 0 ? [] : picks.map((pick) => pick % index);
}
