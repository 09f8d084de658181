/**
 * The format in which a model writes a plan: a flat list of nodes that name each other, so that a node can be read as
 * soon as it is written, and a shared node is written once. A server with a grammar writes members in the order of the
 * schema: nodes come first, so that a reply without room left still has a plan, and in a node the name comes before its
 * arguments.
 */

import type { Agent, Capability } from '../../capabilities/index.ts';
import { OPERATORS } from '../../plan/index.ts';
import type { JsonSchema, ModelFormat } from '../../models/index.ts';
import { argumentSchema } from './argument-schema.ts';

const TEXT: JsonSchema = { type: 'string' };
const ANY: JsonSchema = {};
const OBJECT: JsonSchema = { type: 'object' };
const BASES: JsonSchema = { type: 'integer', minimum: 0 };
/** Characters; a small model would fill all of them. */
const MAX_EXPLANATION = 160;
const MAX_TASK = 300;
const MAX_INPUTS = 32;
/** Characters of all capability shapes, about 6,000 tokens if a server puts the schema in its prompt. */
const SHAPES_CHARACTERS = 24_000;

const COLOCATE = closed({
  upstream: BASES,
  downstream: BASES,
  left: ANY,
  right: ANY,
  strand: { enum: ['both', 'same', 'opposite'] },
  operation: { enum: ['overlap', 'contains', 'within'] },
  output: { enum: ['left', 'right'] },
  invert: { type: 'boolean' },
});

const COMBINE_MEMBERS = {
  id: TEXT,
  operator: { enum: Object.keys(OPERATORS) },
  inputs: { type: 'array', items: TEXT, minItems: 2, maxItems: 2 },
  colocate: COLOCATE,
};

/** The only node, in place of a plan: a schema that allowed an empty list would allow `{}`. */
const QUESTION = closed({ question: TEXT, suggestions: { type: 'array', items: ANY }, schema: OBJECT }, ['question']);

/** The parts that a plan to be revised may have and no prompt asks for. */
const BESIDE = {
  agent: TEXT,
  context: ANY,
  display_name: TEXT,
  action: TEXT,
  expected_output: TEXT,
  success_criteria: TEXT,
};

export interface PlanFormatOptions {
  /** A task may name no executor and gets the project's default. Default false. */
  readonly hasDefault?: boolean;
  /** A question may replace the plan. Default false. */
  readonly asks?: boolean;
  /** Tasks may have every field of a person's plan. Default false. */
  readonly isRevision?: boolean;
  /** The prompt describes the arguments, so one shape covers any capability and agent. Default false. */
  readonly isOpen?: boolean;
}

/**
 * The schema of plans for these capabilities: one shape per capability with its arguments, one for the agents, one for
 * set operators if something gives a set. Capabilities whose shapes exceed 24,000 characters share one with open
 * arguments. Not `strict`, which allows no optional member and no length limit. Its reader (`readPlanReply`) checks the
 * reply more loosely.
 */
export function planFormat(
  capabilities: readonly Capability[],
  agents: readonly Agent[],
  { hasDefault = false, asks = false, isRevision = false, isOpen = false }: PlanFormatOptions = {},
): ModelFormat {
  const beside = isRevision ? BESIDE : {};
  // Texts of an existing plan may be longer and are returned unchanged.
  const taskText: JsonSchema = isRevision ? TEXT : { ...TEXT, maxLength: MAX_TASK };
  const inputs: JsonSchema = isRevision ? { items: { anyOf: [TEXT, OBJECT] } } : { items: TEXT, maxItems: MAX_INPUTS };
  const task = (executor: Record<string, JsonSchema>, needed: readonly string[]): JsonSchema =>
    closed(
      // An input of a step may be an object of its type and its key.
      {
        ...{ id: TEXT, ...executor, task: taskText },
        inputs: { type: 'array', ...inputs },
        ...{ hint: taskText, ...beside },
      },
      ['id', ...needed, 'task'],
    );
  const nodes = isOpen
    ? [task({ capability: TEXT, agent: TEXT, arguments: OBJECT }, [])]
    : capabilityShapes(capabilities, task);
  if (agents.length > 0 && !isOpen)
    nodes.push(task({ agent: { enum: agents.map(({ name }) => name) }, arguments: OBJECT }, ['agent']));
  if (hasDefault || nodes.length === 0) nodes.push(task({ arguments: OBJECT }, []));
  if (givesSets(capabilities)) {
    const name = isRevision ? { display_name: TEXT } : {};
    nodes.push(closed({ ...COMBINE_MEMBERS, ...name }, ['id', 'operator', 'inputs']));
  }
  if (asks) nodes.push(QUESTION);
  const facts = isRevision ? { complexity: TEXT, estimated_time: { type: 'number' } } : {};
  const schema = closed(
    {
      nodes: { type: 'array', items: { anyOf: nodes }, minItems: 1 },
      ...facts,
      explanation: { ...TEXT, maxLength: MAX_EXPLANATION },
    },
    ['nodes', 'explanation'],
  );
  return { name: 'plan', schema, isJudgedByReader: true };
}

export function givesSets(capabilities: readonly Capability[]): boolean {
  return capabilities.some(({ output }) => output === 'set');
}

function capabilityShapes(
  capabilities: readonly Capability[],
  task: (executor: Record<string, JsonSchema>, needed: readonly string[]) => JsonSchema,
): JsonSchema[] {
  const shapes: JsonSchema[] = [];
  const others: string[] = [];
  let room = SHAPES_CHARACTERS;
  for (const { name, input } of capabilities) {
    const schema = argumentSchema(input);
    const isNeeded = Array.isArray(schema['required']) && schema['required'].length > 0;
    const shape = task({ capability: { const: name }, arguments: schema }, [
      'capability',
      ...(isNeeded ? ['arguments'] : []),
    ]);
    room -= JSON.stringify(shape).length;
    if (room >= 0) shapes.push(shape);
    else others.push(name);
  }
  if (others.length > 0) shapes.push(task({ capability: { enum: others }, arguments: OBJECT }, ['capability']));
  return shapes;
}

function closed(properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}
