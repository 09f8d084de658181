/** The JSON Schema of the parameters of COLOCATE. */

import { COLOCATE_WORDS, MAX_REGION_OFFSET } from '../algebra/index.ts';
import { COLOCATE_FIELDS, MAX_BASES } from '../colocate/index.ts';
import { anyCase, choice, nullOr, present, without, type Schema } from './schema-parts.ts';
import type { ColocateField } from '../colocate/index.ts';

/** The definitions of the parameters of COLOCATE. */
export function colocateDefinitions(): { readonly [definition: string]: Schema } {
  return {
    colocate: colocateSchema(),
    region: regionSchema(),
    regionEnd: regionEndSchema(),
    spanLogic: spanLogicSchema(),
  };
}

const BASES: Schema = { type: 'integer', minimum: 0, maximum: MAX_BASES };
const OFFSET: Schema = { type: 'integer', minimum: 0, maximum: MAX_REGION_OFFSET };
const FIELDS: Readonly<Record<ColocateField, Schema>> = {
  upstream: BASES,
  downstream: BASES,
  strand: anyCase(COLOCATE_WORDS.strand),
  operation: anyCase(COLOCATE_WORDS.operation),
  output: anyCase(COLOCATE_WORDS.output),
  invert: { type: 'boolean', description: 'Keeps the records of the output side that meet none of the other.' },
};
/** The parameters of VEuPathDB's span logic, under their own names. */
const SPAN_KEYS = '^(?:span_|region_)';

/** Fields inside `colocate` win over those on the node, which are then not read. */
function colocateSchema(): Schema {
  const isSpanLogic: Schema = {
    required: ['colocate'],
    properties: { colocate: { type: 'object', not: { propertyNames: { not: { pattern: SPAN_KEYS } } } } },
  };
  const inside: Schema = {
    type: 'object',
    properties: {
      ...Object.fromEntries(Object.entries(FIELDS).map(([field, schema]) => [field, nullOr(schema)])),
      left: nullOr({ $ref: '#/definitions/region' }),
      right: nullOr({ $ref: '#/definitions/region' }),
    },
    additionalProperties: false,
    // Regions are for both sides, and in the place of the window.
    ...choice(ANY_REGION, { allOf: [present('left'), present('right'), ...WINDOW.map(without)] }),
  };
  const holds = (what: Schema): Schema => ({
    required: ['colocate'],
    properties: { colocate: { type: 'object', ...what } },
  });
  const flat = COLOCATE_FIELDS.map((field) =>
    choice(holds(present(field)), {}, { properties: { [field]: nullOr(FIELDS[field]) } }),
  );
  const noFlatWindow = choice(holds(ANY_REGION), { allOf: WINDOW.map(without) });
  return choice(
    isSpanLogic,
    { allOf: [{ properties: { colocate: { $ref: '#/definitions/spanLogic' } } }, ...COLOCATE_FIELDS.map(without)] },
    { allOf: [{ properties: { colocate: nullOr(inside) } }, ...flat, noFlatWindow] },
  );
}

const WINDOW = ['upstream', 'downstream'] as const;
const ANY_REGION: Schema = { anyOf: [present('left'), present('right')] };

function regionSchema(): Schema {
  const end: Schema = { $ref: '#/definitions/regionEnd' };
  const only = (properties: { readonly [key: string]: Schema }): Schema => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: { type: 'null' },
  });
  return {
    description: 'A region along the strand of its own record.',
    anyOf: [anyCase(['exact']), only({ upstream: OFFSET }), only({ downstream: OFFSET }), only({ begin: end, end })],
  };
}

function regionEndSchema(): Schema {
  return {
    type: 'object',
    properties: { anchor: anyCase(['start', 'stop']), direction: anyCase(['upstream', 'downstream']), offset: OFFSET },
    required: ['anchor', 'direction', 'offset'],
    additionalProperties: false,
  };
}

function spanLogicSchema(): Schema {
  const sides = ['a', 'b'];
  const ends = sides.flatMap((side) => ['begin', 'end'].map((end) => [end, side] as const));
  const offset: Schema = { anyOf: [OFFSET, { type: 'string', pattern: '^\\s*\\d{1,10}\\s*$' }] };
  const needed: readonly (readonly [string, Schema])[] = [
    ...ends.map(([end, side]) => [`span_${end}_${side}`, anyCase(['start', 'stop'])] as const),
    ...ends.map(([end, side]) => [`span_${end}_direction_${side}`, anyCase(['+', '-'])] as const),
    ...ends.map(([end, side]) => [`span_${end}_offset_${side}`, offset] as const),
    ['span_output', anyCase(['a', 'b'])],
  ];
  const shown = ['span_a', 'span_b', 'span_sentence', 'region_a', 'region_b'];
  return {
    description: "Parameters of VEuPathDB's span logic: a is left, b is right.",
    type: 'object',
    properties: {
      ...Object.fromEntries(needed),
      span_strand: nullOr(anyCase(['both strands', 'same strand', 'opposite strand'])),
      span_operation: nullOr(anyCase(['overlap', 'a_contain_b', 'b_contain_a'])),
      ...Object.fromEntries(shown.map((name) => [name, {}])),
    },
    required: needed.map(([name]) => name),
    additionalProperties: false,
  };
}
