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
    expect(problem(schema, { size: { mm: 'ten' } })).toContain('$.size.mm: must be number, got "ten"');
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
    [{ type: 'text' }, 'type: must be "array" or "boolean"'],
    [{ type: [] }, 'type: must be'],
    [{ type: ['string', 'string'] }, 'type: must be'],
    [{ type: 'string', minLenght: 3 }, 'unknown keyword: "minLenght"'],
    [{ type: 'string', minLength: '3' }, 'minLength: must be integer, got "3"'],
    [{ minLength: 3 }, 'missing type "string" for keyword "minLength"'],
    [{ type: 'number', pattern: 'a' }, 'missing type "string" for keyword "pattern"'],
    [{ type: 'string', pattern: '(' }, 'Invalid regular expression'],
    [{ type: 'string', format: 'colour' }, 'unknown format "colour"'],
    [{ type: 'object', properties: JSON.parse('{"__proto__":{"type":"string"}}') }, 'no member can be named __proto__'],
    [{ type: 'object', properties: { a: { properties: {} } } }, 'missing type "object" for keyword "properties"'],
    [{ type: 'array', items: {}, minItems: -1 }, 'minItems: must be >= 0'],
    [{ anyOf: [] }, 'anyOf: must NOT have fewer than 1 items'],
    [{ enum: [] }, 'enum must have non-empty array'],
    [{ $ref: 'https://example.org/schema.json' }, "can't resolve reference"],
    [{ $ref: 'file:///etc/passwd' }, "can't resolve reference"],
    [{ $ref: '#/$defs/gone' }, "can't resolve reference"],
    [{ $ref: '#/$defs/toString' }, "can't resolve reference"],
    [{ $ref: '#/$defs/a', $defs: { a: 3 } }, '$defs.a: must be object,boolean'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, '$schema: expected draft 2020-12'],
    [deep(80), 'nested deeper than 64 levels'],
    [deep(100_000), 'nested deeper than 64 levels'],
  ])('%#', (schema, says) => {
    expect(refusal(schema)).toContain(says);
  });

  test('all of its unknown keywords are told at once', () => {
    expect(refusal({ type: 'object', a: 1, properties: { b: { typ: 'x' } } }).split('\n')).toHaveLength(2);
  });
});

test.each<[schema: object, fits: unknown, not: unknown]>([
  [{ type: 'string', pattern: '^\\p{L}$' }, 'é', '1'],
  [{ type: 'object', patternProperties: { '^a': { type: 'number' } } }, { a: 1 }, { a: 'x' }],
  [{ allOf: [{ type: 'string' }, { not: { const: 'a' } }] }, 'b', 'a'],
  [{ type: 'object', required: ['a'] }, { a: 1 }, {}],
  [{ enum: [{ a: 1 }, [2]] }, { a: 1 }, { a: 2 }],
  [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'string' }] }, ['a'], [1]],
])('a schema may say: %j', (schema, fits, not) => {
  expect([problem(schema, fits), problem(schema, not) === '']).toEqual(['', false]);
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
  ])('%s', (_, schema, value, says) => {
    expect(problem(schema, value)).toMatch(says);
  });

  test('two definitions that refer to each other', () => {
    const schema = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' };
    expect(refusal(schema)).toContain('goes too deep');
  });

  test('an answer of many parts is checked all the same', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => index);
    expect(problem({ type: 'array', items: { type: 'integer' }, uniqueItems: true }, many)).toBe('');
  });
});

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
