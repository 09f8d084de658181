import { describe, expect, test } from 'vitest';
import { compilePlan } from '../../../src/plan/index.ts';
import { exampleCatalogue } from '../example-catalogue.ts';
import type { CompileOptions, CompiledPlan, TaskNode } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

type Fields = { readonly [key: string]: unknown };

const search = (context_key: string, rest: Fields = {}): Fields => ({
  context_key,
  capability: 'search',
  task_objective: 'Search',
  ...rest,
});
const act = (step_id: number | string, rest: Fields = {}): Fields => ({
  step_id,
  agent: 'Writer',
  action: 'write',
  ...rest,
});
const answer: Fields = { context_key: 'answer', capability: 'respond', task_objective: 'Answer' };

const compiledSteps = (steps: readonly unknown[], options: CompileOptions = {}): CompiledPlan =>
  compiledPlan({ goal: 'g', steps }, options).plan;

function codesOf(document: unknown, options: CompileOptions = {}): readonly string[] {
  const result = compilePlan(document, options);
  return (result.ok ? result.warnings : result.issues).map(({ code, path }) => `${code} ${path}`);
}

const inputsOf = ({ tasks }: CompiledPlan): readonly (readonly string[])[] => tasks.map(({ dependsOn }) => dependsOn);

describe('what a step becomes', () => {
  test('Osprey: a planned step keeps all of its fields', () => {
    const step = search('a', {
      expected_output: 'WEATHER',
      success_criteria: 'It is there',
      parameters: { days: 3 },
      inputs: [],
    });
    expect(compiledSteps([step, answer]).tasks[0]).toEqual({
      id: 'node_1',
      key: expect.stringMatching(/^[\w-]{43}$/),
      kind: 'task',
      task: 'Search',
      capability: 'search',
      contextKey: 'a',
      expectedOutput: 'WEATHER',
      successCriteria: 'It is there',
      arguments: { days: 3 },
      dependsOn: [],
    });
  });

  test('Calute: a plan step keeps all of its fields, and its id is its key', () => {
    const step = act(7, { arguments: { topic: 'AI' }, dependencies: [], description: 'Write it' });
    expect(compiledSteps([step, answer]).tasks[0]).toMatchObject({
      task: 'Write it',
      agent: 'Writer',
      action: 'write',
      description: 'Write it',
      arguments: { topic: 'AI' },
      contextKey: '7',
    });
  });

  test.each<[string, Fields, string]>([
    ['task_objective', { task_objective: 'o', description: 'd', action: 'a' }, 'o'],
    ['description', { task_objective: ' ', description: 'd', action: 'a' }, 'd'],
    ['action', { action: 'a' }, 'a'],
  ])('Osprey, Calute: the task is the %s', (_, fields, text) => {
    expect(compiledSteps([{ context_key: 'k', ...fields }, answer]).tasks[0]!.task).toBe(text);
  });

  test('equal steps stay two steps, each with its key', () => {
    const { tasks } = compiledSteps([search('a'), search('b'), answer]);
    expect(new Set(tasks.map(({ key }) => key)).size).toBe(3);
  });

  test.each<[string, Fields]>([
    ['the context key', { context_key: 'b' }],
    ['the capability', { capability: 'other' }],
    ['the expected output', { expected_output: 'x' }],
    ['the success criteria', { success_criteria: 'x' }],
    ['the action', { action: 'x' }],
    ['the description', { description: 'x' }],
    ['the parameters', { parameters: { a: 1 } }],
    ['an input from outside', { inputs: ['out'] }],
    ['the type of an input', { inputs: [{ T: 'out' }] }],
  ])('%s is part of what a step means', (_, change) => {
    const keys = [{}, change].map(
      (fields) => compiledSteps([search('a', fields), answer], { contextKeys: ['out'] }).tasks[0]!.key,
    );
    expect(keys[0]).not.toBe(keys[1]);
  });

  test('Osprey: a plan without a goal is for what its last step does, with a warning', () => {
    const result = compilePlan({ steps: [search('a'), answer] });
    expect(result).toMatchObject({
      ok: true,
      plan: { goal: 'Answer' },
      warnings: [{ code: 'missing-goal', severity: 'warning' }],
    });
    expect(codesOf({ goal: ' ', steps: [answer] })).toEqual(['missing-goal $.goal']);
    expect(compilePlan({ goal: ' ', steps: [answer] }).ok).toBe(false);
  });

  test('Calute: a step without a key has its position for a key, with a warning', () => {
    const result = compilePlan({ goal: 'g', steps: [{ action: 'a' }, answer] });
    expect(result).toMatchObject({
      ok: true,
      plan: { tasks: [{ contextKey: '1' }, {}] },
      warnings: [{ code: 'missing-step-key', path: '$.steps[0]' }],
    });
  });

  test('a list of steps beside a plan is no list of steps', () => {
    expect(codesOf({ goal: 'g', plan: { task: 'A' }, steps: [] })).toEqual(['unknown-top-level-key $.steps']);
    expect(codesOf({ goal: 'g', plan: null, steps: [answer] })).toEqual([]);
  });
});

describe('inputs', () => {
  test('Osprey: keys and { TYPE: key } are both checked, and types are kept', () => {
    const plan = compiledSteps([search('a'), search('b', { inputs: ['a', { PVS: 'out', TIME: 'a' }] }), answer], {
      contextKeys: ['out', 'unused'],
    });
    expect(plan.tasks[1]).toMatchObject({
      dependsOn: ['node_1'],
      inputTypes: { out: 'PVS', a: 'TIME' },
      externalInputs: ['out'],
    });
    expect(plan.external).toEqual(['out']);
  });

  test('Osprey: a key of nothing is refused with the keys that there are', () => {
    const result = compilePlan(
      { goal: 'g', steps: [search('weather'), search('b', { inputs: [{ T: 'wether' }] }), answer] },
      { contextKeys: ['out'] },
    );
    expect(result).toMatchObject({
      ok: false,
      issues: [
        {
          code: 'unknown-reference',
          path: '$.steps[1].inputs[0].T',
          expected: ['weather', 'out'],
          message: expect.stringContaining('Did you mean "weather"?'),
        },
      ],
    });
  });

  test('the key of an earlier step goes before one from outside, and that before a later step', () => {
    const steps = [search('a', { inputs: ['b'] }), search('b'), search('c', { inputs: ['b'] }), answer];
    const plan = compiledSteps(steps, { contextKeys: ['b'] });
    expect(plan.tasks.map(({ dependsOn, externalInputs }) => [dependsOn, externalInputs]).slice(0, 3)).toEqual([
      [[], ['b']],
      [[], undefined],
      [['node_2'], undefined],
    ]);
    expect(codesOf({ goal: 'g', steps })).toEqual(['forward-reference $.steps[0].inputs[0]']);
  });

  test('Calute: dependencies name steps only, numbers and texts alike', () => {
    expect(inputsOf(compiledSteps([act(1), act('x'), act(3, { dependencies: ['x', 1, '1'] }), answer]))[2]).toEqual([
      'node_1',
      'node_2',
    ]);
    expect(
      codesOf({ goal: 'g', steps: [act(1, { dependencies: ['out'] }), answer] }, { contextKeys: ['out'] }),
    ).toEqual(['unknown-reference $.steps[0].dependencies[0]']);
  });

  test('one result under two types is refused', () => {
    expect(
      codesOf({ goal: 'g', steps: [search('a'), search('b', { inputs: [{ T: 'a' }, { U: 'a' }] }), answer] }),
    ).toEqual(['ignored-key $.steps[1].inputs[1].U', 'invalid-inputs $.steps[1].inputs[1].U']);
  });

  test('names with a meaning in JavaScript are ordinary names', () => {
    const plan = compiledSteps([
      search('constructor'),
      search('toString', { inputs: [{ ['__proto__']: 'constructor' }] }),
      answer,
    ]);
    expect(plan.tasks[1]!.inputTypes).toEqual({ constructor: '__proto__' });
  });

  test('Calute: every reference of a circle says which steps it has', () => {
    const steps = Array.from({ length: 100 }, (_, index) => search(`k${index}`, { inputs: [`k${(index + 1) % 100}`] }));
    const result = compilePlan({ goal: 'g', steps: [...steps, answer] });
    if (result.ok) throw new Error('It compiled.');
    expect(new Set(result.issues.map(({ code }) => code))).toEqual(new Set(['cyclic-reference']));
    expect(result.issues[0]!.message).toContain('"k0", then "k1"');
  });
});

describe('references in texts', () => {
  test('Calute: result_from_step_N adds the dependency, inside a text and deep in the arguments', () => {
    const steps = [
      act(1),
      act(2),
      act(3, { action: 'use result_from_step_1 please', arguments: { a: [{ b: 'result_from_step_2' }] } }),
      answer,
    ];
    expect(inputsOf(compiledSteps(steps))[2]).toEqual(['node_1', 'node_2']);
  });

  test.each(['task_objective', 'action', 'description', 'expected_output', 'success_criteria'])(
    'Calute: in %s',
    (field) => {
      expect(inputsOf(compiledSteps([act(1), act(2, { [field]: 'of result_from_step_1.' }), answer]))[1]).toEqual([
        'node_1',
      ]);
    },
  );

  test('Calute: N is a step id before it is a position', () => {
    expect(inputsOf(compiledSteps([act(2), act(1), act(9, { action: 'result_from_step_2' }), answer]))[2]).toEqual([
      'node_1',
    ]);
    expect(inputsOf(compiledSteps([act(7), act(8), act(9, { action: 'result_from_step_2' }), answer]))[2]).toEqual([
      'node_2',
    ]);
    expect(
      inputsOf(compiledSteps([search('my-key'), act(9, { action: 'result_from_step_my-key' }), answer]))[1],
    ).toEqual(['node_1']);
  });

  test.each([
    ['result_from_step_9', 'unknown-reference'],
    ['result_from_step_0', 'unknown-reference'],
    ['result_from_step_2', 'self-reference'],
    ['result_from_step_3', 'forward-reference'],
    ['result_from_step_N', 'unknown-reference'],
  ])('%s is a %s', (text, code) => {
    expect(codesOf({ goal: 'g', steps: [act('a'), act('b', { arguments: { q: text } }), act('c'), answer] })).toEqual([
      `${code} $.steps[1].arguments.q`,
    ]);
  });

  test('Calute: an argument that is exactly a reference is not checked as what it is now', () => {
    const catalogue = exampleCatalogue({
      capabilities: ['search', 'respond'],
      agents: [],
      problems: [['q'], ['r'], ['q', 0], ['s']],
    });
    const steps = [
      search('a'),
      search('b', { parameters: { q: ' result_from_step_a ', r: 'see above', s: 'result_from_step_a' } }),
    ];
    const result = compilePlan({ goal: 'g', steps }, { catalogue });
    const paths = result.ok
      ? []
      : result.issues.filter(({ path }) => path.startsWith('$.steps[1]')).map(({ path }) => path);
    expect(paths).toEqual(['$.steps[1].parameters.q', '$.steps[1].parameters.r', '$.steps[1].parameters.q[0]']);
  });
});

describe('the end of the list', () => {
  test.each([['respond'], ['Clarify'], ['RESPOND'], [' respond ']])(
    'Osprey: %j ends it, and gets all results',
    (capability) => {
      const plan = compiledSteps([search('a'), search('b'), { ...answer, capability, inputs: ['b'] }]);
      expect(plan.tasks).toHaveLength(3);
      expect(plan.tasks[2]).toMatchObject({
        capability: capability.trim().toLowerCase(),
        dependsOn: ['node_1', 'node_2'],
      });
      expect(plan.root).toBe('node_3');
    },
  );

  test('Osprey: a list ends with respond or clarify: anything else gets a respond, with a warning, under a key of its own', () => {
    const result = compilePlan({ goal: 'g', steps: [search('user_response'), search('b')] });
    expect(result).toMatchObject({
      ok: true,
      warnings: [{ code: 'added-respond', severity: 'warning', path: '$.steps[2]' }],
    });
    const added = result.ok ? (result.plan.nodesById[result.plan.root] as TaskNode) : undefined;
    expect(added).toMatchObject({
      capability: 'respond',
      contextKey: 'user_response_2',
      dependsOn: ['node_1', 'node_2'],
    });
  });

  test('Osprey: an empty list is one respond', () => {
    expect(compilePlan({ goal: 'g', steps: [] })).toMatchObject({
      ok: true,
      plan: { tasks: [{ capability: 'respond', dependsOn: [] }] },
      warnings: [{ code: 'added-respond' }],
    });
  });

  test('Osprey: a respond before the end is an ordinary step', () => {
    expect(inputsOf(compiledSteps([search('a'), { ...answer, context_key: 'early' }, answer]))).toEqual([
      [],
      [],
      ['node_1', 'node_2'],
    ]);
  });

  test('Osprey: respond and clarify always exist', () => {
    expect(codesOf({ goal: 'g', steps: [search('a'), answer] }, { capabilities: ['search'] })).toEqual([]);
  });

  test('Osprey: all unknown capabilities are told, with the ones that there are', () => {
    const result = compilePlan(
      { goal: 'g', steps: [search('a', { capability: 'x' }), search('b', { capability: 'y' }), answer] },
      { capabilities: ['search'] },
    );
    expect(result).toMatchObject({
      ok: false,
      issues: [{ got: 'x', expected: ['search', 'respond', 'clarify'] }, { got: 'y' }],
    });
  });
});

test.each<[Fields, Fields, readonly string[]]>([
  [{ complexity: ' HIGH ', estimated_time: 2.5 }, { complexity: 'high', estimatedMinutes: 2.5 }, []],
  [
    { complexity: 'huge', estimated_time: '12' },
    { complexity: 'medium', estimatedMinutes: 12 },
    ['invalid-complexity $.complexity'],
  ],
  [
    { complexity: 3, estimated_time: '30 minutes' },
    { complexity: 'medium', estimatedMinutes: 30 },
    ['invalid-complexity $.complexity', 'invalid-estimate $.estimated_time'],
  ],
  [{ complexity: '', estimated_time: ' ' }, {}, []],
  [{ estimated_time: -1 }, {}, ['invalid-estimate $.estimated_time']],
  [{ estimated_time: 'inf' }, {}, ['invalid-estimate $.estimated_time']],
])('Calute: complexity and estimated time: %j', (fields, expected, codes) => {
  const result = compiledPlan({ goal: 'g', steps: [answer], ...fields });
  const { complexity, estimatedMinutes } = result.plan;
  expect(JSON.parse(JSON.stringify({ complexity, estimatedMinutes }))).toEqual(expected);
  expect(result.warnings.map(({ code, path }) => `${code} ${path}`)).toEqual(codes);
});
