/**
 * The form in which a model writes a plan: one flat list of nodes that name each other, without nesting, so that a node
 * can be read as soon as it is written, and one that is used twice is written once.
 */

import { OPERATORS } from '../../language/plan/index.ts';
import type { JsonSchema, ModelFormat } from '../../model/index.ts';

const TEXT: JsonSchema = { type: 'string' };
/** An input of a step may be an object of its type and its key. */
const INPUTS: JsonSchema = { type: 'array', items: { anyOf: [TEXT, { type: 'object' }] } };
const ANY: JsonSchema = {};
const BASES: JsonSchema = { type: 'integer', minimum: 0 };

const TASK: JsonSchema = {
  type: 'object',
  properties: {
    id: TEXT,
    task: TEXT,
    capability: TEXT,
    agent: TEXT,
    arguments: { type: 'object' },
    hint: TEXT,
    context: ANY,
    inputs: INPUTS,
    // A plan that is revised may have them; no prompt asks for them.
    display_name: TEXT,
    action: TEXT,
    expected_output: TEXT,
    success_criteria: TEXT,
  },
  required: ['id', 'task'],
  additionalProperties: false,
};

const COLOCATE: JsonSchema = {
  type: 'object',
  properties: {
    upstream: BASES,
    downstream: BASES,
    left: ANY,
    right: ANY,
    strand: { enum: ['both', 'same', 'opposite'] },
    operation: { enum: ['overlap', 'contains', 'within'] },
    output: { enum: ['left', 'right'] },
    invert: { type: 'boolean' },
  },
  additionalProperties: false,
};

const COMBINE: JsonSchema = {
  type: 'object',
  properties: {
    id: TEXT,
    operator: { enum: Object.keys(OPERATORS) },
    inputs: { type: 'array', items: TEXT, minItems: 2, maxItems: 2 },
    colocate: COLOCATE,
    display_name: TEXT,
  },
  required: ['id', 'operator', 'inputs'],
  additionalProperties: false,
};

const QUESTION: JsonSchema = {
  type: 'object',
  properties: { text: TEXT, schema: { type: 'object' }, suggestions: { type: 'array', items: ANY } },
  required: ['text'],
  additionalProperties: false,
};

/** Arguments have the form of their capability, so that it cannot be closed as OpenAI's strict schemas have to be. */
export const PLAN_FORMAT: ModelFormat = {
  name: 'plan',
  schema: {
    type: 'object',
    properties: {
      explanation: TEXT,
      nodes: { type: 'array', items: { anyOf: [TASK, COMBINE] } },
      question: QUESTION,
      complexity: TEXT,
      estimated_time: { type: 'number' },
    },
    additionalProperties: false,
  },
};
