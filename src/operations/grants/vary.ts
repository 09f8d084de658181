/** Checks which values of a plan a grant may let vary, and by which JSON Schemas. */

import { readAnswerSchema } from '../../capabilities/index.ts';
import { namesResult, valueAt, type ShapedPlan } from '../../activities/grants/shape.ts';
import { describe, isOfAgent, isRecord, nodeIndex } from '../../protocol/index.ts';

export function varyProblems(vary: Readonly<Record<string, unknown>>, shaped: ShapedPlan): readonly string[] {
  const paths = Object.keys(vary);
  return paths.flatMap((path) => {
    const inside = paths.find((other) => other.startsWith(`${path}/`));
    const problem =
      placeProblem(path, shaped) ??
      (inside === undefined ? undefined : `it contains ${inside}, which varies too; name one of them`) ??
      schemaProblem(vary[path], valueAt(shaped.plan, path)?.value);
    return problem === undefined ? [] : [`${path}: ${problem}`];
  });
}

const FIXED: readonly (readonly [fields: readonly string[], why: string])[] = [
  [['capability', 'agent', 'kind'], 'what carries a node out never varies'],
  [['operator', 'colocate'], 'a set operator never varies'],
  [
    ['dependsOn', 'inputs', 'input', 'externalInputs', 'externalRefs', 'inputTypes'],
    'what a node takes from others never varies',
  ],
  [
    ['task', 'text', 'hint', 'context', 'description', 'action', 'expectedOutput', 'successCriteria', 'goal'],
    'a model or a person reads this text as an instruction, so it never varies',
  ],
];
const EXPECTED = 'expected an argument of a node, such as node_2/arguments/amount';
/** Built-in capabilities that pass their arguments on to a model or a person. */
const SPEAKING = ['respond', 'clarify', 'ask'];

function placeProblem(path: string, { plan, planShape }: ShapedPlan): string | undefined {
  const [id = '', field, ...keys] = path.split('/');
  const node = Object.hasOwn(plan.nodesById, id) ? plan.nodesById[id] : undefined;
  if (node === undefined) return `the plan has no node ${describe(id)}; ${EXPECTED}`;
  const fixed = FIXED.find(([fields]) => fields.includes(field ?? ''));
  if (fixed !== undefined) return `${fixed[1]}; ${EXPECTED}`;
  if (field !== 'arguments' || keys.length === 0) return `a whole node or all of its arguments never vary; ${EXPECTED}`;
  const found = valueAt(plan, path);
  if (found === undefined) return `the plan has no such argument; ${EXPECTED}`;
  const { label, name = '' } = planShape.executors[planShape.executorOf[nodeIndex(id)]!]!;
  if (isOfAgent(label) || SPEAKING.includes(name))
    return `a model or a person reads the arguments of ${name} as instructions, so they never vary`;
  return namesResult(found.value) ? 'it is or contains the result of another step, which never varies' : undefined;
}

/** Matches patterns that may be slow: a repeated group or a back reference can take exponential time. */
const SLOW = /\)[*+{]|\\[1-9k]/;
const MAX_TEXT = 1000;
const EXPECTED_SCHEMA =
  'expected a JSON Schema that restricts the value, such as {"type":"number","minimum":0,"maximum":500}';

type Schema = Readonly<Record<string, unknown>>;

function schemaProblem(schema: unknown, own: unknown): string | undefined {
  if (!isRecord(schema)) return EXPECTED_SCHEMA;
  const read = readAnswerSchema(schema);
  if (!read.ok) return `its schema cannot be used: ${read.problems.map(({ message }) => message).join('; ')}`;
  const open = opennessOf(schema);
  if (open !== undefined) return open;
  const misfit = read.problemOf(own);
  return misfit === undefined ? undefined : `the plan's own value does not fit its schema: ${misfit}`;
}

/** Keywords without schemas below them. */
const PLAIN =
  'type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format ' +
  'minItems maxItems uniqueItems required minProperties maxProperties title description default examples $comment $schema';
/** Keywords with schemas for a value or a part of it. */
const NESTED = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'properties', 'items', 'additionalProperties'];
const KEYWORDS: ReadonlySet<string> = new Set([...PLAIN.split(' '), ...NESTED]);

/** Why a schema does not restrict a value; undefined if it does. Only keywords that this code knows count. */
function opennessOf(schema: unknown): string | undefined {
  if (schema === false) return undefined;
  if (!isRecord(schema)) return `${EXPECTED_SCHEMA}, got ${describe(schema)} inside`;
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) return `${describe(unknown)} cannot be used in a schema of what varies; write it without`;
  const { type, enum: listed, const: only, pattern } = schema;
  if (typeof pattern === 'string' && SLOW.test(pattern))
    return `the pattern ${describe(pattern)} repeats a group or refers back, which can take very long; write it without`;
  const isSum = [schema['anyOf'], schema['oneOf'], schema['allOf']].some((all) => all !== undefined);
  if ([type, listed, only].every((limit) => limit === undefined) && !isSum) return EXPECTED_SCHEMA;
  const below = () => partsOf(schema).flatMap((part) => opennessOf(part) ?? [])[0];
  return (listed === undefined && only === undefined ? unboundedIn(schema) : undefined) ?? below();
}

/** The reason why a schema does not limit the size of a value; undefined if it does. */
function unboundedIn({
  type,
  maxLength,
  maxItems,
  items,
  additionalProperties,
  ...bounds
}: Schema): string | undefined {
  const types = [type].flat();
  if (types.includes('string') && !(typeof maxLength === 'number' && maxLength <= MAX_TEXT))
    return `a text that varies needs "maxLength", at most ${MAX_TEXT}, or "enum"`;
  if (types.includes('array') && (typeof maxItems !== 'number' || items === undefined))
    return 'a list that varies needs "maxItems" and "items"';
  if (types.includes('object') && additionalProperties !== false)
    return 'an object that varies needs "additionalProperties": false';
  const isNumber = types.includes('number') || types.includes('integer');
  const isBounded = (end: 'Minimum' | 'Maximum') =>
    typeof (bounds[end.toLowerCase()] ?? bounds[`exclusive${end}`]) === 'number';
  if (isNumber && !(isBounded('Minimum') && isBounded('Maximum')))
    return 'a number that varies needs "minimum" and "maximum", or "enum"';
  return undefined;
}

function partsOf({ anyOf, oneOf, allOf, prefixItems, properties, items, additionalProperties }: Schema) {
  const below = [anyOf, oneOf, allOf, prefixItems].flatMap((all) => all ?? []);
  const members = isRecord(properties) ? Object.values(properties) : [];
  return [...below, ...members, ...[items, additionalProperties].filter((one) => one !== undefined)];
}
