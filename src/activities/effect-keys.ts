/**
 * The effect of each node, free of the form of its plan: by it an effect that has run is known again in another plan.
 */

import { createHash } from 'node:crypto';
import { canonicalJson, findReferences, referencedStep, type JsonValue, type TaskNode } from '../plan/index.ts';
import { nodeId, nodeIndex } from '../protocol/index.ts';
import { inputsOf, type Revision } from './revision.ts';
import { replaceAt } from './task-inputs.ts';

/**
 * The capability with its version, its arguments and what it stands on, in 16 characters for each node. A task without
 * arguments is told by its words, which then say what it does. No context key, name of an input or label is in it: two keys
 * are alike too often rather than too seldom, and approve nothing.
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
      // The number of a step changes where another comes before it.
      if (id !== undefined) args = replaceAt(args, path, { result: keys[nodeIndex(id)]! });
    }
    return args;
  }
}

/**
 * The same without what it stands on: what is done, wherever in a plan. It is told by this key that an effect has begun before, since a
 * node whose inputs have changed does it once more. A task without arguments has a second part, of its words.
 */
export function looseEffectKey({ executorOf }: Revision, node: TaskNode): string {
  const args: JsonValue = node.arguments ?? {};
  const key = keyOf([executorOf(node.id) ?? '', withoutSteps(args)]);
  return Object.keys(args as object).length > 0 ? key : `${key}.${keyOf(withoutSteps(wordsOf(node)))}`;
}

function withoutSteps(value: JsonValue): string {
  return canonicalJson(value).replaceAll(REFERENCES, 'result_from_step');
}

/** The number of a step changes where another comes before it. */
const REFERENCES = /result_from_step_[\p{L}\p{N}_-]+/gu;

/** The words that a task is given. A step has its hint as its description. */
export function wordsOf({ task, hint, description, context }: TaskNode): readonly JsonValue[] {
  return [task, hint ?? description ?? null, context ?? null];
}

function keyOf(value: JsonValue): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, 16);
}
