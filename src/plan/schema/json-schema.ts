/** The JSON Schema of plan documents, and of trees in particular. */

import { COLOCATE_FIELDS } from '../colocate/index.ts';
import { EVERY_OPERATOR, factsOf, namesOf } from '../operators/index.ts';
import {
  CONTEXT_KEYS,
  DISPLAY_NAME_KEYS,
  HINT_KEYS,
  NODE_TYPES,
  OPERAND_KEYS,
  OPERATOR_KEYS,
  TASK_KEYS,
} from '../tree/index.ts';
import { colocateDefinitions } from './colocate-schema.ts';
import {
  TEXT,
  anyCase,
  chain,
  choice,
  nullOr,
  optionalName,
  optionalText,
  present,
  requiredText,
  without,
  type Schema,
} from './schema-parts.ts';
import { stepsSchema } from './steps-schema.ts';
import type { PlanNode } from '../compiled-plan.ts';
import type { Operator } from '../compiled-plan.ts';

/**
 * The JSON Schema (draft-07) of plan documents, trees and lists of steps with all aliases: for editors, and for those
 * who write plans without this compiler. It allows what the compiler reads, with or without a warning. A schema cannot
 * count levels, nodes and bytes, know the executors of a project, or follow the references between steps.
 *
 * @example writeFileSync('plan.schema.json', JSON.stringify(planSchema(), null, 2));
 */
export function planSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Planwright plan',
    description: 'A goal and a tree of tasks joined by set operators, or a list of steps.',
    type: 'object',
    // The compiler tells them apart in the same way.
    ...choice(
      { allOf: [present('steps'), without('plan')] },
      { $ref: '#/definitions/steps' },
      { $ref: '#/definitions/tree' },
    ),
    definitions: {
      tree: treeSchema(),
      ...stepsSchema(),
      node: nodeSchema(),
      task: taskSchema(),
      combine: combineSchema(),
      operator: operatorSchema(),
      text: TEXT,
      ...colocateDefinitions(),
    },
  };
}

function treeSchema(): Schema {
  return {
    description: 'A goal and the root of its tree. Options of a run are no part of a plan.',
    ...requiredText('goal'),
    properties: { goal: { description: 'What the plan is for.' }, plan: { $ref: '#/definitions/node' } },
    required: ['goal', 'plan'],
    additionalProperties: false,
  };
}

const TASK_TYPES = anyCase(NODE_TYPES.task);
const COMBINE_TYPES = anyCase(NODE_TYPES.combine);
const BLANK: Schema = { type: 'string', pattern: '^\\s*$' };

function nodeSchema(): Schema {
  const inferredCombine: Schema = {
    allOf: [UNTYPED, { anyOf: OPERATOR_KEYS.map(present) }, { anyOf: OPERAND_KEYS.map(present) }],
  };
  const inferredTask: Schema = { allOf: [UNTYPED, { anyOf: TASK_KEYS.map(present) }] };
  return {
    description:
      'A task, or a combine of two nodes. Without a type, an operator with an operand makes a combine, else a task text a task.',
    type: 'object',
    properties: {
      type: { description: `${typesOf('task')} or ${typesOf('combine')}` },
      id: { description: 'Echoed in messages, and not stored.' },
    },
    ...choice(
      { anyOf: [typed(COMBINE_TYPES), inferredCombine] },
      { $ref: '#/definitions/combine' },
      { allOf: [{ anyOf: [typed(TASK_TYPES), inferredTask] }, { $ref: '#/definitions/task' }] },
    ),
  };
}

/** A kind of node with its other names, such as `task (step, subtask)`. */
function typesOf(kind: PlanNode['kind']): string {
  const [own, ...others] = NODE_TYPES[kind];
  return `${own} (${others.join(', ')})`;
}

/** The first of `type` and `kind` that is not null counts; a blank one leaves the kind to the node's other keys. */
const UNTYPED: Schema = {
  anyOf: [
    { allOf: [present('type'), { properties: { type: BLANK } }] },
    { allOf: [without('type'), { anyOf: [without('kind'), { properties: { kind: BLANK } }] }] },
  ],
};

function typed(names: Schema): Schema {
  return {
    anyOf: [
      { allOf: [present('type'), { properties: { type: names } }] },
      { allOf: [without('type'), present('kind'), { properties: { kind: names } }] },
    ],
  };
}

function taskSchema(): Schema {
  return {
    description: 'What one executor carries out.',
    properties: {
      task: { description: 'What is to be done.' },
      hint: { description: 'How it is best done.' },
      context: { description: `Any JSON that the task needs (also ${CONTEXT_KEYS.slice(1).join(', ')}).` },
      capability: { description: 'The capability that carries it out.' },
      arguments: { description: 'Arguments of the capability.' },
      agent: { description: 'The agent that carries it out, where there is no capability.' },
      input: nullOr({ $ref: '#/definitions/node' }),
    },
    allOf: [
      requiredText(...TASK_KEYS),
      optionalText(...HINT_KEYS),
      optionalText(...DISPLAY_NAME_KEYS),
      optionalName('capability'),
      optionalName('agent'),
    ],
  };
}

function combineSchema(): Schema {
  const operand: Schema = { $ref: '#/definitions/node' };
  const isLocated = chain(OPERATOR_KEYS, operatorWords(EVERY_OPERATOR.filter((operator) => factsOf(operator).located)));
  return {
    description: 'A set operator applied to the results of two nodes.',
    properties: { operator: { description: `One of ${EVERY_OPERATOR.join(', ')}, or another name of it.` } },
    allOf: [
      chain(OPERATOR_KEYS, { $ref: '#/definitions/operator' }),
      optionalText(...DISPLAY_NAME_KEYS),
      // Two nodes in a list win over left and right, which are then not read.
      choice(
        present('inputs'),
        { properties: { inputs: { type: 'array', items: operand, minItems: 2, maxItems: 2 } } },
        { properties: { left: operand, right: operand }, required: ['left', 'right'] },
      ),
      choice(isLocated, { $ref: '#/definitions/colocate' }, { allOf: ['colocate', ...COLOCATE_FIELDS].map(without) }),
    ],
  };
}

/** An entry for each operator, so that an editor can say what it keeps. */
function operatorSchema(): Schema {
  return {
    anyOf: EVERY_OPERATOR.map((operator) => ({
      description: `${operator}: the records ${factsOf(operator).gloss}`,
      ...operatorWords([operator]),
    })),
  };
}

/** Every name of these operators, with `-` or space where it has `_`. */
function operatorWords(operators: readonly Operator[]): Schema {
  const words = anyCase(operators.flatMap(namesOf));
  return { ...words, pattern: words.pattern.replaceAll('_', '[_\\-\\s]') };
}
