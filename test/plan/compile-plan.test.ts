import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ISSUE_CODES, compilePlan, renderTree } from '../../src/plan/index.ts';
import { combine, compiled, task } from './example-plans.ts';
import { expectGolden } from './golden.ts';
import { invalidPlans, validPlans } from './plan-fixtures.ts';
import { compiledPlan } from '../support/plans.ts';

const invalid = invalidPlans();
const PLAN = new URL('../../dist/plan/index.js', import.meta.url).href;

describe('invalid documents', () => {
  test.each(invalid)('$name', ({ document, options, expected }) => {
    const result = compilePlan(document, options);
    if (result.ok) throw new Error('It compiled.');
    expect(sorted(result.issues.map(({ code, path }) => ({ code, path })))).toEqual(sorted(expected));
    for (const issue of result.issues) {
      expect(issue.message).toMatch(/^\S.*[.)]$/);
      expect(JSON.parse(JSON.stringify(issue))).toEqual(issue);
    }
  });

  test('every code that a document can have is shown by a fixture', () => {
    const shown = new Set(invalid.flatMap(({ expected }) => expected.map(({ code }) => code)));
    // Text cannot be an object with getters, a merged node is told only of a plan that compiles, what cannot run compiles, and
    // values from outside come beside a document, and only a project's own capabilities say which arguments they know and what they write to.
    const elsewhere = [
      'compiler-fault',
      'not-json',
      'unknown-argument',
      'unread-context',
      'too-large-to-run',
      'unknown-resource',
      'not-a-set',
      'failed-before',
      'merged-node',
    ];
    expect(ISSUE_CODES.filter((code) => !shown.has(code))).toEqual(elsewhere);
  });
});

describe('valid documents', () => {
  test('each has the digest that it had', () => {
    const digests = validPlans().map(({ name, text }) => {
      const result = compilePlan(text);
      return [name, result.ok ? result.plan.digest : result.issues];
    });
    expectGolden('../plans/valid/digests.json', JSON.stringify(Object.fromEntries(digests), null, 2));
  });

  test.each(validPlans())('$name', ({ text }) => {
    const result = compiledPlan(text);
    expect(result.warnings.filter(({ severity }) => severity !== 'note')).toEqual([]);
    // A parsed document has no lines.
    const withoutLines = result.warnings.map(({ line: _line, column: _column, ...issue }) => issue);
    expect(compilePlan(JSON.parse(text))).toEqual({ ...result, warnings: withoutLines });
    expect(compilePlan(new TextEncoder().encode(text))).toEqual(result);
  });

  test('a plan is the same after a journey through JSON', () => {
    const plan = compiled(combine('UNION', task('A', { context: { b: 1 } }), task('B')));
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});

describe('issues', () => {
  test('a syntax fault has its line and column, and a remedy', () => {
    const result = compilePlan('{\r\n  "goal": 01,\r\n  "plan": { "task": "A" },\r\n}');
    expect(result).toMatchObject({ ok: false, issues: [{ code: 'invalid-json', line: 2, column: 12 }] });
    const broken = compilePlan('{\r\n  "goal": "x",\r\n  "plan": { "task": "A", "context": [1, 2} }\r\n}');
    expect(broken).toMatchObject({ ok: false, issues: [{ line: 3, column: 42, expected: 'comma expected' }] });
  });

  test('every problem of a text has the line and column of its key, or of the nearest one that is there', () => {
    const text =
      'Plan:\n{ "goal": "x",\n  "plan": { "op": "NO_OPERATOR",\n    "inputs": [\n      { "task": " ", "a": 1 },\n      5 ], "\\u0068int": 1 } }';
    const result = compilePlan(text);
    expect(result.ok ? [] : result.issues.map(({ code, path, line, column }) => [code, path, line, column])).toEqual([
      ['surrounding-text', '$', 1, 1],
      ['unknown-key', '$.plan.hint', 6, 12],
      ['unknown-operator', '$.plan.op', 3, 13],
      ['unknown-key', '$.plan.inputs[0].a', 5, 22],
      ['missing-task', '$.plan.inputs[0].task', 5, 9],
      ['not-a-node', '$.plan.inputs[1]', 6, 7],
    ]);
  });

  test('the byte order mark does not count in the column', () => {
    const result = compilePlan('\uFEFF{"goal":"x","plan":{"task":"A"}}');
    expect(result).toMatchObject({ ok: true, warnings: [{ code: 'surrounding-text', severity: 'warning' }] });
    expect(compilePlan('\uFEFF}')).toMatchObject({ issues: [{}, { code: 'invalid-json', line: 1, column: 1 }] });
  });

  test('Pathfinder: the id of the document is echoed and not stored', () => {
    const result = compilePlan({ goal: 'x', plan: { id: 'mine', task: 'A', hint: [] } });
    expect(result).toMatchObject({ ok: false, issues: [{ nodeId: 'mine', path: '$.plan.hint' }] });
    expect(compiled({ id: 'mine', task: 'A' })).toEqual(compiled({ task: 'A' }));
  });

  test('names are suggested', () => {
    const suggestions = [
      [{ type: 'taks', task: 'A' }, 'task'],
      [{ task: 'A', contxt: {} }, 'context'],
      [combine('INTERSEKT', task('A'), task('B')), 'INTERSECT'],
      [combine('COLOCATE', task('A'), task('B'), { strand: 'opposit' }), 'opposite'],
    ] as const;
    for (const [plan, name] of suggestions) {
      const result = compilePlan({ goal: 'x', plan });
      const messages = (result.ok ? result.warnings : result.issues).map(({ message }) => message);
      expect(messages.join()).toContain(`Did you mean "${name}"?`);
    }
  });

  test('notes are counted apart: 150 merged nodes are 100 notes and a count', () => {
    let root = task('A');
    for (let level = 0; level < 150; level++) root = combine('UNION', root, task('A'));
    const result = compiledPlan({ goal: 'x', plan: root });
    expect(result.warnings).toHaveLength(101);
    expect(result.warnings.filter(({ code }) => code === 'merged-node')).toHaveLength(100);
    expect(result.warnings.at(-1)).toMatchObject({
      code: 'more-issues',
      severity: 'note',
      message: expect.stringMatching(/^50 more notes/),
    });
  });

  test('errors take the places of warnings', () => {
    const noisy = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`key${index}`, 1]));
    let root: unknown = { ...task(''), ...noisy };
    for (let level = 0; level < 119; level++) root = { ...task(''), input: root };
    const result = compilePlan({ goal: 'x', plan: root });
    if (result.ok) throw new Error('It compiled.');
    expect(result.issues).toHaveLength(101);
    expect(result.issues.slice(0, 100).every(({ code }) => code === 'missing-task')).toBe(true);
    expect(result.issues[100]).toMatchObject({
      code: 'more-issues',
      severity: 'error',
      message: expect.stringMatching(/^20 more errors, 150 more warnings /),
    });
  });
});

describe('a document that is only the root node of a tree', () => {
  const goal = 'Find targets';
  const root = combine('UNION', task('A'), task('B'));

  test.each<[string, unknown]>([
    ['parsed', root],
    ['as text', JSON.stringify(root)],
    ['as bytes', new TextEncoder().encode(JSON.stringify(root))],
    ['without a type', { task: 'A' }],
  ])('%s, has the goal that is given', (_, document) => {
    const result = compiledPlan(document, { goal });
    expect(result.plan.goal).toBe(goal);
    expect(result.warnings).toEqual([]);
    expect(compilePlan(document)).toMatchObject({ ok: false });
  });

  test.each<[string, unknown]>([
    ['a tree', { goal: 'own', plan: root }],
    ['steps', { goal: 'own', steps: [] }],
    ['XML', '<plan><objective>own</objective></plan>'],
  ])('and a whole document keeps its own: %s', (_, document) => {
    expect(compilePlan(document, { goal })).toMatchObject({ ok: true, plan: { goal: 'own' } });
  });

  test('and what is neither is told as what it is', () => {
    expect(compilePlan([root], { goal })).toMatchObject({ ok: false, issues: [{ code: 'unknown-format' }] });
    expect(compilePlan({ plan: root }, { goal })).toMatchObject({ ok: false, issues: [{ code: 'missing-goal' }] });
    expect(compilePlan({ type: 'join' }, { goal })).toMatchObject({ ok: false, issues: [{ path: '$.plan.type' }] });
  });
});

describe('limits', () => {
  const chain = (levels: number): unknown => {
    let root = task('1');
    for (let level = 2; level <= levels; level++) root = task(String(level), { input: root });
    return root;
  };

  test('the depth limit is inclusive', () => {
    expect(compilePlan({ goal: 'x', plan: chain(64) }, { limits: { depth: 64 } }).ok).toBe(true);
    expect(compilePlan({ goal: 'x', plan: chain(65) }, { limits: { depth: 64 } })).toMatchObject({
      issues: [{ code: 'too-deep' }],
    });
  });

  test('nodes are counted before they are merged', () => {
    const plan = combine('UNION', task('A'), task('A'));
    expect(compilePlan({ goal: 'x', plan }, { limits: { nodes: 3 } }).ok).toBe(true);
    expect(compilePlan({ goal: 'x', plan }, { limits: { nodes: 2 } })).toMatchObject({
      issues: [{ code: 'too-many-nodes' }],
    });
  });

  test.each([
    ['below each other', (below: string) => `{"task":"A","input":${below}}`],
    ['in lists', (below: string) => `{"operator":"OR","inputs":[${below},{"task":"B"}]}`],
  ])('1,000 levels compile and are shown, %s; one more is refused, whatever the limits', (_, above) => {
    let plan = '{"task":"C"}';
    for (let level = 1; level < 1_000; level++) plan = above(plan);
    const result = compiledPlan(`{"goal":"x","plan":${plan}}`);
    expect(renderTree(result.plan, { words: 'none' }).split('\n').length).toBeGreaterThanOrEqual(1_000);
    expect(compilePlan(`{"goal":"x","plan":${above(plan)}}`, { limits: { depth: 5_000 } })).toMatchObject({
      issues: [{ code: 'too-deep' }],
    });
  });

  test('1,000 levels fit half the default stack', () => {
    const script = `
      import { compilePlan, decodePlan, encodePlan, planDocument, renderTree } from ${JSON.stringify(PLAN)};
      let plan = '{"task":"C"}';
      for (let level = 1; level < 1000; level++) plan = '{"operator":"OR","inputs":[' + plan + ',{"task":"B"}]}';
      const compiled = compilePlan('{"goal":"x","plan":' + plan + '}');
      renderTree(compiled.plan);
      console.log(decodePlan(encodePlan(compiled.plan)).ok, compilePlan(planDocument(compiled.plan)).ok);
    `;
    const flags = ['--stack-size=492', '--input-type=module', '-e', script];
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' })).toBe('true true\n');
  });

  test('the path of a deep problem is shortened in its middle', () => {
    let root: unknown = { type: 'task' };
    for (let level = 0; level < 999; level++) root = task(String(level), { input: root });
    const result = compilePlan({ goal: 'x', plan: root });
    if (result.ok) throw new Error('It compiled.');
    expect(result.issues[0]!.path).toMatch(/^\$\.plan\.input\.input.*….*\.input\.input$/);
    expect(result.issues[0]!.path.length).toBeLessThanOrEqual(200);
  });

  test('a document counts its bytes, not its characters', () => {
    const text = JSON.stringify({ goal: 'é'.repeat(100), plan: { task: 'A' } });
    expect(compilePlan(text, { limits: { bytes: text.length + 100 } }).ok).toBe(true);
    expect(compilePlan(text, { limits: { bytes: text.length + 99 } })).toMatchObject({
      issues: [{ code: 'too-large' }],
    });
  });
});

function sorted(issues: readonly { readonly code: string; readonly path: string }[]): readonly string[] {
  return issues.map(({ code, path }) => `${code} ${path}`).sort();
}
