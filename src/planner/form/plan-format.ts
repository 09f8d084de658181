/**
 * The form in which a model writes a plan: one flat list of nodes that name each other, without nesting, so that a node
 * can be read as soon as it is written, and one that is used twice is written once.
 *
 * A server that writes by a grammar writes members in the order of the schema: the nodes come first, since a model that
 * has no room left has then written a plan, and in a node the name that says which arguments follow.
 */

import type { Agent, Capability } from '../../capabilities/index.ts';
import { OPERATORS } from '../../plan/index.ts';
import type { JsonSchema, ModelFormat } from '../../models/index.ts';
import { argumentSchema } from './argument-schema.ts';

const TEXT: JsonSchema = { type: 'string' };
const ANY: JsonSchema = {};
const OBJECT: JsonSchema = { type: 'object' };
const BASES: JsonSchema = { type: 'integer', minimum: 0 };
/** Characters; a small model would go on with each of these for as long as it may write. */
const MAX_EXPLANATION = 160;
const MAX_TASK = 300;
const MAX_INPUTS = 32;
/** Characters of the shapes of all capabilities, about 6,000 tokens where a server reads the schema in its prompt. */
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

/** It stands in the place of a plan, as its only node: a schema that allowed a list without nodes would allow `{}`. */
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
  /** A task may name no executor, and goes to the project's default. Default false. */
  readonly hasDefault?: boolean;
  /** A question may stand in the place of the plan. Default false. */
  readonly asks?: boolean;
  /** Tasks may have all that a person's plan has. Default false. */
  readonly isRevision?: boolean;
  /** Their arguments are told elsewhere, so that one shape takes any capability and any agent by its name. Default false. */
  readonly isOpen?: boolean;
}

/**
 * The form of the plans that these can carry out: one shape for each capability with the schema of its own arguments,
 * one for the agents, one for set operators where something gives a set. Capabilities whose shapes do not fit into
 * 24,000 characters share one with open arguments.
 *
 * It is not asked for as `strict`: that takes no member which may be left out and no bound on a text. Its reader judges
 * the reply (`readPlanReply`), and forgives more.
 * @example planFormat([search], [researcher]).schema.required; // ['nodes', 'explanation']
 */
export function planFormat(
  capabilities: readonly Capability[],
  agents: readonly Agent[],
  { hasDefault = false, asks = false, isRevision = false, isOpen = false }: PlanFormatOptions = {},
): ModelFormat {
  const beside = isRevision ? BESIDE : {};
  // The texts of an open plan, which may be longer, are given back as they are.
  const said: JsonSchema = isRevision ? TEXT : { ...TEXT, maxLength: MAX_TASK };
  const inputs: JsonSchema = isRevision ? { items: { anyOf: [TEXT, OBJECT] } } : { items: TEXT, maxItems: MAX_INPUTS };
  const task = (executor: Record<string, JsonSchema>, needed: readonly string[]): JsonSchema =>
    closed(
      // An input of a step may be an object of its type and its key.
      {
        ...{ id: TEXT, ...executor, task: said },
        inputs: { type: 'array', ...inputs },
        ...{ hint: said, ...beside },
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

/** Whether a plan with these can join sets. */
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
