import { NAMES, NODE_TYPES, type Form, type Name } from './names.ts';
import { EVERY_OPERATOR, factsOf, namesOf } from './operators/index.ts';

export interface Schema {
  readonly [keyword: string]: unknown;
}

/**
 * The JSON Schema (draft-07) of plan documents, for editors and other programs. Everything that compiles is valid.
 * Wrong types, misspelled keys beside the plan, and missing parts are invalid; the compiler checks the rest.
 * @example writeFileSync('plan.schema.json', JSON.stringify(planSchema(), null, 2));
 */
export function planSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Planwright plan',
    description: 'A goal and a tree of tasks joined by set operators, or a list of steps.',
    anyOf: [ref('tree'), ref('list'), { type: 'array', minItems: 1 }, WRAPPED],
    definitions: {
      tree: { ...documentSchema('tree'), required: ['goal', 'plan'] },
      list: { ...documentSchema('list'), required: ['steps'] },
      node: {
        description: 'A task, or a combine of two nodes.',
        type: 'object',
        properties: fieldsOf('any', 'task', 'combine'),
        anyOf: [...NAMES.task.task.keys, ...NAMES.combine.operator.keys].map((key) => ({ required: [key] })),
      },
      step: {
        description:
          'One step: a context_key, a capability and a task_objective, or a step_id, an agent and an action.',
        type: 'object',
        properties: fieldsOf('step'),
        anyOf: SAYS_WHAT.map((key) => ({ required: [key] })),
      },
      operator: {
        anyOf: EVERY_OPERATOR.map((operator) => ({
          description: `${operator}: the records ${factsOf(operator).gloss}`,
          ...anyCase(namesOf(operator)),
        })),
      },
    },
  };
}

const SAYS_WHAT = [
  ...[...NAMES.step.objective.keys, ...NAMES.step.objective.foreign, 'description', 'action', 'title', 'name'],
  ...[...NAMES.step.capability.keys, ...NAMES.step.capability.foreign],
];
const WRAPPED: Schema = { anyOf: ['nodes', 'execution_plan'].map((key) => ({ type: 'object', required: [key] })) };
const TEXT: Schema = { type: ['string', 'number', 'boolean', 'null'] };
const SHAPES: Readonly<Record<Name['shape'], Schema>> = {
  text: TEXT,
  name: { type: ['string', 'null'] },
  json: {},
  arguments: {},
  ids: { type: ['array', 'string', 'null'], items: TEXT },
  node: { anyOf: [{ type: 'null' }, ref('node')] },
  nodes: { anyOf: [{ type: 'null' }, { type: 'array', items: ref('node'), minItems: 2, maxItems: 2 }] },
  other: {},
};
const STEP: Schema = { anyOf: [ref('step'), { type: 'string', pattern: '\\S' }] };
const NARROWER: Readonly<Record<string, Schema>> = {
  type: anyCase([...NODE_TYPES.task, ...NODE_TYPES.combine, '']),
  operator: ref('operator'),
  steps: { type: 'array', items: STEP },
  colocate: { type: ['object', 'null'] },
  plan: {
    anyOf: [
      { type: 'null' },
      ref('node'),
      { type: 'array', minItems: 1 },
      { type: 'object', anyOf: ['plan', 'steps', 'nodes', 'execution_plan'].map((key) => ({ required: [key] })) },
    ],
  },
};

function ref(name: string): Schema {
  return { $ref: `#/definitions/${name}` };
}

function documentSchema(form: 'tree' | 'list'): Schema {
  return { type: 'object', properties: { ...fieldsOf(form), plan: NARROWER['plan'] }, additionalProperties: false };
}

function fieldsOf(...forms: readonly Form[]): Schema {
  const rows = forms.flatMap((form) => Object.values<Name>(NAMES[form]));
  return Object.fromEntries(
    rows.flatMap(({ keys: [own, ...others], shape, about }) => {
      const schema = NARROWER[own] ?? SHAPES[shape];
      const described = { ...(about !== undefined && { description: about }), ...schema };
      return [[own, described], ...others.map((key) => [key, { description: `The same as ${own}.`, ...schema }])];
    }),
  );
}

/** A text that is one of these words, in any case, with any spaces around it, and with `-` or a space for `_`. */
function anyCase(words: readonly string[]): Schema {
  const patterns = words.map((word) =>
    Array.from(word, (letter) => {
      const [upper, lower] = [letter.toUpperCase(), letter.toLowerCase()];
      if (letter === '_') return '[_\\-\\s]';
      return upper === lower ? letter.replace(/[\^$\\.*+?()[\]{}|/]/, '\\$&') : `[${upper}${lower}]`;
    }).join(''),
  );
  return { type: ['string', 'null'], pattern: `^\\s*(?:${patterns.join('|')})\\s*$` };
}
