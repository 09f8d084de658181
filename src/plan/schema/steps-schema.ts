/** The JSON Schema of lists of steps. */

import { STEP_ARGUMENT_KEYS, STEP_ID_KEYS } from '../steps/index.ts';
import {
  TEXT_REF,
  chain,
  nullOr,
  optionalName,
  optionalText,
  requiredText,
  without,
  type Schema,
} from './schema-parts.ts';

/** The definitions of lists of steps. */
export function stepsSchema(): { readonly [definition: string]: Schema } {
  return { steps: listSchema(), step: stepSchema() };
}

function listSchema(): Schema {
  return {
    description: 'A goal and the ordered list of its steps.',
    // A plan without a goal has the purpose of its last step.
    anyOf: [
      requiredText('goal', 'objective'),
      { allOf: [without('goal'), without('objective'), { properties: { steps: { minItems: 1 } } }] },
    ],
    properties: {
      goal: { description: 'What the plan is for (also objective).' },
      objective: {},
      complexity: { description: 'low, medium or high; it scales the timeouts.' },
      estimated_time: { description: 'Minutes.' },
      plan_id: { description: 'Not kept.' },
      steps: { type: 'array', items: { $ref: '#/definitions/step' } },
      plan: { type: 'null' },
    },
    required: ['steps'],
    additionalProperties: false,
  };
}

function stepSchema(): Schema {
  return {
    description: 'One step: a context_key, a capability and a task_objective, or a step_id, an agent and an action.',
    type: 'object',
    properties: {
      context_key: { description: 'The name of its result (also step_id).' },
      [STEP_ARGUMENT_KEYS[0]]: {
        description: `Any JSON (also ${STEP_ARGUMENT_KEYS[1]}); the text result_from_step_N stands for the result of a step.`,
      },
      inputs: nullOr({
        description: 'Keys of earlier steps, or objects of types and the keys that they are taken from.',
        type: 'array',
        items: {
          anyOf: [
            TEXT_REF,
            { type: 'object', minProperties: 1, propertyNames: { pattern: '\\S' }, additionalProperties: TEXT_REF },
          ],
        },
      }),
      dependencies: nullOr({ type: 'array', items: TEXT_REF }),
    },
    allOf: [
      // The objective counts before the description, that before the action; a blank one counts as none.
      { anyOf: ['task_objective', 'description', 'action'].map((key) => chain([key], TEXT_REF)) },
      ...['task_objective', 'description', 'action', 'expected_output', 'success_criteria'].map((key) =>
        optionalText(key),
      ),
      ...['capability', 'agent'].map(optionalName),
      optionalText(...STEP_ID_KEYS),
    ],
  };
}
