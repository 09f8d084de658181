/**
 * The format in which a model writes a plan: a flat list of nodes that name each other, so that each is readable as
 * soon as it is written. Nodes come first in the schema, so that a cut reply still has a plan.
 */

import type { Agent, Capability } from '../../capabilities/index.ts';
import { OPERATORS } from '../../plan/index.ts';
import type { JsonSchema, ModelFormat } from '../../models/index.ts';
import { argumentSchema } from './plan-example.ts';

const TEXT: JsonSchema = { type: 'string' };
const ANY: JsonSchema = {};
const OBJECT: JsonSchema = { type: 'object' };
const BASES: JsonSchema = { type: 'integer', minimum: 0 };
/** Maximum characters of an explanation. It is low, since a small model uses all of it. */
const MAX_EXPLANATION = 160;
const MAX_TASK = 300;
const MAX_INPUTS = 32;
/** Maximum characters of all capability schemas, about 6,000 tokens in a prompt. */
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

/** A question instead of nodes. A schema that allowed an empty list of nodes would also allow `{}`. */
const QUESTION = closed({ question: TEXT, suggestions: { type: 'array', items: ANY }, schema: OBJECT }, ['question']);

const BESIDE = {
  agent: TEXT,
  context: ANY,
  display_name: TEXT,
  action: TEXT,
  expected_output: TEXT,
  success_criteria: TEXT,
};

export interface PlanFormatOptions {
  /** Allows a task without an executor, for which the project's default is used. Default false. */
  readonly hasDefault?: boolean;
  /** Allows a question in place of the plan. Default false. */
  readonly asks?: boolean;
  /** Allows every field that a plan of a person may have. Default false. */
  readonly isRevision?: boolean;
  /** If true, one schema serves any capability and agent, and the prompt describes the arguments. Default false. */
  readonly isOpen?: boolean;
}

/**
 * The schema of plans: a part for each capability with its arguments, one for agents, and one for set operators if a
 * capability gives a set. Once the parts exceed 24,000 characters, the remaining capabilities share one. The schema is
 * not `strict`, which would forbid optional members and length limits.
 */
export function planFormat(
  capabilities: readonly Capability[],
  agents: readonly Agent[],
  { hasDefault = false, asks = false, isRevision = false, isOpen = false }: PlanFormatOptions = {},
): ModelFormat {
  const beside = isRevision ? BESIDE : {};
  const taskText: JsonSchema = isRevision ? TEXT : { ...TEXT, maxLength: MAX_TASK };
  const inputs: JsonSchema = isRevision ? { items: { anyOf: [TEXT, OBJECT] } } : { items: TEXT, maxItems: MAX_INPUTS };
  const task = (executor: Record<string, JsonSchema>, needed: readonly string[]): JsonSchema =>
    closed(
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
