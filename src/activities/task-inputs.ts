/** The results for a task: its inputs by name, and its arguments with references replaced. */

import type { TaskInput } from '../capabilities/index.ts';
import { findReferences, referencedStep, type CompiledPlan, type JsonValue, type TaskNode } from '../plan/index.ts';
import { resultJson } from '../planner/index.ts';
import type { ResultStore } from '../store/index.ts';
import { RunFailureError } from '../protocol/index.ts';
import { readInput } from './keep-node.ts';

/**
 * The results of the task's dependencies, in order, then its external context. The plan alone has the references of
 * that, so what is read is what was approved.
 * @param refs of the results of its dependencies, in order
 */
export function taskInputs(
  plan: CompiledPlan,
  node: TaskNode,
  refs: readonly string[],
  store: ResultStore,
): readonly TaskInput[] {
  const nodes = node.dependsOn.map((id, index) => input(nameOf(plan, id), refs[index], store));
  const context = (node.externalInputs ?? []).map((name) => input(name, node.externalRefs?.[name], store));
  return [...nodes, ...context];
}

/**
 * The arguments of a task. One that is exactly `result_from_step_N` becomes that step's result (Calute: references), or
 * the outside value with that key. A set becomes the list of its ids.
 */
export async function taskArguments(
  plan: CompiledPlan,
  node: TaskNode,
  refs: readonly string[],
  store: ResultStore,
): Promise<JsonValue> {
  let args: JsonValue = node.arguments ?? {};
  for (const { step, path, whole } of findReferences(args)) {
    if (whole) args = replaceAt(args, path, await resultOf(step));
  }
  return args;

  async function resultOf(step: string): Promise<JsonValue> {
    const id = referencedStep(plan, step);
    const ref = id === undefined ? node.externalRefs?.[step] : refs[node.dependsOn.indexOf(id)];
    if (ref !== undefined) return resultJson(await readInput(store, ref));
    throw new RunFailureError('FATAL', `${node.id} has no result of step ${step} among its inputs`);
  }
}

/** The value with another one at the path. Its depth is bounded by the compiler's limit on nested values. */
export function replaceAt(value: JsonValue, path: readonly (string | number)[], by: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((one: JsonValue, at) => (at === key ? replaceAt(one, rest, by) : one));
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
  return Object.fromEntries(entries.map(([name, one]) => [name, name === key ? replaceAt(one, rest, by) : one]));
}

function input(name: string, ref: string | undefined, store: ResultStore): TaskInput {
  if (ref === undefined) throw new RunFailureError('FATAL', `the input ${name} has no result`);
  return { name, handle: { ref }, read: () => readInput(store, ref) };
}

/** Never the id of a node: it follows from the place in the plan, which an approval of the node does not bind. */
function nameOf(plan: CompiledPlan, id: string): string {
  const node = plan.nodesById[id];
  return (node?.kind === 'task' ? node.contextKey : undefined) ?? 'input';
}
