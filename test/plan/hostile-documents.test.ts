import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan } from '../../src/plan/index.ts';
import { combine, task } from './example-plans.ts';
import { compiledPlan } from '../support/plans.ts';

const SEED = 20_250;

function cyclicNode(): object {
  const node: { [key: string]: unknown } = { type: 'task', task: 'A' };
  node['input'] = node;
  return node;
}

/** 2 to the power of `levels` nodes in a handful of objects. */
function doublingNode(levels: number): unknown {
  let node: unknown = task('A');
  for (let level = 0; level < levels; level++) node = combine('UNION', node, node);
  return node;
}

function doublingValue(levels: number): unknown {
  let value: unknown = [1];
  for (let level = 0; level < levels; level++) value = [value, value];
  return value;
}

const cyclicValue: unknown[] = [];
cyclicValue.push(cyclicValue);
const throwing = {
  get plan(): never {
    throw new Error('no');
  },
  goal: 'x',
};
const revoked = Proxy.revocable({}, {});
revoked.revoke();
describe('values that no JSON text can be', () => {
  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'not-json'],
    ['a function', () => 1, 'not-json'],
    ['a symbol', Symbol('plan'), 'not-json'],
    ['a bigint', 1n, 'not-json'],
    ['NaN', Number.NaN, 'not-json'],
    ['a Date', new Date(0), 'not-json'],
    ['a Map', new Map(), 'not-json'],
    ['a getter that throws', throwing, 'not-json'],
    ['a revoked proxy', revoked.proxy, 'not-json'],
    ['null', null, 'unknown-format'],
    ['a number', 5, 'unknown-format'],
    ['a list', [], 'unknown-format'],
    ['a cyclic plan', { goal: 'x', plan: cyclicNode() }, 'too-deep'],
    ['a plan that doubles 60 times', { goal: 'x', plan: doublingNode(60) }, 'too-many-nodes'],
    ['a cyclic context', { goal: 'x', plan: task('A', { context: cyclicValue }) }, 'value-too-deep'],
    ['a context that doubles 40 times', { goal: 'x', plan: task('A', { context: doublingValue(40) }) }, 'too-large'],
    ['a node of a class', { goal: 'x', plan: new URL('http://localhost/') }, 'not-a-node'],
    ['undefined in a context', { goal: 'x', plan: task('A', { context: { a: undefined } }) }, 'invalid-context'],
    ['a bigint in arguments', { goal: 'x', plan: task('A', { arguments: [1n] }) }, 'invalid-arguments'],
    ['a hole in a list', { goal: 'x', plan: task('A', { context: new Array(1) }) }, 'invalid-context'],
    [
      'an endless list of inputs',
      { goal: 'x', plan: { operator: 'OR', inputs: new Array(4_000_000_000) } },
      'too-many-nodes',
    ],
    ['NaN where a text belongs', { goal: 'x', plan: { task: Number.NaN } }, 'invalid-task'],
  ])('%s', (_, document, code) => {
    // Small enough that a doubling value is refused at once.
    const result = compilePlan(document, { limits: { bytes: 100_000 } });
    if (result.ok) throw new Error('It compiled.');
    expect(result.issues[0]).toMatchObject({ code, severity: 'error' });
  });

  test.each([
    ['half a character', '\ud800'],
    ['nothing', undefined],
    ['another number', 5],
  ])('a getter that gives %s the second time is asked once', (_, second) => {
    const answers: unknown[] = [1];
    const given = {
      get a() {
        return answers.length > 0 ? answers.pop() : second;
      },
    };
    const result = compilePlan({ goal: 'x', plan: task('A', { arguments: given }) });
    expect(result.ok && result.plan.tasks[0]?.arguments).toEqual({ a: 1 });
  });

  test('an object that hides an operand while it is read gives an issue', () => {
    const answers = [task('B'), null];
    const inputs = [task('A'), null];
    let asked = 0;
    Object.defineProperty(inputs, 1, {
      get: () => (asked++ in answers ? answers[asked - 1] : task('B')),
      enumerable: true,
    });
    expect(compilePlan({ goal: 'x', plan: { operator: 'OR', inputs } })).toMatchObject({
      ok: false,
      issues: [{ code: 'missing-operand' }],
    });
  });

  test('an object that grows while it is read gives an issue', () => {
    let asked = 0;
    const growing = (): object => ({
      task: 'A',
      get input() {
        return asked++ < 4 ? undefined : growing();
      },
    });
    expect(compilePlan({ goal: 'x', plan: task('A', { input: task('B', { input: growing() }) }) })).toMatchObject({
      ok: true,
    });
    asked = 3;
    expect(compilePlan({ goal: 'x', plan: growing() }, { limits: { nodes: 1_000 } })).toMatchObject({
      ok: false,
      issues: [{ code: 'not-json' }],
    });
  });

  test('the size is told once', () => {
    const plan = combine('UNION', task('A'.repeat(50)), combine('UNION', task('B'.repeat(50)), task('C'.repeat(50))));
    const result = compilePlan({ goal: 'x', plan }, { limits: { bytes: 60 } });
    expect(result.ok ? [] : result.issues.map(({ code }) => code)).toEqual(['too-large']);
  });

  test('keys with a meaning in JavaScript are ordinary keys', () => {
    const text =
      '{"goal":"x","plan":{"task":"A","__proto__":{"hint":"h"},"constructor":1,"context":{"__proto__":{"a":1}}}}';
    const result = compiledPlan(text);
    expect(result.warnings.map(({ path }) => path)).toEqual(['$.plan.__proto__', '$.plan.constructor']);
    expect(result.plan.tasks[0]).not.toHaveProperty('hint');
    expect(JSON.stringify(result.plan.tasks[0]!.context)).toBe('{"__proto__":{"a":1}}');
  });
});

describe('never throws', () => {
  const nodeLike = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, fc.jsonValue(), fc.anything(), tie('node')),
    node: fc.dictionary(
      fc.constantFrom(
        'type',
        'kind',
        'task',
        'text',
        'hint',
        'context',
        'params',
        'input',
        'inputs',
        'operator',
        'op',
        'left',
        'right',
        'id',
        'agent',
        'capability',
        'arguments',
        'colocate',
        'upstream',
        'strand',
        'display_name',
        '__proto__',
      ),
      fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>('task', 'combine', 'UNION', 'COLOCATE', null, ' ', 0, true),
        tie('value'),
        tie('node'),
        fc.array(tie('node'), { maxLength: 3 }),
      ),
    ),
  })).node;

  test.each([
    ['any text', fc.string({ unit: 'binary' })],
    ['any JSON text', fc.json()],
    ['any bytes', fc.uint8Array()],
    [
      'anything',
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withSparseArray: true,
        withTypedArray: true,
      }),
    ],
    ['anything like a plan', fc.record({ goal: fc.anything(), plan: nodeLike })],
  ] as const)('%s', (_, documents: fc.Arbitrary<unknown>) => {
    fc.assert(
      fc.property(documents, (document) => {
        const result = compilePlan(document);
        const severities = (result.ok ? result.warnings : result.issues).map(({ severity }) => severity);
        expect(severities.includes('error')).toBe(!result.ok);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });
});
