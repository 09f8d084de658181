/** Keys of other systems: what carries meaning is read, with a warning, or refused. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FOREIGN_KEYS, NOTE_KEYS } from '../../src/plan/names.ts';
import { compilePlan, type CompileOptions, type CompileResult } from '../../src/plan/index.ts';
import { readSource } from '../support/source-files.ts';
import { RUNS } from './arbitraries.ts';

const listOf = (more: object) => ({
  goal: 'Test',
  steps: [
    { context_key: 'a', task_objective: 'First' },
    { context_key: 'b', task_objective: 'Second', ...more },
    { context_key: 'end', capability: 'respond', task_objective: 'Answer' },
  ],
});
const treeOf = (more: object) => ({ goal: 'Test', plan: { type: 'task', task: 'Second', ...more } });
const xmlOf = (inside: string) =>
  `<plan><objective>Test</objective><step id="a"><action>First</action></step><step id="b"><action>Second</action>${inside}</step></plan>`;

function second(result: CompileResult) {
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.plan.tasks.find(({ task }) => task === 'Second')!;
}

function errorsOf(document: unknown, options: CompileOptions = {}) {
  const result = compilePlan(document, options);
  return result.ok ? [] : result.issues.filter(({ severity }) => severity === 'error');
}

const READ: readonly (readonly [names: readonly string[], value: unknown, expected: object])[] = [
  [FOREIGN_KEYS.edges.filter((key) => key !== 'dependencies'), ['a'], { dependsOn: ['node_1'] }],
  [FOREIGN_KEYS.edges.filter((key) => key !== 'dependencies'), 'a', { dependsOn: ['node_1'] }],
  [[...FOREIGN_KEYS.arguments, 'params', 'input'], { q: 1 }, { arguments: { q: 1 } }],
  [[...FOREIGN_KEYS.arguments, 'params', 'input'], '{"q":1}', { arguments: { q: 1 } }],
  [FOREIGN_KEYS.executors, 'search', { capability: 'search' }],
  [FOREIGN_KEYS.agents, 'Writer', { agent: 'Writer' }],
];

describe('a name that means one key of ours', () => {
  test.each(READ.flatMap(([names, value, expected]) => names.map((name) => [name, value, expected] as const)))(
    '%s of a step is read: %j',
    (name, value, expected) => {
      const result = compilePlan(listOf({ [name]: value }));
      expect(second(result)).toMatchObject(expected);
      const warnings = result.ok ? result.warnings : [];
      expect(warnings).toMatchObject([{ code: 'unknown-key', severity: 'warning', path: `$.steps[1].${name}` }]);
    },
  );

  test.each<[more: object, expected: object]>([
    [{ args: { q: 1 } }, { arguments: { q: 1 } }],
    [{ tool: 'search' }, { capability: 'search' }],
    [{ inputs: [{ task: 'First' }] }, { dependsOn: ['node_1'] }],
  ])('%j of a tree is read', (more, expected) => {
    expect(second(compilePlan(treeOf(more)))).toMatchObject(expected);
  });

  test.each<[inside: string, expected: object]>([
    ['<depends_on>a</depends_on>', { dependsOn: ['node_1'] }],
    ['<needs>step a</needs>', { dependsOn: ['node_1'] }],
    ['<arguments query="x"/>', { arguments: { query: 'x' } }],
    ['<arguments>{"query":"x"}</arguments>', { arguments: { query: 'x' } }],
    ['<args><q>1</q></args>', { arguments: { q: '1' } }],
    ['<tool>search</tool>', { capability: 'search' }],
  ])('%s is read', (inside, expected) => {
    const result = compilePlan(xmlOf(inside));
    expect(second(result)).toMatchObject(expected);
    expect(result.ok && result.warnings.filter(({ code }) => code !== 'added-respond')).not.toEqual([]);
  });

  test.each(['{"id":12345678901234567890}', '{"a":{"q":1,"q":2}}'])(
    '%s is refused: a number would change, or a key would be lost, in silence',
    (written) => {
      expect(errorsOf(listOf({ args: written }))).toMatchObject([{ code: 'unknown-key', path: '$.steps[1].args' }]);
      expect(errorsOf(xmlOf(`<arguments>${written}</arguments>`))).not.toEqual([]);
    },
  );

  test.each(['needs', 'requires', 'prerequisites'])(
    'sentences under %s that name no step are words about it',
    (key) => {
      for (const said of [['a GPU'], 'two bottles of the buffer'])
        expect(compilePlan(listOf({ [key]: said }))).toMatchObject({
          ok: true,
          warnings: [{ code: 'unknown-key', path: `$.steps[1].${key}` }],
        });
      expect(errorsOf(listOf({ [key]: ['a', 'a GPU'] }))).toMatchObject([{ code: 'unknown-reference' }]);
      expect(errorsOf(listOf({ [key]: ['nobody'] }))).toMatchObject([{ code: 'unknown-reference' }]);
      expect(second(compilePlan(listOf({ [key]: 'step a' })))).toMatchObject({ dependsOn: ['node_1'] });
    },
  );

  test('an issue is told at the key that was written', () => {
    expect(errorsOf(listOf({ needs: ['nobody'] }))).toMatchObject([
      { code: 'unknown-reference', path: '$.steps[1].needs[0]' },
    ]);
  });
});

describe('what could mean two things, or would be lost', () => {
  test.each<[document: unknown, key: string]>([
    [listOf({ dependencies: ['a'], deps: ['b'] }), 'deps'],
    [listOf({ parameters: { q: 1 }, args: { q: 2 } }), 'args'],
    [listOf({ args: { q: 1 }, kwargs: { q: 2 } }), 'kwargs'],
    [listOf({ agent: 'Writer', tool: 'search' }), 'tool'],
    [listOf({ args: 5 }), 'args'],
    [listOf({ function: { name: 'search', arguments: {} } }), 'function'],
    [listOf({ next: { on: ['a'] } }), 'next'],
    [treeOf({ inputs: [{ task: 'A' }, { task: 'B' }] }), 'inputs'],
    [treeOf({ depends_on: ['a'] }), 'depends_on'],
    [treeOf({ left: { task: 'A' } }), 'left'],
    [xmlOf('<arguments>words</arguments>'), 'arguments'],
    [xmlOf('<dependencies on="a"/>'), 'on'],
    [xmlOf('<more><step><action>x</action></step></more>'), 'more'],
    ...FOREIGN_KEYS.nodes.map((key): [unknown, string] => [listOf({ [key]: ['Below'] }), key]),
    ...FOREIGN_KEYS.nodes.map((key): [unknown, string] => [treeOf({ [key]: [{ task: 'Below' }] }), key]),
  ])('%j is refused', (document, key) => {
    const [error] = errorsOf(document);
    expect(error).toMatchObject({ code: 'unknown-key', path: expect.stringMatching(new RegExp(`\\.${key}$`)) });
  });

  test('both of two that differ are shown', () => {
    const [error] = errorsOf(listOf({ dependencies: ['a'], deps: ['b'] }));
    expect(error?.message).toMatch(/"dependencies" is \["a"\] and "deps" is \["b"\]/);
  });

  test('an argument of the capability beside the arguments', () => {
    const catalogue = {
      capabilities: ['search', 'respond'],
      agents: [],
      executor: (kind: 'capability' | 'agent', name: string) => ({ kind, name, version: '1', effect: 'read' }) as const,
      checkArguments: (_: unknown, args: unknown) =>
        Object.keys((args as object | undefined) ?? {})
          .filter((key) => key !== 'query')
          .map((key) => ({ code: 'unknown-argument' as const, path: [key], message: 'It is none.' })),
    };
    const step = (more: object) => listOf({ capability: 'search', ...more });
    const options = { catalogue: { ...catalogue, defaultExecutor: catalogue.executor('capability', 'search') } };
    expect(errorsOf(step({ query: 'x' }), options)).toMatchObject([{ path: '$.steps[1].query' }]);
    expect(errorsOf(step({ colour: 'red' }), options)).toEqual([]);
  });
});

test.each([...NOTE_KEYS, 'x-team'])('%s is a note, whatever it holds', (key) => {
  expect(compilePlan(listOf({ [key]: ['a', { task: 'A' }] }))).toMatchObject({ ok: true });
  expect(compilePlan(treeOf({ [key]: ['a', { task: 'A' }] }))).toMatchObject({ ok: true });
});

test('no key with a value is dropped without an error or a warning', () => {
  const key = fc.oneof(fc.constantFrom(...Object.values(FOREIGN_KEYS).flat()), fc.string({ minLength: 1 }));
  const value = fc.oneof(fc.constantFrom('a', ['a'], { task: 'A' }, [{ task: 'A' }], { q: 1 }), fc.jsonValue());
  fc.assert(
    fc.property(key, value, fc.boolean(), (name, written, isTree) => {
      const plain = isTree ? treeOf({}) : listOf({});
      const result = compilePlan((isTree ? treeOf : listOf)(Object.fromEntries([[name, written]])));
      if (!result.ok || written === null) return;
      const before = compilePlan(plain);
      const isRead = before.ok && before.plan.digest !== result.plan.digest;
      const isEmpty = ['', '{}', '[]'].includes(typeof written === 'string' ? written.trim() : JSON.stringify(written));
      const warned = result.warnings.some(({ path }) => path.startsWith(isTree ? '$.plan' : '$.steps[1]'));
      expect(isRead || isEmpty || warned || name === 'id' || ['context_key', 'task_objective'].includes(name)).toBe(
        true,
      );
    }),
    RUNS,
  );
});

test('the page of keys of other systems has every key of the table', () => {
  const page = readSource('docs/foreign-keys.md');
  const missing = Object.values(FOREIGN_KEYS)
    .flat()
    .filter((key) => !page.includes(`\`${key}\``));
  expect(missing).toEqual([]);
});
