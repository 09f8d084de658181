/** Plan shapes for measuring. Every task is different, so that nothing merges. */

import type { CompiledPlan } from '../src/language/plan/index.ts';

/** A balanced binary tree of an odd number of nodes, perfect for 2^k - 1: leaves are tasks, inner nodes UNION. */
export function balancedTree(nodes: number, capability = 'noop'): { goal: string; plan: object } {
  let leaf = 0;
  const build = (size: number): object => {
    if (size === 1) return { ...leafTask(leaf++), capability };
    // Both sides are odd.
    const left = 2 * Math.floor((size - 1) / 4) + 1;
    return { type: 'combine', operator: 'UNION', left: build(left), right: build(size - 1 - left) };
  };
  return { goal: `a balanced tree of ${nodes} nodes`, plan: build(nodes) };
}

/** `nodes` tasks, each taking the result of the one before: nothing runs beside anything. */
export function leftDeepChain(nodes: number): { goal: string; plan: object } {
  let plan: object = leafTask(0);
  for (let node = 1; node < nodes; node++) plan = { ...leafTask(node), input: plan };
  return { goal: `a chain of ${nodes} nodes`, plan };
}

export function inputsOf(plan: CompiledPlan): number[][] {
  const indexOf = (id: string) => Number(id.slice('node_'.length)) - 1;
  const inputs: number[][] = [];
  for (const node of plan.tasks) inputs[indexOf(node.id)] = node.dependsOn.map(indexOf);
  for (const node of plan.combines) inputs[indexOf(node.id)] = node.inputs.map(indexOf);
  return inputs;
}

function leafTask(node: number): object {
  return { type: 'task', task: `n${node}`, capability: 'noop' };
}
