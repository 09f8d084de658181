/** Names of results in every notation that models write: read with an edge, or an error; never words that are used. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan, validateStep, type CompileResult } from '../../src/plan/index.ts';
import { RUNS } from './arbitraries.ts';

/** Each is the whole result of the step `key`, which is the first of its list. */
const WHOLE: readonly ((key: string) => string)[] = [
  (key) => `{{${key}}}`,
  (key) => `{{ ${key}.output }}`,
  (key) => `{{steps.${key}.result}}`,
  (key) => `\${{ steps.${key}.outputs.result }}`,
  (key) => `{{#${key}.output#}}`,
  (key) => `{{ ti.xcom_pull(task_ids='${key}') }}`,
  (key) => `{{ steps["${key}"].output }}`,
  (key) => `{{ $${key} }}`,
  (key) => `\${${key}}`,
  (key) => `\${${key}.output}`,
  (key) => `$(tasks.${key}.output)`,
  (key) => `{${key}}`,
  (key) => `{${key}.result}`,
  (key) => `$${key}`,
  (key) => `$.${key}`,
  (key) => `$${key}.output`,
  (key) => `@{outputs('${key}')}`,
  (key) => `#{${key}.output}`,
  (key) => `<${key}.output>`,
  (key) => `[[${key}]]`,
  (key) => `steps.${key}.output`,
  (key) => `step:${key}.output`,
  (key) => `<%= ${key}.output %>`,
  (key) => `{{result_from_step_${key}}}`,
  (key) => `$[ ${key}.output ]`,
  (key) => `((${key}.result))`,
  (key) => `<<${key}>>`,
  (key) => `[${key}.output]`,
  (key) => `%${key}.output%`,
  (key) => `{{ ref('${key}') }}`,
  (key) => `{{${key}_result}}`,
  (key) => `$result_of_${key}`,
  (key) => `steps["${key}"].output`,
  (key) => `state['${key}']`,
  (key) => `output_of_step_${key}`,
  (key) => `#/steps/${key}/output`,
  (key) => `result_from_step_${key}`,
  (key) => `RESULT_FROM_STEP_${key}`,
  (key) => `result-from-step-${key}`,
  (key) => `resultFromStep_${key}`,
  () => '{{1}}',
  () => '${1}',
  () => '#E1',
  () => '$step_1.output',
  () => '<resource-1>',
  () => '<GENERATED>-1',
];
const PATHS: readonly ((key: string) => string)[] = [
  (key) => `{{${key}.amount}}`,
  (key) => `{{steps.${key}.result.text}}`,
  (key) => `\${{ steps.${key}.outputs.x }}`,
  (key) => `{{tasks.${key}.outputs.parameters.x}}`,
  (key) => `{{${key}[0]}}`,
  (key) => `{{ ${key} | upper }}`,
  (key) => `\${${key}.rows}`,
  (key) => `$${key}.amount`,
  (key) => `$.${key}.amount`,
  (key) => `$node["${key}"].json`,
  (key) => `$('${key}').item.json`,
  (key) => `result_from_step_${key}.amount`,
  (key) => `{{ ${key} | tojson }}`,
  (key) => `$[${key}.amount]`,
  (key) => `((${key}.amount))`,
  (key) => `state['${key}']['amount']`,
  (key) => `%(${key})s`,
];
const OBJECTS: readonly ((key: string) => unknown)[] = [
  (key) => ({ from_step: key }),
  (key) => ({ fromStep: key }),
  (key) => ({ step: key }),
  (key) => ({ $ref: key }),
  (key) => ({ $ref: `#/steps/${key}` }),
  (key) => ({ result_of: key }),
];

const KEYS = ['find', 'step_7', 'a-b', 'genes'];
const DIALECTS: Readonly<Record<string, (key: string, value: unknown, words: string) => unknown>> = {
  steps: (key, value, words) => ({
    goal: 'g',
    steps: [
      { context_key: key, task_objective: 'First' },
      { context_key: 'last', task_objective: words, parameters: { x: value } },
    ],
  }),
  calute: (key, value, words) => ({
    objective: 'g',
    steps: [
      { step_id: key, agent: 'A', action: 'first' },
      { step_id: 'last', agent: 'B', action: 'second', description: words, arguments: { x: value } },
    ],
  }),
  nodes: (key, value, words) => ({
    goal: 'g',
    nodes: [
      { id: key, task: 'First' },
      { id: 'last', task: words, arguments: { x: value } },
    ],
  }),
  yaml: (key, value, words) =>
    `goal: g\nsteps:\n  - { context_key: "${key}", task_objective: First }\n  - { context_key: last, task_objective: ${JSON.stringify(words)}, parameters: { x: ${JSON.stringify(value)} } }\n`,
  xml: (key, value, words) =>
    `<plan><objective>g</objective><step id="${key}"><action>First</action></step><step id="last"><action>${escaped(words)}</action><arguments>${escaped(JSON.stringify({ x: value }))}</arguments></step></plan>`,
};

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function outcomeOf(result: CompileResult) {
  const issues = result.ok ? result.warnings : result.issues;
  const second = result.ok ? result.plan.tasks[1]! : undefined;
  const codes = issues.map(({ code }) => code).filter((code) => /reference/.test(code));
  return { ok: result.ok, edge: second?.dependsOn, x: (second?.arguments as { x: unknown } | undefined)?.x, codes };
}

const dialect = fc.constantFrom(...Object.keys(DIALECTS));
const key = fc.constantFrom(...KEYS);
const compiled = (of: string, name: string, value: unknown, words = 'Second') =>
  outcomeOf(compilePlan(DIALECTS[of]!(name, value, words)));

describe('in arguments', () => {
  test('the whole value is replaced, with its edge, and a foreign notation with a warning', () => {
    const whole = fc.constantFrom(...WHOLE, ...OBJECTS);
    const nest = fc.constantFrom<(value: unknown) => unknown>(
      (value) => value,
      (value) => [value, 7],
      (value) => ({ deep: [{ y: value }] }),
    );
    fc.assert(
      fc.property(dialect, key, whole, nest, (of, name, notation, nested) => {
        const written = notation(name);
        const { ok, edge, x, codes } = compiled(of, name, nested(written));
        const isOwn = written === `result_from_step_${name}`;
        expect({ written, ok, edge, x, codes }).toEqual({
          ...{ written, ok: true, edge: ['node_1'], x: nested(`result_from_step_${name}`) },
          codes: isOwn ? [] : ['foreign-reference'],
        });
      }),
      RUNS,
    );
  });

  test('a part of a result, or a result inside a text or in a key, is an error', () => {
    const broken = fc.oneof(
      fc.constantFrom(...PATHS),
      fc
        .constantFrom(...WHOLE.filter((notation) => !/^(?:\{\{)?\$a|^[@<]/.test(notation('a'))))
        .map((notation) => (name: string) => `Ann owes ${notation(name)} EUR`),
      fc.constantFrom(...WHOLE.slice(0, 4)).map((notation) => (name: string) => ({ [notation(name)]: 1 })),
      fc
        .constantFrom(...OBJECTS)
        .map((notation) => (name: string) => ({ ...(notation(name) as object), path: 'amount' })),
    );
    fc.assert(
      fc.property(dialect, key, broken, (of, name, make) => {
        const { ok, codes } = compiled(of, name, make(name));
        expect({ written: make(name), ok, codes }).toMatchObject({ ok: false, codes: ['unread-reference'] });
      }),
      RUNS,
    );
  });

  test.each<[unknown, codes: readonly string[], ok?: boolean]>([
    ['$1', ['unread-reference'], false],
    ['@find', ['unread-reference'], false],
    ['%find%', ['unread-reference'], false],
    ['<find>', ['unread-reference'], false],
    ['{1}', ['unread-reference'], false],
    ['steps[0].output', ['unread-reference'], false],
    ['Ann owes {{steps[1].output}}', ['unread-reference'], false],
    ['<nobody.output>', ['unknown-reference'], false],
    ['$[nobody]', ['unread-reference']],
    ['((nobody))', ['unread-reference']],
    ['<<nobody>>', ['unread-reference']],
    ['{{ vars.nobody }}', ['unread-reference']],
    ['{{item}}', ['unread-reference'], false],
    ['{{previous_output}}', ['unread-reference'], false],
    ['{{ $json.x }}', ['unread-reference'], false],
    ['{{steps.nobody.output}}', ['unknown-reference'], false],
    [{ from_step: 'nobody' }, ['unknown-reference'], false],
    ['Dear {{name}}', ['unread-reference']],
    ['{{name}}', ['unread-reference']],
    ['the output of step find', ['unread-reference']],
    ['$1 a piece', []],
    ['$1.50', []],
    ['$99', []],
    ['@find said so', []],
    ['ann@find.com', []],
    ['#E1E1E1', []],
    ['#E9', []],
    ['$HOME', []],
    ['${HOME}/x', []],
    ['x{1}', []],
    ['<b>bold</b>', []],
    [{ from: 'find', to: 'ann' }, []],
    [{ $ref: '#/definitions/x' }, []],
    ['find', []],
    ["name like '%find%'", []],
    ['%PATH%', []],
    ['$(date)', []],
    ['x = results[0]', []],
    ['$.store.result', []],
    ['[find]', []],
    ['/find', []],
    ['100 % of it', []],
    [1, []],
  ])('%j', (value, codes, ok = true) => {
    for (const of of ['steps', 'calute', 'nodes', 'yaml'])
      expect(compiled(of, 'find', value)).toMatchObject({ ok, codes, ...(ok && { x: value, edge: [] }) });
  });

  test('"$1" alone shows both spellings', () => {
    const result = compilePlan(DIALECTS['steps']!('find', '$1', 'Second'));
    const words = result.ok ? '' : result.issues.map(({ message }) => message).join();
    expect(words).toMatch(/"result_from_step_find".*"\$1 USD"/);
  });
});

test('in words for a reader the name stays, and the result is among the inputs', () => {
  fc.assert(
    fc.property(dialect, key, fc.constantFrom(...WHOLE, ...PATHS), (of, name, notation) => {
      const words = `Write ${notation(name)} down`;
      const result = compilePlan(DIALECTS[of]!(name, 1, words));
      expect({ words, ...outcomeOf(result) }).toMatchObject({
        ok: true,
        edge: notation('x').startsWith('@x') ? [] : ['node_1'],
      });
      expect(JSON.stringify(result)).toContain(JSON.stringify(words).slice(1, -1));
    }),
    RUNS,
  );
});

test('words such as "the output of step a" count where the step comes before', () => {
  expect(compiled('steps', 'find', 1, 'Write the output of step find')).toMatchObject({ edge: ['node_1'], codes: [] });
  expect(compiled('steps', 'find', 1, 'Write the output of step last')).toMatchObject({
    ok: true,
    edge: [],
    codes: [],
  });
});

describe('in a tree', () => {
  const tree = (more: object) => ({
    goal: 'g',
    plan: { operator: 'MINUS', left: { id: 'find', task: 'Find' }, right: { task: 'Second', ...more } },
  });

  test('every notation is an error that names "input"', () => {
    const value = fc.constantFrom(
      ...WHOLE.slice(0, -6),
      ...PATHS,
      ...OBJECTS,
      () => '{{left}}',
      () => '{{input.x}}',
    );
    const at = fc.constantFrom('arguments', 'context');
    fc.assert(
      fc.property(value, at, (notation, field) => {
        const result = compilePlan(tree({ [field]: { x: notation('find') } }));
        const [issue] = result.ok ? [] : result.issues;
        expect({ written: notation('find'), code: issue?.code }).toMatchObject({ code: 'unread-reference' });
        expect(issue?.message).toMatch(/"input"/);
      }),
      RUNS,
    );
  });

  test('words may name the input of the task, and nothing else', () => {
    const input = { id: 'own', task: 'Own' };
    for (const task of ['Use {{own}}', 'Use {{input}}'])
      expect(compilePlan(tree({ task, input }))).toMatchObject({ ok: true, warnings: [] });
    for (const task of ['Use {{find.output}}', 'result_from_step_9'])
      expect(compilePlan(tree({ task, input }))).toMatchObject({ ok: false, issues: [{ code: 'unread-reference' }] });
    expect(compilePlan(tree({ arguments: { x: '{{name}}' } }))).toMatchObject({
      ok: true,
      warnings: [{ code: 'unread-reference' }],
    });
  });
});

describe('one step of a loop', () => {
  const step = (x: unknown) => ({ context_key: 'step_3', capability: 'c', task_objective: 'T', parameters: { x } });

  test.each(['step_1', '{{step_1.output}}', '$step_1', 'result_from_step_1', 'result_from_step_step_1'])(
    '%s is the result of an earlier step',
    (written) => {
      const result = compilePlan(
        { goal: 'g', steps: [step(written)] },
        { isStep: true, contextKeys: ['step_1', 'genes'] },
      );
      expect(result.ok && result.plan.tasks).toMatchObject([
        { arguments: { x: 'result_from_step_step_1' }, externalInputs: ['step_1'] },
      ]);
      const checked = validateStep(step(written), { steps: ['step_1'] });
      expect(checked.ok && checked.step.inputs).toEqual(['step_1']);
    },
  );

  test('what no step gave is an error', () => {
    const result = compilePlan(
      { goal: 'g', steps: [step('result_from_step_9')] },
      { isStep: true, contextKeys: ['step_1'] },
    );
    expect(result).toMatchObject({ ok: false, issues: [{ code: 'unknown-reference' }] });
  });
});

test('steps are found by their title, their name or the name of their result', () => {
  const first = { step_id: 's1', title: 'Read the notes', output: '$notes', capability: 'read', args: { name: 'x' } };
  const inputs: readonly object[] = [
    { depends_on: ['Read the notes'] },
    { dependencies: ['$notes'] },
    { inputs: ['{{s1.output}}'] },
    { arguments: { x: '{{notes}}' } },
    { arguments: { x: '{{s1.notes}}' } },
  ];
  for (const more of inputs) {
    const result = compilePlan({ goal: 'g', steps: [first, { id: 's2', task: 'Second', ...more }] });
    expect(result.ok && result.plan.tasks.slice(0, 2)).toMatchObject([
      { task: 'Read the notes' },
      { contextKey: 's2', dependsOn: ['node_1'] },
    ]);
  }
});

test('a call with arguments and without words does what its capability says; without arguments it says nothing', () => {
  const bare = { step_id: 1, tool: 'read', args: { name: 'x' } };
  expect(compilePlan({ goal: 'g', steps: [bare] })).toMatchObject({
    ok: true,
    plan: { tasks: [{ task: 'read' }, {}] },
  });
  expect(compilePlan({ goal: 'g', steps: [{ step_id: 1, tool: 'read' }] })).toMatchObject({ ok: false });
});
