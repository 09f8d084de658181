/** Builds an example plan from the capabilities of a project. Models copy examples, including the names in them. */

import type { Agent, Capability } from '../../capabilities/index.ts';
import { isRecord } from '../../protocol/index.ts';
import { cutCharacters, jsonIn, oneLine } from '../../plan/text/index.ts';
import { schemaOf } from './argument-schema.ts';

const ASIDE = ['respond', 'clarify', 'ask'];
const MAX_TASK = 80;

/** A complete reply as JSON: two tasks with an operator if a capability gives a set, otherwise one task. */
export function planExample(capabilities: readonly Capability[], agents: readonly Agent[]): string | undefined {
  const tasks = capabilities.filter(({ name }) => !ASIDE.includes(name)).flatMap(taskOf);
  const sets = tasks.filter(({ output }) => output === 'set');
  const [left, right = left] = sets;
  if (left !== undefined && right !== undefined) {
    const nodes = [
      { id: 'a', ...left.task },
      { id: 'b', ...right.task },
      { id: 'c', operator: 'INTERSECT', inputs: ['a', 'b'] },
    ];
    return JSON.stringify({ nodes, explanation: 'What both of them have.' });
  }
  const [first] = tasks;
  const [agent] = agents;
  const task =
    first?.task ?? (agent && { agent: agent.name, task: cutCharacters(oneLine(agent.description), MAX_TASK) });
  return task && JSON.stringify({ nodes: [{ id: 'a', ...task }], explanation: 'All of it in one task.' });
}

function taskOf({ name, description, describedBy, output, input, guide }: Capability) {
  const wanted = [...(guide?.examples ?? []).map(argumentsIn), smallestValue(schemaOf(input))];
  const args = wanted.find((one) => isRecord(one) && isValidFor(input, one));
  if (args === undefined) return [];
  const isEmpty = Object.keys(args as object).length === 0;
  const task = describedBy === undefined ? cutCharacters(oneLine(description), MAX_TASK) : `Use ${name}`;
  return [{ output, task: { capability: name, ...(!isEmpty && { arguments: args }), task } }];
}

function argumentsIn(example: string): unknown {
  const value = jsonIn(example);
  return isRecord(value) && isRecord(value['arguments']) ? value['arguments'] : value;
}

function isValidFor(input: Capability['input'], value: unknown): boolean {
  try {
    return input.safeParse(value).success;
  } catch {
    // A schema with an asynchronous check cannot be used here, so the value counts as invalid.
    return false;
  }
}

function smallestValue(schema: unknown): unknown {
  if (!isRecord(schema)) return null;
  const { type, enum: names, const: only, anyOf, oneOf, items, minItems, minimum = 1, properties, required } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(names)) return names[0];
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return smallestValue(choices[0]);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object': {
      const members = isRecord(properties) ? properties : {};
      const needed: readonly unknown[] = Array.isArray(required) ? required : [];
      return Object.fromEntries(needed.map((name) => [name, smallestValue(members[String(name)])]));
    }
    case 'array':
      return Array.from({ length: Math.min(Math.max(Number(minItems ?? 1), 1), 3) }, () => smallestValue(items));
    case 'number':
    case 'integer':
      return Math.max(1, Number(minimum));
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return '...';
  }
}
