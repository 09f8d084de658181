/** Builds an example plan from a project's capabilities, since models copy even the names in examples. */

import type { Agent, Capability } from '../../capabilities/index.ts';
import { isRecord } from '../../protocol/index.ts';
import { cutCharacters, jsonIn, oneLine, quote } from '../../plan/text/index.ts';
import {
  stepsDocument,
  writtenNode,
  type CompiledPlan,
  type PlanNode,
  type WrittenStep,
  type PlanIssue,
} from '../../plan/index.ts';
import { z } from 'zod';
import type { JsonSchema } from '../../models/index.ts';

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
    // A schema with an asynchronous check throws here, so the value counts as invalid.
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

const MAX_NAME = 300;

/** The longest known name at the end of a dotted name; otherwise the name itself. */
export function withoutNamespace(name: string, isKnown: (name: string) => boolean): string {
  const parts = name.slice(0, MAX_NAME).split('.');
  return parts.map((_, at) => parts.slice(at).join('.')).find(isKnown) ?? name;
}

/** Replaces names of capabilities in a model's plan by known names. Each change gives a warning. */
export function withKnownNames<Plan>(plan: Plan, capabilities: readonly { readonly name: string }[]) {
  const known = new Set(capabilities.map(({ name }) => name));
  const changed: PlanIssue[] = [];
  const written = JSON.stringify(plan, (key, value: unknown) => {
    if (key !== 'capability' || typeof value !== 'string') return value;
    const name = withoutNamespace(value, (one) => known.has(one));
    const message = `There is no capability ${quote(value)}; it is read as ${quote(name)}.`;
    if (name !== value) changed.push({ code: 'repaired-syntax', severity: 'warning', path: '$', message });
    return name;
  });
  return { plan: JSON.parse(written) as Plan, changed };
}

/** The forms of a plan. A revision has the form of its base, since a step never equals a node of a tree. */
export type WrittenForm = 'tree' | 'steps';

export function writtenFormOf(plan: CompiledPlan): WrittenForm {
  return stepsDocument(plan) === undefined ? 'tree' : 'steps';
}

/** Writes a plan as the JSON of a flat list, one node per line. Reading the list gives the same plan. */
export function writeNodes(plan: CompiledPlan): string {
  const steps = stepsDocument(plan);
  const nodes = steps === undefined ? Object.values(plan.nodesById).map(nodeOf) : steps.steps.map(stepNode);
  const { complexity, estimated_time: estimate } = steps ?? {};
  const facts = {
    ...(complexity !== undefined && { complexity }),
    ...(estimate !== undefined && { estimated_time: estimate }),
  };
  const head = JSON.stringify(facts).slice(1, -1);
  return `{${head}${head === '' ? '' : ','}"nodes":[\n${nodes.map((node) => JSON.stringify(node)).join(',\n')}\n]}`;
}

function nodeOf(node: PlanNode): object {
  const inputs = node.kind === 'task' ? node.dependsOn : node.inputs;
  const { operator, ...fields } = writtenNode(node);
  if (operator !== undefined) return { id: node.id, operator, inputs, ...fields };
  return { id: node.id, ...fields, ...(inputs.length > 0 && { inputs }) };
}

function stepNode({ context_key: id, task_objective: task, description, parameters, ...rest }: WrittenStep): object {
  return {
    id,
    task,
    ...rest,
    ...(description !== undefined && { hint: description }),
    ...(parameters !== undefined && { arguments: parameters }),
  };
}

/** The JSON Schema of an input. Transforms and dates accept any value here, and are checked later. */
export function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  try {
    return z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  } catch {
    return {};
  }
}

/** Keywords that the grammars of llama.cpp, vLLM and Ollama support. Other keywords make them reject the call. */
const TAKEN = ['type', 'enum', 'const', 'required', 'description', 'minimum', 'maximum'];
const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength'];
/** Maximum count in a schema. A grammar repeats its rule that often, and llama.cpp rejects larger counts. */
const MAX_COUNT = 64;

/** The schema without keywords that some servers reject. The compiler later checks the arguments completely. */
export function argumentSchema(input: z.ZodType): JsonSchema {
  const schema = portable(schemaOf(input));
  return schema['type'] === 'object' ? schema : { type: 'object' };
}

function portable(schema: unknown): JsonSchema {
  if (!isRecord(schema)) return {};
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (TAKEN.includes(keyword) && !isOfEveryInteger(value)) copy[keyword] = value;
    else if (COUNTS.includes(keyword) && Number(value) <= MAX_COUNT) copy[keyword] = value;
    else if (keyword === 'items') copy[keyword] = portable(value);
    else if (keyword === 'additionalProperties') copy[keyword] = typeof value === 'boolean' ? value : portable(value);
    else if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) copy['anyOf'] = value.map(portable);
    else if (keyword === 'properties' && isRecord(value)) {
      copy[keyword] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, portable(each)]));
    }
  }
  if ('properties' in copy) copy['additionalProperties'] ??= false;
  return copy as JsonSchema;
}

function isOfEveryInteger(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;
}
