import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan, operatorNames, planSchema } from '../../../src/plan/index.ts';
import { RUNS, planTree } from '../arbitraries.ts';
import { combine, task } from '../example-plans.ts';
import { invalidPlans, validPlans } from '../plan-fixtures.ts';
import type { IssueCode } from '../../../src/plan/index.ts';

const validate = new Ajv({ strict: false }).compile(planSchema());
const FILE = new URL('../../../schema/plan.schema.json', import.meta.url);

/** What no schema can say of a parsed document; such a plan passes it and is refused by the compiler. */
const BEYOND_A_SCHEMA: readonly IssueCode[] = [
  // Limits: levels, nodes, bytes, levels of a value.
  'too-deep',
  'too-many-nodes',
  'too-large',
  'value-too-deep',
  // What JSON.parse does not show: keys that stand twice, numbers that become others or infinite.
  'duplicate-key',
  'inexact-number',
  'invalid-context',
  // Half of a surrogate pair.
  'invalid-text',
  // The executors of the project.
  'no-executor',
  'unknown-capability',
  'unknown-agent',
  'invalid-arguments',
  // What steps say of each other, and names that JavaScript keeps for itself.
  'invalid-step-key',
  'duplicate-step-key',
  'unknown-reference',
  'self-reference',
  'forward-reference',
  'cyclic-reference',
];

test('schema/plan.schema.json is the schema', () => {
  const text = `${JSON.stringify(planSchema(), null, 2)}\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});

test('the schema is a draft-07 schema', () => {
  const ajv = new Ajv({ strict: false });
  expect(ajv.validateSchema(planSchema())).toBe(true);
});

describe('the schema allows what the compiler reads', () => {
  test.each(validPlans())('$name', ({ text }) => {
    const parsed = parsedPlan(text);
    if (parsed === undefined) return;
    validate(parsed.value);
    expect(validate.errors ?? []).toEqual([]);
  });

  test('every plan that compiles', () => {
    fc.assert(
      fc.property(planTree, (plan) => {
        const document = JSON.parse(JSON.stringify({ goal: 'g', plan })) as unknown;
        expect(compilePlan(document).ok).toBe(true);
        expect(validate(document)).toBe(true);
      }),
      RUNS,
    );
  });

  test.each(operatorNames().flatMap((name) => [name, ` ${name.toLowerCase().replaceAll('_', '-')} `]))(
    'the operator %j',
    (name) => {
      expectAgreement({ goal: 'g', plan: combine(name, task('A'), task('B')) }, true);
    },
  );
});

describe('the schema refuses what the compiler refuses', () => {
  const documents = invalidPlans().flatMap(({ name, document, options }) => {
    const parsed = parsedPlan(new TextDecoder().decode(document));
    return parsed === undefined ? [] : [{ name, value: parsed.value, options }];
  });

  test.each(documents)('$name', ({ value, options }) => {
    const compiled = compilePlan(value, options);
    const errors = compiled.ok ? [] : compiled.issues.filter(({ severity }) => severity === 'error');
    if (compiled.ok) expect(validate(value)).toBe(true);
    else if (!errors.every(({ code }) => BEYOND_A_SCHEMA.includes(code))) expect(validate(value)).toBe(false);
  });

  test('most of them are documents that a schema can judge', () => {
    expect(documents.filter(({ value }) => !validate(value)).length).toBeGreaterThan(30);
  });
});

describe('the schema and the compiler agree', () => {
  const A = task('A');
  const B = task('B');
  const colocate = (rest: object): unknown => ({
    goal: 'g',
    plan: combine('COLOCATE', A, B, rest as { readonly [key: string]: unknown }),
  });
  const end = { anchor: 'Start', direction: 'upstream', offset: 0 };
  const span = Object.fromEntries(
    ['a', 'b'].flatMap((side) =>
      ['begin', 'end'].flatMap((each) => [
        [`span_${each}_${side}`, 'start'],
        [`span_${each}_direction_${side}`, '-'],
        [`span_${each}_offset_${side}`, '10'],
      ]),
    ),
  );
  test.each<[string, unknown, boolean]>([
    ['a kind in any case', { goal: 'g', plan: { kind: ' TASK ', task: 'A' } }, true],
    ['a blank type', { goal: 'g', plan: { type: ' ', kind: 'combine', task: 'A' } }, true],
    ['a null task and a text', { goal: 'g', plan: { task: null, text: 'A' } }, true],
    ['a blank task and a text', { goal: 'g', plan: { task: ' ', text: 'A' } }, false],
    ['an unknown type', { goal: 'g', plan: { type: 'union', task: 'A' } }, false],
    ['a task with an operator and no operand', { goal: 'g', plan: { task: 'A', operator: 'UNION' } }, true],
    ['a number as goal', { goal: 7, plan: A }, true],
    [
      'inputs that win over wrong operands',
      { goal: 'g', plan: { type: 'op', op: 'and', inputs: [A, B], left: 3 } },
      true,
    ],
    ['inputs with a null', { goal: 'g', plan: { type: 'op', op: 'and', inputs: [A, null] } }, false],
    ['an unknown key on a node', { goal: 'g', plan: { task: 'A', why: 'so' } }, true],
    ['an unknown key beside the goal', { goal: 'g', plan: A, why: 'so' }, false],
    [
      'a combine for a task',
      { goal: 'g', plan: { ...A, input: { type: 'combine', operator: 'OR', left: A, right: B } } },
      true,
    ],
    [
      'a wrong node deep below',
      { goal: 'g', plan: combine('OR', combine('OR', A, B), combine('OR', A, { task: [] })) },
      false,
    ],
    ['a flat window', colocate({ upstream: 5, strand: ' Same ' }), true],
    ['a negative window', colocate({ upstream: -1 }), false],
    ['a window of half a base', colocate({ colocate: { upstream: 0.5 } }), false],
    ['an inner field over a wrong flat one', colocate({ upstream: -1, colocate: { upstream: 1 } }), true],
    ['inverted', colocate({ colocate: { invert: true } }), true],
    ['inverted flat', colocate({ invert: false }), true],
    ['inverted by a word', colocate({ invert: 'yes' }), false],
    ['colocate: null', colocate({ colocate: null, output: 'right' }), true],
    ['colocate: a list', colocate({ colocate: [] }), false],
    ['an unknown field of colocate', colocate({ colocate: { side: 'left' } }), false],
    ['regions', colocate({ colocate: { left: ' Exact', right: { begin: end, end } } }), true],
    ['a region of one side', colocate({ colocate: { left: 'exact' } }), false],
    ['regions and a window', colocate({ colocate: { left: 'exact', right: 'exact', upstream: 1 } }), false],
    ['regions and a flat window', colocate({ upstream: 1, colocate: { left: 'exact', right: 'exact' } }), false],
    ['a region of two kinds', colocate({ colocate: { left: { upstream: 1, downstream: 1 }, right: 'exact' } }), false],
    [
      'a region end without offset',
      colocate({ colocate: { left: { begin: { anchor: 'start', direction: 'upstream' }, end }, right: 'exact' } }),
      false,
    ],
    ['span logic', colocate({ colocate: { ...span, span_output: 'a' } }), true],
    ['span logic without output', colocate({ colocate: span }), false],
    ['span logic beside our names', colocate({ colocate: { ...span, span_output: 'a', strand: 'same' } }), false],
    ['parameters on another operator', { goal: 'g', plan: combine('UNION', A, B, { strand: 'same' }) }, false],
  ])('%s', (_, document, ok) => expectAgreement(document, ok));

  const step = { context_key: 'genes', capability: 'search', task_objective: 'Find genes' };
  test.each<[string, unknown, boolean]>([
    ['steps', { goal: 'g', steps: [step] }, true],
    ['no steps', { goal: 'g', steps: [] }, true],
    ['neither goal nor steps', { steps: [] }, false],
    ['an objective, and a plan that is null', { objective: 'g', plan: null, steps: [step] }, true],
    ['no goal, and a step', { steps: [step] }, true],
    ['a blank goal', { goal: ' ', steps: [step] }, false],
    ['steps beside a plan', { goal: 'g', plan: A, steps: [step] }, false],
    ['steps that are no list', { goal: 'g', steps: {} }, false],
    ['a step that is a text', { goal: 'g', steps: ['Find genes'] }, false],
    [
      'an action, and a number as id',
      { goal: 'g', steps: [{ step_id: 1, agent: 'a', action: 'b', dependencies: null }] },
      true,
    ],
    ['a step without a text', { goal: 'g', steps: [{ step_id: 1, agent: 'a' }] }, false],
    [
      'a blank objective and a description',
      { goal: 'g', steps: [{ ...step, task_objective: ' ', description: 'x' }] },
      true,
    ],
    ['a step without a key', { goal: 'g', steps: [{ task_objective: 'x' }] }, true],
    ['a key that is an object', { goal: 'g', steps: [{ ...step, context_key: {} }] }, false],
    [
      'inputs of both forms',
      { goal: 'g', steps: [step, { ...step, context_key: 'b', inputs: ['genes', { GENES: 'genes' }] }] },
      true,
    ],
    ['an empty input', { goal: 'g', steps: [step, { ...step, context_key: 'b', inputs: [{}] }] }, false],
    ['inputs that are a text', { goal: 'g', steps: [step, { ...step, context_key: 'b', inputs: 'genes' }] }, false],
    [
      'dependencies by number',
      {
        goal: 'g',
        steps: [
          { step_id: 1, action: 'a' },
          { step_id: 2, action: 'b', dependencies: [1] },
        ],
      },
      true,
    ],
    ['any complexity', { goal: 'g', complexity: 'huge', estimated_time: 'long', steps: [step] }, true],
    ['an unknown key beside the steps', { goal: 'g', onFailure: 'partial', steps: [step] }, false],
    ['an unknown key of a step', { goal: 'g', steps: [{ ...step, why: 'so' }] }, true],
  ])('%s', (_, document, ok) => expectAgreement(document, ok));
});

function expectAgreement(document: unknown, ok: boolean): void {
  expect({ compiler: compilePlan(document).ok, schema: validate(document) }).toEqual({ compiler: ok, schema: ok });
}

/** Only what is JSON as it stands can be given to a schema. */
function parsedPlan(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
