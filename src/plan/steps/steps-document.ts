/** Writes a compiled list of steps as a document. */

import { STEP_TEXTS } from './step-keys.ts';
import { isOrdered } from './find-step.ts';
import type { CompiledPlan, Complexity, JsonValue, TaskNode } from '../compiled-plan.ts';

/** A step as a document writes it. */
export interface WrittenStep {
  readonly context_key: string;
  readonly capability?: string;
  readonly agent?: string;
  readonly task_objective: string;
  readonly action?: string;
  readonly description?: string;
  readonly expected_output?: string;
  readonly success_criteria?: string;
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
 * A compiled list of steps as a document. It compiles to the same digest, given `contextRefs(plan)` or, if there are
 * none, the keys of `plan.external`. Undefined for a tree.
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
  // The last step takes all results anyway; only its types are its own.
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
