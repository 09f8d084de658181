/** Which values of a plan a grant may let vary, and by which JSON Schemas. Pure. */

import { readAnswerSchema } from '../../capabilities/index.ts';
import { namesResult, valueAt, type ShapedPlan } from '../../activities/grants/shape.ts';
import { describe, isOfAgent, isRecord, nodeIndex } from '../../protocol/index.ts';

/** The problems of `{ [path]: schema }`, one line each. */
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

/** Fields of a node that may never vary, and why. */
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

/** A repeated group or a back reference can take time that grows with a power of the length. */
const SLOW = /\)[*+{]|\\[1-9k]/;
/** Keywords by which a schema restricts a value. */
const LIMITS = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'];
const MAX_TEXT = 1000;

/** Problem of a schema that leaves the size of a value unlimited; undefined if it has none. */
function unboundedIn({ type, enum: listed, const: only, maxLength, maxItems, additionalProperties }: Schema) {
  if (listed !== undefined || only !== undefined) return undefined;
  const types = [type].flat();
  if (types.includes('string') && !(typeof maxLength === 'number' && maxLength <= MAX_TEXT))
    return `a text that varies needs "maxLength", at most ${MAX_TEXT}, or "enum"`;
  if (types.includes('array') && typeof maxItems !== 'number') return 'a list that varies needs "maxItems"';
  if (types.includes('object') && additionalProperties !== false)
    return 'an object that varies needs "additionalProperties": false';
  return undefined;
}

type Schema = Readonly<Record<string, unknown>>;

function schemaProblem(schema: unknown, own: unknown): string | undefined {
  if (!isRecord(schema) || !LIMITS.some((keyword) => Object.hasOwn(schema, keyword)))
    return 'expected a JSON Schema that restricts the value, such as {"type":"number","minimum":0,"maximum":500}';
  const inside = recordsIn(schema);
  const slow = inside.flatMap(patternsOf).find((pattern) => SLOW.test(pattern));
  if (slow !== undefined)
    return `the pattern ${describe(slow)} repeats a group or refers back, which can take very long; write it without`;
  const open = inside.flatMap((one) => unboundedIn(one) ?? []);
  if (open.length > 0) return open[0];
  const read = readAnswerSchema(schema);
  if (!read.ok) return `its schema cannot be used: ${read.problems.map(({ message }) => message).join('; ')}`;
  const misfit = read.problemOf(own);
  return misfit === undefined ? undefined : `the plan's own value does not fit its schema: ${misfit}`;
}

/** All objects in a schema, itself included. */
function recordsIn(schema: unknown): readonly Schema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return [...(isRecord(schema) ? [schema] : []), ...Object.values(schema).flatMap(recordsIn)];
}

function patternsOf({ pattern, patternProperties }: Schema): readonly string[] {
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isRecord(patternProperties) ? Object.keys(patternProperties) : []),
  ];
}
