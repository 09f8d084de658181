/** External context in plans: each name that a task reads, with the reference of its value. */

import { canonicalJson, canonicalText, type ValueProblem } from './canonical-json.ts';
import { completePlan } from './encode-plan.ts';
import { hashText, taskKey } from './hashes.ts';
import { draftOf } from './task-fields.ts';
import type { CompiledPlan, TaskNode } from '../compiled-plan.ts';

export const RESULT_FORMAT = 'planwright-result/1';

/** Levels of lists and objects in a value; the result store has the same limit. */
export const CONTEXT_DEPTH = 256;

/** References of context values, by name. */
export type ContextRefs = Readonly<Record<string, string>>;

/** The text under which a result store keeps a context value; equal JSON has equal text. */
export function contextText(value: unknown): string {
  return `{"format":"${RESULT_FORMAT}","kind":"value","value":${canonicalJson(value as null)}}\n`;
}

/**
 * The reference of a context value in the result store of a run.
 * @throws TypeError if the value is no JSON
 */
export function contextRef(value: unknown): string {
  return hashText(contextText(value));
}

/** Why a value cannot be external context; undefined if it can. */
export function contextProblem(value: unknown): ValueProblem['reason'] | undefined {
  let found: ValueProblem['reason'] | undefined;
  const bounds = { depth: CONTEXT_DEPTH, budget: { left: Infinity } };
  canonicalText(value, bounds, ({ reason }) => void (found ??= reason));
  return found;
}

/** The references of a plan's external context, by name; empty if its values were unknown. */
export function contextRefs(plan: Pick<CompiledPlan, 'tasks'>): ContextRefs {
  return Object.fromEntries(plan.tasks.flatMap(({ externalRefs = {} }) => Object.entries(externalRefs)));
}

/** The same plan without the references of its external context; the plan itself if it has none. */
export function withoutContext(plan: CompiledPlan): CompiledPlan {
  if (plan.tasks.every(({ externalRefs }) => externalRefs === undefined)) return plan;
  const { nodesById: _nodes, dependents: _dependents, digest: _digest, ...stored } = plan;
  const keys = new Map<string, string>();
  // Only a list of steps has external context, and it has no combines.
  const tasks = plan.tasks.map(({ externalRefs: _refs, ...task }): TaskNode => {
    const key = taskKey(
      draftOf(task),
      task,
      task.dependsOn.map((id) => keys.get(id)!),
    );
    keys.set(task.id, key);
    return { ...task, key };
  });
  return completePlan({ ...stored, tasks }, tasks);
}

/** Whether a task reads external context whose value was unknown at compile time. */
export function lacksContext({ tasks }: Pick<CompiledPlan, 'tasks'>): boolean {
  return tasks.some(({ externalInputs = [], externalRefs = {} }) =>
    externalInputs.some((name) => !Object.hasOwn(externalRefs, name)),
  );
}
