import type { CompiledPlan, CompileOptions, JsonValue, PlanNode } from '../../src/plan/index.ts';
import { compiledPlan } from '../support/plans.ts';

export type WrittenNode = { readonly [key: string]: unknown };

export function task(text: string, rest: WrittenNode = {}): WrittenNode {
  return { type: 'task', task: text, ...rest };
}

export function combine(operator: string, left: unknown, right: unknown, rest: WrittenNode = {}): WrittenNode {
  return { type: 'combine', operator, left, right, ...rest };
}

/** The plan of a root node; fails the test when it does not compile. */
export const compiled = (root: unknown, options: CompileOptions = {}): CompiledPlan =>
  compiledPlan({ goal: 'Find targets', plan: root }, options).plan;

/** A compiled plan written out as a tree document again: shared nodes once per use. */
export function asDocument(plan: CompiledPlan): { readonly goal: string; readonly plan: WrittenNode } {
  return { goal: plan.goal, plan: written(plan.nodesById[plan.root]!) };

  function written(node: PlanNode): WrittenNode {
    if (node.kind === 'combine') {
      const { operator, displayName, colocate } = node;
      const [left, right] = node.inputs.map((id) => written(plan.nodesById[id]!));
      return { type: 'combine', operator, displayName, left, right, ...(colocate === undefined ? {} : { colocate }) };
    }
    const { id: _id, key: _key, kind: type, dependsOn, ...fields } = node;
    return { type, ...fields, ...(dependsOn.length === 0 ? {} : { input: written(plan.nodesById[dependsOn[0]!]!) }) };
  }
}

/** The same value with the keys of all its objects in the opposite order. */
export function reordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reordered(member)]),
  );
}
