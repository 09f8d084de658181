/** External context as plans hold it: each name that a task reads, with the reference of its value. */

import { canonicalJson, canonicalText, type ValueProblem } from './canonical-json.ts';
import { completePlan } from './encode-plan.ts';
import { keyOf, taskKey } from './hashes.ts';
import { draftOf } from './task-fields.ts';
import type { CompiledPlan, TaskNode } from '../compiled-plan.ts';

/** The format of stored results; a reader of another one refuses them. */
export const RESULT_FORMAT = 'planwright-result/1';

/** Levels of lists and objects in a value; a result store takes no deeper ones. */
export const CONTEXT_DEPTH = 256;

/** References of values by the names of the context that they stand for. */
export type ContextRefs = Readonly<Record<string, string>>;

/** The text under which a result store keeps a value of external context: equal JSON has equal text, however it is ordered. */
export function contextText(value: unknown): string {
  return `{"format":"${RESULT_FORMAT}","kind":"value","value":${canonicalJson(value as null)}}\n`;
}

/**
 * The reference of a value of external context: the one under which the result store of a run keeps it.
 *
 * @throws TypeError where the value is no JSON
 */
export function contextRef(value: unknown): string {
  return keyOf(contextText(value));
}

/** Why a value cannot be external context; undefined where it can.  */
export function contextProblem(value: unknown): ValueProblem['reason'] | undefined {
  let found: ValueProblem['reason'] | undefined;
  const bounds = { depth: CONTEXT_DEPTH, budget: { left: Infinity } };
  canonicalText(value, bounds, ({ reason }) => void (found ??= reason));
  return found;
}

/**
 * The references of the external context that a plan is bound to, by name; empty where its values were not known.
 *
 * @example contextRefs(plan); // { account: 'K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols' }
 */
export function contextRefs(plan: Pick<CompiledPlan, 'tasks'>): ContextRefs {
  return Object.fromEntries(plan.tasks.flatMap(({ externalRefs = {} }) => Object.entries(externalRefs)));
}

/** The same plan as it is compiled where no value of its external context is known; the plan itself where it holds none. */
export function withoutContext(plan: CompiledPlan): CompiledPlan {
  if (plan.tasks.every(({ externalRefs }) => externalRefs === undefined)) return plan;
  const { nodesById: _nodes, dependents: _dependents, digest: _digest, ...stored } = plan;
  const keys = new Map<string, string>();
  // Only a list of steps has external context, and a list has no combines.
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

/** Whether a task reads external context whose value was not known when the plan was compiled. */
export function lacksContext({ tasks }: Pick<CompiledPlan, 'tasks'>): boolean {
  return tasks.some(({ externalInputs = [], externalRefs = {} }) =>
    externalInputs.some((name) => !Object.hasOwn(externalRefs, name)),
  );
}
