/** Plan documents in few words. */

import { compilePlan, type CompileOptions } from '../../src/plan/index.ts';

/** What a document compiles to; an error with its issues where it does not. */
export function compiledPlan(document: Parameters<typeof compilePlan>[0], options?: CompileOptions) {
  const result = compilePlan(document, options);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result;
}

export const idsOf = (...list: string[]) => ({
  type: 'task',
  task: `the ids ${list.join(' ')}`,
  capability: 'ids',
  arguments: { ids: list },
});

export const task = (capability: string, args: object, over: object = {}) => ({
  type: 'task',
  task: `${capability} ${JSON.stringify(args)}`,
  capability,
  arguments: args,
  ...over,
});

export const combine = (operator: string, left: object, right: object) => ({ type: 'combine', operator, left, right });

export const planOf = (plan: object, options?: object) => ({
  goal: 'Test the run of a plan',
  plan,
  ...(options !== undefined && { options }),
});

/** A balanced tree over the leaves: so many leaves make one operator fewer. */
export function treeOver(leaves: readonly object[], operator = 'UNION'): object {
  const [first, ...others] = leaves;
  if (first === undefined) throw new RangeError('a tree has at least one leaf');
  if (others.length === 0) return first;
  const half = leaves.length >> 1;
  return combine(operator, treeOver(leaves.slice(0, half), operator), treeOver(leaves.slice(half), operator));
}
