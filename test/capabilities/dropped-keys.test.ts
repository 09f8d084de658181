/** What a schema would drop of arguments, held to what zod itself hands on. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readArguments } from '../../src/capabilities/index.ts';
import type { JsonValue } from '../../src/plan/index.ts';

const q = z.object({ q: z.number() });
interface Tree {
  readonly kids?: readonly Tree[] | undefined;
}
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ kids: z.array(tree).optional() }));

/** A name, a schema, a value, and the paths that are dropped. */
const CASES: readonly (readonly [string, z.ZodType, unknown, readonly string[]])[] = [
  ['an object', q, { q: 1, current: 9 }, ['current']],
  ['an object within', z.object({ at: q }), { at: { q: 1, x: 1 } }, ['at.x']],
  ['also where something else does not fit', q, { q: 'reference', current: 9 }, ['current']],
  ['a strict object, which refuses it as well', z.strictObject({ q: z.number() }), { q: 1, x: 1 }, ['x']],
  ['a loose object keeps it', z.looseObject({ at: q }), { at: { q: 1, x: 1 }, x: { y: 1 } }, ['at.x']],
  ['a catchall keeps what its schema keeps', z.object({}).catchall(q), { a: { q: 1, x: 1 } }, ['a.x']],
  ['a record keeps every key', z.record(z.string(), q), { a: { q: 1, x: 1 } }, ['a.x']],
  ['a loose record', z.looseRecord(z.string().regex(/^a/), q), { a: { q: 1, x: 1 }, b: { x: 1 } }, ['a.x']],
  ['a record of numbers', z.looseRecord(z.number(), q), { 1: { q: 1, x: 1 }, b: { x: 1 } }, ['1.x']],
  ['a partial record', z.partialRecord(z.enum(['a', 'b']), q), { a: { q: 1, x: 1 } }, ['a.x']],
  ['an array', z.array(q), [{ q: 1 }, { q: 1, x: 1 }], ['1.x']],
  ['a tuple and its rest', z.tuple([q], q), [{ q: 1 }, { q: 1, x: 1 }], ['1.x']],
  [
    'optional, nullable, default, prefault, readonly, nonoptional',
    z.object({
      a: q.optional(),
      b: q.nullable(),
      c: q.default({ q: 1 }),
      d: q.prefault({ q: 1 }),
      e: q.readonly(),
      f: z.nonoptional(q),
    }),
    Object.fromEntries('abcdef'.split('').map((key) => [key, { q: 1, x: 1 }])),
    'abcdef'.split('').map((key) => `${key}.x`),
  ],
  ['the option of a union that is taken', z.union([z.object({ a: z.string() }), q]), { q: 1, a: 1 }, ['a']],
  [
    'the first option that takes all of its keys',
    z.union([q, z.object({ q: z.number(), x: z.number() })]),
    { q: 1, x: 1 },
    [],
  ],
  ['no option that fits', z.union([z.object({ a: z.string() }), q]), { x: 1 }, []],
  [
    'a discriminated union',
    z.discriminatedUnion('is', [
      z.object({ is: z.literal('a'), a: z.number() }),
      z.object({ is: z.literal('b'), b: z.number() }),
    ]),
    { is: 'b', b: 1, a: 1 },
    ['a'],
  ],
  ['an exclusive union', z.xor([q, z.object({ a: z.number() })]), { q: 1, x: 1 }, ['x']],
  [
    'an intersection, where either side keeps it',
    z.intersection(q, z.object({ a: z.number() })),
    { q: 1, a: 1, x: 1 },
    ['x'],
  ],
  [
    'an intersection that drops at two depths',
    z.intersection(z.object({ a: q }), z.object({ b: z.number() })),
    { a: { q: 1, x: 1 }, b: 1 },
    ['a.x'],
  ],
  ['an intersection with what takes all', z.intersection(q, z.looseObject({})), { q: 1, x: 1 }, []],
  ['a lazy schema', tree, { kids: [{ kids: [{ x: 1 }] }] }, ['kids.0.kids.0.x']],
  ['the input of a transform', q.transform(({ q: one }) => one), { q: 1, x: 1 }, ['x']],
  [
    'the input of a pipe',
    z.object({ q: z.number(), x: z.number() }).pipe(z.transform(({ q: one }) => one)),
    { q: 1, x: 1 },
    [],
  ],
  [
    'the input of a codec',
    z.codec(q, z.number(), { decode: ({ q: one }) => one, encode: (one) => ({ q: one }) }),
    { q: 1, x: 1 },
    ['x'],
  ],
  ['a preprocess, which may read anything', z.preprocess((value) => value, q), { q: 1, x: 1 }, []],
  ['a coercion', z.object({ q: z.coerce.string() }), { q: { x: 1 } }, []],
  ['a catch that is', q.catch({ q: 0 }), { q: 'a', x: 1 }, []],
  [
    'any, unknown, JSON, custom',
    z.object({ a: z.any(), b: z.unknown(), c: z.json(), d: z.custom(() => true) }),
    Object.fromEntries('abcd'.split('').map((key) => [key, { x: [{ y: 1 }] }])),
    [],
  ],
  ['a key that zod hands on nowhere', z.looseObject({}), JSON.parse('{"__proto__":{"x":1}}'), ['__proto__']],
  ['no object', q, 'text', []],
];

/** The keys that are refused since the schema would drop them. */
function unknownIn(schema: z.ZodType, value: unknown): readonly string[] {
  const read = readArguments(schema, value as JsonValue);
  const problems = read.ok ? [] : read.problems.filter(({ code }) => code === 'unknown-argument');
  return problems.map(({ path }) => path.join('.'));
}

test.each(CASES)('%s', (_, schema, value, dropped) => {
  expect(unknownIn(schema, value)).toEqual(dropped);
});

test('it is told with the keys that are known beside it', () => {
  expect(readArguments(q, { x: 1, q: 1 })).toMatchObject({ problems: [{ path: ['x'], expected: ['q'] }] });
});

interface Sample {
  readonly schema: z.ZodType;
  /** Mostly what the schema takes, often with more. */
  readonly value: fc.Arbitrary<unknown>;
}

const KEYS = ['a', 'b', 'c'] as const;
const extra = fc.dictionary(fc.constantFrom(...KEYS, 'd'), fc.constantFrom<unknown>(1, 'x', { a: 1 }), {
  maxKeys: 2,
});
const withMore = (value: fc.Arbitrary<unknown>) =>
  fc.tuple(extra, value).map(([more, one]) => (isObject(one) ? { ...more, ...one } : one));

const { sample } = fc.letrec<{ sample: Sample }>((tie) => {
  const inner = tie('sample');
  const leaf = fc.constantFrom<Sample>(
    { schema: z.number(), value: fc.constant(1) },
    { schema: z.string(), value: fc.constant('x') },
    { schema: z.unknown(), value: fc.constantFrom<unknown>(1, { a: 1, d: { b: 2 } }) },
    { schema: z.json(), value: fc.constantFrom<unknown>(1, { a: [{ d: 1 }] }) },
  );
  const object = fc
    .tuple(
      fc.dictionary(fc.constantFrom(...KEYS), inner, { maxKeys: 3 }),
      fc.constantFrom('strip', 'strict', 'loose', 'rest'),
    )
    .map(([members, mode]): Sample => {
      const shape = Object.fromEntries(Object.entries(members).map(([key, { schema }]) => [key, schema]));
      const own = z.object(shape);
      const schema = { strip: own, strict: own.strict(), loose: own.loose(), rest: own.catchall(z.number()) }[mode];
      return {
        schema,
        value: withMore(fc.record(Object.fromEntries(Object.entries(members).map(([key, { value }]) => [key, value])))),
      };
    });
  const wrapped = fc
    .tuple(inner, fc.constantFrom('optional', 'nullable', 'default', 'readonly', 'lazy'))
    .map(([{ schema, value }, how]): Sample => {
      const schemas = {
        optional: () => schema.optional(),
        nullable: () => schema.nullable(),
        default: () => schema.default('default'),
        readonly: () => schema.readonly(),
        lazy: () => z.lazy(() => schema),
      };
      return { schema: schemas[how]() as z.ZodType, value };
    });
  return {
    sample: fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      leaf,
      { weight: 4, arbitrary: object },
      inner.map(({ schema, value }): Sample => ({ schema: z.array(schema), value: fc.array(value, { maxLength: 2 }) })),
      inner.map(({ schema, value }): Sample => ({
        schema: z.record(z.string(), schema),
        value: fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 2 }),
      })),
      fc.tuple(inner, inner).map(([one, other]): Sample => ({
        schema: z.tuple([one.schema], other.schema),
        value: fc.tuple(one.value, other.value),
      })),
      fc.tuple(inner, inner).map(([one, other]): Sample => ({
        schema: z.union([one.schema, other.schema]),
        value: fc.oneof(one.value, other.value),
      })),
      wrapped,
    ),
  };
});

/** The outermost keys of what came in that are not in what came out; what became something else is no loss. */
function lostKeys(input: unknown, output: unknown, path: readonly string[] = []): readonly string[] {
  if (!isObject(input) || !isObject(output)) return [];
  return Object.entries(input).flatMap(([key, member]) => {
    const at = [...path, key];
    return Object.hasOwn(output, key) ? lostKeys(member, (output as Record<string, unknown>)[key], at) : [at.join('.')];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function parse(schema: z.ZodType, value: unknown) {
  try {
    return schema.safeParse(value);
  } catch {
    // Two sides of an intersection that cannot be merged.
    return undefined;
  }
}

test('against what zod hands on arguments are taken where every key of them is handed on, and refused where one is lost', () => {
  let judged = 0;
  let refused = 0;
  const one = sample.chain(({ schema, value }) => value.map((given) => ({ schema, given })));
  fc.assert(
    fc.property(one, ({ schema, given }) => {
      const parsed = parse(schema, given);
      if (parsed?.success !== true) return;
      const read = readArguments(schema, given as JsonValue);
      judged += 1;
      if (!read.ok) refused += 1;
      if (lostKeys(given, parsed.data).length === 0) expect(read.ok).toBe(true);
      if (read.ok) expect(lostKeys(given, read.value)).toEqual([]);
    }),
    { numRuns: 1000 },
  );
  // Without this the property could hold of nothing.
  expect(judged).toBeGreaterThan(150);
  expect(refused).toBeGreaterThan(30);
});
