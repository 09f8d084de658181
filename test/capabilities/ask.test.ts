import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { compilePlan } from '../../src/plan/index.ts';

const registry = createRegistry([]);
const HOUR = 3_600_000;

/** What a built-in capability asks for these arguments. */
function question(name: 'ask' | 'clarify', args: object): unknown {
  const capability = registry.capability(name)!;
  const surroundings = { goal: 'g', task: 'Which field is meant?', inputs: [], idempotencyKey: 'k', heartbeat() {} };
  const { signal } = new AbortController();
  return capability.execute({ ...surroundings, signal, arguments: capability.input.parse(args) });
}

/** Paths and messages of the issues that a plan with these arguments has. */
function issues(capability: string, args: object): (readonly [path: string, message: string])[] {
  const plan = { type: 'task', task: 'Ask', capability, arguments: args };
  const compiled = compilePlan({ goal: 'g', plan }, { catalogue: registry });
  if (compiled.ok) return [];
  expect(compiled.issues.every(({ code }) => code === 'invalid-arguments' || code === 'unknown-argument')).toBe(true);
  return compiled.issues.map(({ path, message }) => [path.replace('$.plan.arguments', '$'), message]);
}

describe('ask', () => {
  test.each<[args: object, question: object]>([
    [{ question: 'Which field?' }, { text: 'Which field?' }],
    [
      { question: 'How many?', schema: { type: 'integer' }, default: 3, deadline: '2h', roles: ['grower'] },
      { text: 'How many?', schema: { type: 'integer' }, default: 3, deadlineMs: 2 * HOUR, roles: ['grower'] },
    ],
    [
      { question: 'When?', deadline: 1500, default: null },
      { text: 'When?', deadlineMs: 1500, default: null },
    ],
    [
      { question: 'Which?', options: ['north', 7, null] },
      { text: 'Which?', schema: { enum: ['north', 7, null] }, suggestions: ['north', 7, null] },
    ],
    [
      { question: 'Which?', options: ['north'], schema: { type: 'string' } },
      { text: 'Which?', schema: { type: 'string' }, suggestions: ['north'] },
    ],
  ])('%j', (args, asked) => {
    expect(issues('ask', args)).toEqual([]);
    expect(question('ask', args)).toStrictEqual(asked);
  });

  test.each<[args: object, path: string, says: string]>([
    [{}, '$.question', 'expected string'],
    [{ question: ' ' }, '$.question', 'not blank'],
    [{ question: 'x'.repeat(2001) }, '$.question', 'a text of 1 to 2000 characters'],
    [{ question: 'A?', deadline: 'soon' }, '$.deadline', 'a duration such as "2h"'],
    [{ question: 'A?', deadline: 0 }, '$.deadline', 'a duration such as "2h"'],
    [{ question: 'A?', options: [] }, '$.options', 'expected array to have >=1 items'],
    [{ question: 'A?', options: [['a']] }, '$.options[0]', 'Invalid input'],
    [{ question: 'A?', options: ['a', 'b'], default: 'c' }, '$.default', 'it does not fit the schema'],
    [{ question: 'A?', options: ['a', 7], schema: { type: 'string' } }, '$.options[1]', 'it does not fit the schema'],
    [{ question: 'A?', schema: { type: 'fruit' } }, '$.schema.type', 'must be "array" or "boolean"'],
    [{ question: 'A?', schema: { type: 'string', maxlength: 3 } }, '$.schema', 'unknown keyword: "maxlength"'],
    [{ question: 'A?', schema: 'string' }, '$.schema', 'expected record'],
    [{ question: 'A?', roles: [''] }, '$.roles', 'a list of roles'],
    [{ question: 'A?', default: 'x'.repeat(9000) }, '$', 'bytes as JSON, at most 8000'],
    [{ question: 'A?', suggestions: ['a'] }, '$.suggestions', '"suggestions" is no argument here.'],
  ])('refuses %j', (args, path, says) => {
    expect(issues('ask', args)).toEqual([[path, expect.stringContaining(says)]]);
  });

  test.each(['question', 'schema', 'default', 'options'])('takes a result of another step as its %s', (name) => {
    const first = { context_key: 'first', capability: 'ask', task_objective: 'Ask', parameters: { question: 'A?' } };
    const parameters = { question: 'B?', [name]: 'result_from_step_1' };
    const second = { context_key: 'second', capability: 'ask', task_objective: 'Ask again', parameters };
    const compiled = compilePlan({ goal: 'g', steps: [first, second] }, { catalogue: registry });
    expect(compiled).toMatchObject({ ok: true });
  });
});

describe('clarify', () => {
  test.each<[args: object, question: object]>([
    [{}, { text: 'Which field is meant?' }],
    [{ questions: 'Which year?' }, { text: 'Which year?' }],
    [{ questions: ['Which year?'] }, { text: 'Which year?' }],
    [{ questions: ['Which year?', 'Which crop?'] }, { text: '1. Which year?\n2. Which crop?' }],
    [
      { deadline: '1h', default: 'all', roles: ['grower'] },
      { text: 'Which field is meant?', deadlineMs: HOUR, default: 'all', roles: ['grower'] },
    ],
    [{ schema: { type: 'string' } }, { text: 'Which field is meant?', schema: { type: 'string' } }],
  ])('Osprey: clarify asks 1-4 questions: %j', (args, asked) => {
    expect(issues('clarify', args)).toEqual([]);
    expect(question('clarify', args)).toStrictEqual(asked);
  });

  test.each<[args: object, path: string]>([
    [{ questions: [] }, '$.questions'],
    [{ questions: ['a', 'b', 'c', 'd', 'e'] }, '$.questions'],
    [{ questions: '' }, '$.questions'],
    [{ questions: ['a', ' '] }, '$.questions'],
    [{ questions: [7] }, '$.questions'],
    [{ question: 'a' }, '$.question'],
    [{ questions: 'a', default: 3, schema: { type: 'string' } }, '$.default'],
  ])('refuses %j', (args, path) => {
    expect(issues('clarify', args).map(([where]) => where)).toEqual([path]);
  });

  test('ends a list of steps, as a respond does', () => {
    const steps = [{ context_key: 'what', capability: 'clarify', task_objective: 'Say which field is meant' }];
    const compiled = compilePlan({ goal: 'g', steps }, { catalogue: registry });
    expect(compiled).toMatchObject({
      ok: true,
      warnings: [],
      executors: { node_1: { name: 'clarify', effect: 'read' } },
    });
  });
});
