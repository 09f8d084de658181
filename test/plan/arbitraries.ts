import fc from 'fast-check';
import { EVERY_OPERATOR, factsOf } from '../../src/plan/operators/index.ts';
import { combine, task, type WrittenNode } from './example-plans.ts';

/** Fixed, so that a failure is seen again. */
export const RUNS = { seed: 20_250, numRuns: 300 } as const;

const label = fc.constantFrom(undefined, 'First', 'Second');
const context = fc.constantFrom<unknown>(
  undefined,
  null,
  {},
  [],
  { b: 1, a: ['x', { d: null, c: true }] },
  { a: ['x', { c: true, d: null }], b: 1 },
  0,
  'text',
);
const operator = fc.constantFrom(...EVERY_OPERATOR.filter((each) => !factsOf(each).located));
const colocate = fc.record(
  {
    upstream: fc.constantFrom(0, 1000),
    strand: fc.constantFrom('both', 'same', 'opposite'),
    operation: fc.constantFrom('overlap', 'contains', 'within'),
    output: fc.constantFrom('left', 'right'),
    invert: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** Trees over a handful of texts, so that equal nodes are common. */
export const planTree: fc.Arbitrary<WrittenNode> = fc.letrec<{ node: WrittenNode; leaf: WrittenNode }>((tie) => ({
  leaf: fc
    .tuple(fc.constantFrom('A', ' A ', 'B', 'C\n'), context, label, fc.constantFrom(undefined, 'h', 'search'))
    .map(([text, value, display_name, word]) =>
      task(text, { context: value, display_name, hint: word, capability: word === 'search' ? word : undefined }),
    ),
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('leaf'),
    fc
      .tuple(operator, tie('node'), tie('node'), label)
      .map(([name, left, right, display_name]) => combine(name, left, right, { display_name })),
    fc
      .tuple(colocate, tie('node'), tie('node'))
      .map(([window, left, right]) => combine('COLOCATE', left, right, { colocate: window })),
    fc.tuple(tie('leaf'), tie('node')).map(([leaf, input]) => ({ ...leaf, input })),
  ),
})).node;
