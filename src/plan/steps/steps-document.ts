import { STEP_TEXTS, isOrdered } from './find-step.ts';
import type { CompiledPlan, Complexity, JsonValue, TaskNode, NodeId } from '../compiled-plan.ts';
import { taskKey, withMeaning } from '../digest/index.ts';
import { nodeId } from '../node-id.ts';
import type { Executor } from '../catalogue.ts';
import type { NodeDraft, TaskFields, StepDraft, StepInputs } from '../plan-reading.ts';
import type { NumberedNodes } from '../tree/number-nodes.ts';

/** A step as a document contains it. */
export interface WrittenStep {
  readonly context_key: string;
  readonly capability?: string;
  readonly agent?: string;
  readonly task_objective: string;
  readonly action?: string;
  readonly description?: string;
  readonly expected_output?: string;
  readonly success_criteria?: string;
  readonly undoes?: string;
  readonly parameters?: JsonValue;
  readonly inputs?: readonly (string | { readonly [type: string]: string })[];
}

/** A plan document that is an ordered list of steps. `estimated_time` is in minutes. */
export interface StepsDocument {
  readonly goal: string;
  readonly complexity?: Complexity;
  readonly estimated_time?: number;
  readonly steps: readonly WrittenStep[];
}

/**
 * Writes a compiled list of steps as a document; undefined for a tree. Compiled with `contextRefs(plan)`, or else with
 * the keys of `plan.external`, the document has the same digest.
 * @example stepsDocument(plan)?.steps[0]; // { context_key: 'genes', capability: 'search', task_objective: 'Find genes' }
 */
export function stepsDocument(plan: CompiledPlan): StepsDocument | undefined {
  if (!isOrdered(plan)) return undefined;
  const { goal, complexity, estimatedMinutes, tasks, root } = plan;
  return {
    goal,
    ...(complexity !== undefined && { complexity }),
    ...(estimatedMinutes !== undefined && { estimated_time: estimatedMinutes }),
    steps: tasks.map((step) => writtenStep(step, plan, step.id === root)),
  };
}

function writtenStep(step: TaskNode, { nodesById }: CompiledPlan, isLast: boolean): WrittenStep {
  const { inputTypes = {}, externalInputs = [] } = step;
  const earlier = step.dependsOn.flatMap((id) => {
    const node = nodesById[id];
    return node?.kind === 'task' && node.contextKey !== undefined ? [node.contextKey] : [];
  });
  // The last step uses all results anyway, so only inputs with a type are listed for it.
  const keys = [...(isLast ? earlier.filter((key) => Object.hasOwn(inputTypes, key)) : earlier), ...externalInputs];
  return {
    context_key: step.contextKey!,
    ...(step.capability !== undefined && { capability: step.capability }),
    ...(step.agent !== undefined && { agent: step.agent }),
    task_objective: step.task,
    ...Object.fromEntries(
      STEP_TEXTS.flatMap(([key, field]) => (step[field] === undefined ? [] : [[key, step[field]]])),
    ),
    ...(step.arguments !== undefined && { parameters: step.arguments }),
    ...(keys.length > 0 && {
      inputs: keys.map((key) => (Object.hasOwn(inputTypes, key) ? { [inputTypes[key]!]: key } : key)),
    }),
  };
}

/** Turns steps into nodes, in the order of the list. Merges none, since every step has its own key. */
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
  const place = { id: nodeId(nodes.length), key, kind: 'task' as const, dependsOn: dependsOn.map(nodeId) };
  return withMeaning(place, step, inputs);
}
