/** Makes nodes of the drafts of steps. */

import { idOfIndex, stepKey } from '../digest/index.ts';
import type { Executor } from '../catalogue.ts';
import type { JsonValue, NodeId, TaskNode } from '../compiled-plan.ts';
import type { Draft, TaskFields } from '../plan-reading.ts';
import type { NumberedNodes } from '../tree/number-nodes.ts';
import type { StepDraft, StepInputs } from './step-draft.ts';

/** Turns steps into nodes `node_1..n`, in their own order: nothing merges, since every step has a key of its own. */
export function numberSteps(
  steps: readonly StepDraft[],
  inputs: readonly StepInputs[],
  executorOf: ReadonlyMap<Draft | TaskFields, Executor>,
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

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function stepNode(step: StepDraft, inputs: StepInputs, nodes: readonly TaskNode[]): TaskNode {
  const { dependsOn, externalInputs, inputTypes } = inputs;
  const node: Partial<Writable<TaskNode>> = {};
  if (step.action !== undefined) node.action = step.action;
  if (step.agent !== undefined) node.agent = step.agent;
  if (step.arguments !== undefined) node.arguments = JSON.parse(step.arguments) as JsonValue;
  if (step.capability !== undefined) node.capability = step.capability;
  node.contextKey = step.contextKey;
  node.dependsOn = dependsOn.map(idOfIndex);
  if (step.description !== undefined) node.description = step.description;
  if (step.expectedOutput !== undefined) node.expectedOutput = step.expectedOutput;
  if (externalInputs.length > 0) node.externalInputs = externalInputs;
  node.id = idOfIndex(nodes.length);
  if (inputTypes !== undefined) node.inputTypes = inputTypes;
  node.key = stepKey(
    step,
    inputs,
    dependsOn.map((index) => nodes[index]!.key),
  );
  node.kind = 'task';
  if (step.successCriteria !== undefined) node.successCriteria = step.successCriteria;
  node.task = step.task;
  return node as TaskNode;
}
