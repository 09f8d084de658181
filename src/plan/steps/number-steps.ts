import { idOfIndex, taskKey, withMeaning } from '../digest/index.ts';
import type { Executor } from '../catalogue.ts';
import type { NodeId, TaskNode } from '../compiled-plan.ts';
import type { NodeDraft, TaskFields, StepDraft, StepInputs } from '../plan-reading.ts';
import type { NumberedNodes } from '../tree/number-nodes.ts';

/** Turns steps into nodes `node_1..n`, in their own order. Nothing merges, since every step has its own key. */
export function numberSteps(
  steps: readonly StepDraft[],
  inputs: readonly StepInputs[],
  executorOf: ReadonlyMap<NodeDraft | TaskFields, Executor>,
): NumberedNodes {
  const nodes: TaskNode[] = [];
  const executors: { [id: NodeId]: Executor } = {};
  for (const [index, step] of steps.entries()) {
    const node = stepNode(step, inputs[index]!, nodes);
    nodes.push(node);
    const executor = executorOf.get(step);
    if (executor !== undefined) executors[node.id] = executor;
  }
  return { nodes, executors };
}

function stepNode(step: StepDraft, inputs: StepInputs, nodes: readonly TaskNode[]): TaskNode {
  const { dependsOn } = inputs;
  const inputKeys = dependsOn.map((index) => nodes[index]!.key);
  const key = taskKey(step, inputs, inputKeys);
  const place = { id: idOfIndex(nodes.length), key, kind: 'task' as const, dependsOn: dependsOn.map(idOfIndex) };
  return withMeaning(place, step, inputs);
}
