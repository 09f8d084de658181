import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan, operatorNames, planSchema } from '../../src/plan/index.ts';
import { RUNS, planTree } from './arbitraries.ts';
import { combine, task } from './example-plans.ts';
import { invalidPlans, validPlans } from './plan-fixtures.ts';

const validate = new Ajv({ strict: false }).compile(planSchema());
const FILE = new URL('../../schema/plan.schema.json', import.meta.url);

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

describe('the schema refuses what is of another type, missing or misspelled', () => {
  test('of the documents that the compiler refuses', () => {
    const documents = invalidPlans().flatMap(({ document }) => parsedPlan(new TextDecoder().decode(document)) ?? []);
    expect(documents.filter(({ value }) => !validate(value)).length).toBeGreaterThan(25);
  });

  const step = { context_key: 'genes', capability: 'search', task_objective: 'Find genes' };
  const [A, B] = [task('A'), task('B')];
  test.each<[string, unknown, boolean]>([
    ['a kind in any case', { goal: 'g', plan: { kind: ' TASK ', task: 'A' } }, true],
    ['a null task and a text', { goal: 'g', plan: { task: null, text: 'A' } }, true],
    ['a number as goal', { goal: 7, plan: A }, true],
    ['inputs', { goal: 'g', plan: { type: 'op', op: 'and', inputs: [A, B] } }, true],
    ['an unknown key on a node', { goal: 'g', plan: { task: 'A', why: 'so' } }, true],
    ['steps', { goal: 'g', steps: [step] }, true],
    ['a list of texts', { goal: 'g', steps: ['Find genes'] }, true],
    ['nodes', { goal: 'g', nodes: [{ id: 'a', task: 'A' }] }, true],
    ['a document as plan', { goal: 'g', plan: { goal: 'g', plan: A } }, true],
    ['an unknown type', { goal: 'g', plan: { type: 'union', task: 'A' } }, false],
    ['inputs with a text', { goal: 'g', plan: { type: 'op', op: 'and', inputs: [A, 'B'] } }, false],
    ['an unknown operator', { goal: 'g', plan: combine('INTERSEKT', A, B) }, false],
    ['an unknown key beside the goal', { goal: 'g', plan: A, why: 'so' }, false],
    ['a wrong node deep below', { goal: 'g', plan: combine('OR', combine('OR', A, B), { task: [] }) }, false],
    ['steps that are no list', { goal: 'g', steps: {} }, false],
    ['a step without a text', { goal: 'g', steps: [{ step_id: 1, agent: 'a' }] }, false],
    ['an unknown key beside the steps', { goal: 'g', onFailure: 'partial', steps: [step] }, false],
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
