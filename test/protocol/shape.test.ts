/** The reader of tables: which values fit, and where those that do not differ. */

import { expect, expectTypeOf, test } from 'vitest';
import { byKey, eachOf, maybe, oneOf, problemOf, whereHas, type Of, type Shape } from '../../src/protocol/index.ts';

test.each<[shape: Shape, fits: unknown, differs: unknown, problem: string]>([
  ['name', 'x'.repeat(200), 'x'.repeat(201), '$: expected a text of at most 200 characters'],
  ['text', 'x'.repeat(2 ** 21), 'x'.repeat(2 ** 21 + 1), '$: expected a text of at most 2097152 characters'],
  ['count', 2 ** 53 - 1, 2 ** 53, '$: expected a whole number from 0'],
  ['count', 0, -1, '$: expected a whole number from 0, got number -1'],
  ['number', -0.5, Number.NaN, '$: expected a finite number'],
  ['time', '2026-01-02T03:04:05Z', 'soon', '$: expected a time'],
  [['ref'], ['A'.repeat(43)], ['A'.repeat(43), 'A'], '$[1]: expected a reference'],
  [{ a: 'flag', b: 'count?' }, { a: true, c: 1 }, { a: true, b: null }, '$.b: expected a whole number'],
  [{ a: 'flag' }, { a: false }, Object.create({ a: 1 }), '$.a: expected true or false'],
  [byKey('ok', { true: {}, false: {} }), { ok: false }, { ok: 'false' }, '$.ok: expected true or false, got "false"'],
])('%j', (shape, fits, differs, problem) => {
  expect(problemOf(shape, fits)).toBeUndefined();
  expect(problemOf(shape, differs)).toContain(problem);
});

test('the type of a request is the type of what its table lets pass', () => {
  const table = {
    id: 'node',
    stage: oneOf(['write', 'select']),
    counts: eachOf(['count']),
    from: whereHas('ref', { ref: 'ref' }, { document: 'any' }),
    steps: maybe([{ name: 'text', fresh: 'flag?' }]),
  } as const satisfies Shape;
  interface Request {
    readonly id: string;
    readonly stage: 'write' | 'select';
    readonly counts: Readonly<Record<string, readonly number[]>>;
    readonly from: { readonly ref: string } | { readonly document: unknown };
    readonly steps?: readonly { readonly name: string; readonly fresh?: boolean }[];
  }
  expectTypeOf<Of<typeof table>>().branded.toEqualTypeOf<Request>();
  expectTypeOf<Of<typeof table>>().not.toBeAny();
});
