import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAnswerSchema } from '../../src/capabilities/index.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** More than any machine needs for what comes to an end at all: how fast this one is decides nothing here. */
const PATIENT_MS = 60_000;

/** The problem with a value, '' when it fits. */
function problem(schema: unknown, value: unknown): string {
  const read = readAnswerSchema(schema, PATIENT_MS);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.problemOf(value) ?? '';
}

function refusal(schema: unknown): string {
  const read = readAnswerSchema(schema, PATIENT_MS);
  return read.ok ? 'taken' : read.problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n');
}

describe('an answer fits its schema or is told why not', () => {
  test.each<[schema: object, fits: readonly unknown[], not: readonly unknown[]]>([
    [{}, [null, 1, 'a', [], { a: 1 }], []],
    [{ type: 'string' }, ['', 'a'], [null, 1, ['a']]],
    [{ type: 'string', minLength: 2, maxLength: 3, pattern: '^a' }, ['ab', 'abc'], ['a', 'abcd', 'bb']],
    [{ type: 'string', format: 'date' }, ['2024-02-29'], ['2023-02-29', 'soon']],
    [{ type: 'integer', minimum: 0, exclusiveMaximum: 3 }, [0, 2, 1.0], [-1, 3, 1.5, '1']],
    [{ type: ['number', 'null'] }, [1.5, null], ['1', true]],
    [{ type: 'boolean' }, [true, false], [0, 'true', null]],
    [{ enum: ['yes', 2, null, false] }, ['yes', 2, null, false], ['no', '2', 0]],
    [{ const: 7 }, [7], ['7', 8]],
    [{ type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true }, [['a', 'b']], [[], [1], ['a', 'a']]],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }, [['a', 1]], [['a', 1, 2]]],
    [
      { type: 'object', properties: { a: {}, b: { type: 'number' } }, required: ['a'], additionalProperties: false },
      [{ a: 1 }, { a: null, b: 2 }],
      [{}, { b: 1 }, { a: 1, b: 'x' }, { a: 1, c: 1 }, [], 'a'],
    ],
    [{ type: 'object', additionalProperties: { type: 'number' } }, [{}, { a: 1 }], [{ a: 'x' }]],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, ['a', null], [1]],
    [{ oneOf: [{ type: 'integer' }, { type: 'number', minimum: 5 }] }, [1, 5.5], [6, 'a']],
    [{ $defs: { name: { type: 'string' } }, type: 'array', items: { $ref: '#/$defs/name' } }, [['a']], [[1]]],
    [
      { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false },
      [{}, { next: { next: {} } }],
      [{ next: { last: 1 } }],
    ],
  ])('%j', (schema, fits, not) => {
    expect(fits.map((value) => problem(schema, value))).toEqual(fits.map(() => ''));
    expect(not.filter((value) => problem(schema, value) === '')).toEqual([]);
  });

  test('says where, and what was expected', () => {
    const schema = { type: 'object', properties: { size: { type: 'object', properties: { mm: { type: 'number' } } } } };
    expect(problem(schema, { size: { mm: 'ten' } })).toContain('$.size.mm: Invalid input: expected number');
  });

  test('a default fills nothing in, and notes for people change nothing', () => {
    const schema = { type: 'object', properties: { a: { type: 'number', default: 1 } }, required: ['a'] };
    expect(
      problem({ ...schema, $schema: DRAFT, title: 'T', description: 'D', examples: [1], readOnly: true }, {}),
    ).not.toBe('');
  });

  test('two schemas of one id do not meet', () => {
    expect(problem({ $id: 'x', type: 'string' }, 'a')).toBe('');
    expect(problem({ $id: 'x', type: 'number' }, 1)).toBe('');
  });
});

describe('a schema is refused rather than half understood', () => {
  test.each<[schema: unknown, says: string]>([
    ['string', 'expected a JSON Schema as an object, got "string"'],
    [true, 'got boolean true'],
    [null, 'got null'],
    [{ type: 'text' }, 'type: expected one of string, number'],
    [{ type: [] }, 'type: expected one of string, number'],
    [{ type: ['string', 'string'] }, 'type: expected one of string, number'],
    [{ type: 'string', minLenght: 3 }, 'minLenght: minLenght is not checked'],
    [{ type: 'string', minLength: '3' }, 'minLength: expected a whole number from 0, got "3"'],
    [{ minLength: 3 }, 'minLength: minLength constrains values of type string'],
    [{ type: 'number', pattern: 'a' }, 'pattern: pattern constrains values of type string'],
    [{ type: 'string', pattern: '(' }, 'pattern: expected a regular expression'],
    [{ type: 'string', pattern: '^\\p{L}$' }, 'pattern: expected a regular expression without'],
    [{ type: 'string', format: 'colour' }, 'format: expected one of email'],
    [{ type: 'object', required: ['a'] }, 'required: it names "a", which is not in properties'],
    [{ type: 'object', required: ['toString'], properties: {} }, 'it names "toString"'],
    [{ type: 'object', properties: JSON.parse('{"__proto__":{"type":"string"}}') }, 'no member can be named __proto__'],
    [{ type: 'object', properties: { a: { properties: {} } } }, 'properties.a.properties: properties constrains'],
    [{ type: 'object', patternProperties: {} }, 'patternProperties is not checked'],
    [{ type: 'array', items: [{}] }, 'items: expected a schema, got a list'],
    [{ allOf: [{ type: 'string' }] }, 'allOf is not checked'],
    [{ not: { type: 'string' } }, 'not is not checked'],
    [{ if: {}, else: {} }, 'if is not checked'],
    [{ anyOf: [] }, 'anyOf: expected a list of schemas, at least one'],
    [{ anyOf: [{ type: 'string' }], type: 'string' }, 'type beside anyOf would not be checked'],
    [{ enum: [] }, 'enum: expected texts, numbers'],
    [{ enum: [{ a: 1 }] }, 'enum: expected texts, numbers'],
    [{ enum: ['a'], type: 'number' }, 'enum: "a" is not of the type'],
    [{ $ref: 'https://example.org/schema.json' }, '$ref: expected "#" or "#/$defs/NAME"'],
    [{ $ref: 'file:///etc/passwd' }, '$ref: expected "#" or "#/$defs/NAME"'],
    [{ $ref: '#/$defs/gone' }, '$ref: expected'],
    [{ $ref: '#/$defs/toString' }, '$ref: expected'],
    [{ $ref: '#/$defs/__proto__' }, '$ref: expected'],
    [{ $ref: '#/$defs/a', $defs: { a: 3 } }, '$defs.a: expected a schema'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, `$schema: expected ${DRAFT}`],
    [deep(40), 'nested deeper than 32 levels'],
    [deep(100_000), 'nested deeper than 32 levels'],
  ])('%#', (schema, says) => {
    expect(refusal(schema)).toContain(says);
  });

  test('all of its problems are told at once', () => {
    const schema = { type: 'object', properties: { a: { type: 'strin' }, b: { minimum: 1 } }, required: ['c'] };
    expect(refusal(schema).split('\n')).toHaveLength(3);
  });
});

describe('no schema and no answer holds the worker up', () => {
  // Neither would be done in a year, so that whatever ends it is the bound.
  test.each<[name: string, schema: object, value: unknown]>([
    ['a pattern that backtracks', { type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(80)}b`],
    ['ways that double 60 times', doubling(60), 1],
  ])('%s is cut', (_, schema, value) => {
    const read = readAnswerSchema(schema);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    expect(read.problemOf(value)).toMatch(/takes too long/);
  });

  test.each<[name: string, schema: object, value: unknown, says: RegExp]>([
    ['a reference to itself alone', { $ref: '#' }, 1, /goes too deep/],
    [
      'two that refer to each other',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      1,
      /goes too deep/,
    ],
  ])('%s', (_, schema, value, says) => {
    expect(problem(schema, value)).toMatch(says);
  });

  test('an answer of many parts is checked all the same', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => index);
    expect(problem({ type: 'array', items: { type: 'integer' }, uniqueItems: true }, many)).toBe('');
  });
});

// JSON Schema 2020-12 by another implementation.
test('what fits is what JSON Schema says fits', () => {
  const ajv = new Ajv2020({ strict: false });
  let fitting = 0;
  fc.assert(
    fc.property(schemas, fc.array(values, { minLength: 8, maxLength: 8 }), (schema, candidates) => {
      const validate = ajv.compile(schema);
      for (const value of candidates) {
        const fits = validate(value);
        if (fits) fitting += 1;
        expect([value, problem(schema, value) === '']).toEqual([value, fits]);
      }
    }),
    { seed: 7, numRuns: 500 },
  );
  expect(fitting).toBeGreaterThan(200);
});

const names = fc.constantFrom('a', 'b', 'c');
const scalars = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, '', 'a', 'b', 'ab', 'abc');
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const small = fc.integer({ min: 0, max: 3 });
const { schema: schemas } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ enum: fc.uniqueArray(scalars, { minLength: 1, maxLength: 4 }) }),
    fc.record(
      {
        type: fc.constant('string'),
        minLength: small,
        maxLength: small,
        pattern: fc.constantFrom('a', '^b', 'c$'),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constantFrom('integer', 'number', ['number', 'null'], ['boolean', 'integer']),
        minimum: small,
        exclusiveMaximum: small,
        multipleOf: fc.constantFrom(1, 0.5, 2),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constantFrom('array', ['array', 'string'], ['array', 'object']),
        items: fc.oneof(tie('schema'), fc.boolean()),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        minItems: small,
        maxItems: small,
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    ),
    fc
      .record(
        {
          type: fc.constantFrom('object', ['object', 'null']),
          properties: fc.dictionary(names, tie('schema'), { maxKeys: 2, noNullPrototype: true }),
          additionalProperties: fc.oneof(tie('schema'), fc.boolean()),
          propertyNames: fc.constantFrom({ enum: ['a', 'b'] }, { type: 'string', pattern: '^a' }, true, false),
          minProperties: small,
          maxProperties: small,
        },
        { requiredKeys: ['type'] },
      )
      .map((schema) => ({ ...schema, required: Object.keys(schema.properties ?? {}).slice(0, 1) })),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
  ),
}));

function deep(levels: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { type: 'array', items: schema };
  return schema;
}

/** Every definition offers the next one twice. */
function doubling(times: number): object {
  const $defs: Record<string, object> = { [`d${times}`]: { type: 'string' } };
  for (let at = 0; at < times; at += 1) $defs[`d${at}`] = { anyOf: [1, 2].map(() => ({ $ref: `#/$defs/d${at + 1}` })) };
  return { $defs, $ref: '#/$defs/d0' };
}
