/** The effect of each node, independent of the form of its plan, to recognise a past effect in another plan. */

import { createHash } from 'node:crypto';
import { canonicalJson, findReferences, referencedStep, type JsonValue, type TaskNode } from '../plan/index.ts';
import { nodeId, nodeIndex } from '../protocol/index.ts';
import { inputsOf, type Revision } from './revision.ts';
import { replaceAt } from './task-inputs.ts';

/**
 * 16 characters for each node: the capability with its version, its arguments, and its inputs. A task without arguments
 * counts by its text, which then says what it does. Context keys, input names and labels do not count: equal keys by
 * mistake are safe, since they approve nothing.
 */
export function effectKeysOf({ plan, executorOf }: Revision): readonly string[] {
  const keys: string[] = [];
  for (let index = 0; index < plan.tasks.length + plan.combines.length; index += 1) {
    const node = plan.nodesById[nodeId(index)]!;
    const inputs = inputsOf(node).map((id) => keys[nodeIndex(id)]!);
    const does =
      node.kind === 'combine'
        ? [node.operator, (node.colocate ?? null) as JsonValue]
        : [doneBy(node), (node.externalInputs ?? []).map((name) => node.externalRefs?.[name] ?? name)];
    keys.push(keyOf([executorOf(node.id) ?? '', inputs, ...does]));
  }
  return keys;

  function doneBy(node: TaskNode): JsonValue {
    let args: JsonValue = node.arguments ?? {};
    if (Object.keys(args as object).length === 0) return wordsOf(node);
    for (const { step, path, whole } of findReferences(args)) {
      const id = whole ? referencedStep(plan, step) : undefined;
      // Step numbers change if another step comes before.
      if (id !== undefined) args = replaceAt(args, path, { result: keys[nodeIndex(id)]! });
    }
    return args;
  }
}

/**
 * The same without the inputs: what the node does, anywhere in a plan. It finds effects that have begun, since a node
 * with changed inputs does the same again. A task without arguments adds a second part for its text.
 */
export function looseEffectKey({ executorOf }: Revision, node: TaskNode): string {
  const args: JsonValue = node.arguments ?? {};
  const key = keyOf([executorOf(node.id) ?? '', withoutSteps(args)]);
  return Object.keys(args as object).length > 0 ? key : `${key}.${keyOf(withoutSteps(wordsOf(node)))}`;
}

function withoutSteps(value: JsonValue): string {
  return canonicalJson(value).replaceAll(REFERENCES, 'result_from_step');
}

/** Step numbers change if another step comes before. */
const REFERENCES = /result_from_step_[\p{L}\p{N}_-]+/gu;

/** The text of a task. A step has its hint as description. */
export function wordsOf({ task, hint, description, context }: TaskNode): readonly JsonValue[] {
  return [task, hint ?? description ?? null, context ?? null];
}

function keyOf(value: JsonValue): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, 16);
}
