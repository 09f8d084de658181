/** `planwright compile`: plans, issues, formats and limits, offline. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, planwright, type Answer } from './planwright.ts';
import { fileFolder } from '../support/folders.ts';

const folder = fileFolder('compile');
const task = { type: 'task', task: 'Find genes' };
const union = { type: 'combine', operator: 'UNION', left: task, right: { type: 'task', task: 'Find others' } };
const GOOD = JSON.stringify({ goal: 'Find genes', plan: union });

async function compile(
  content: string | Uint8Array,
  ...options: string[]
): Promise<Answer<'compile'> & { readonly code: number }> {
  const { code, stdout } = await planwright(['compile', '-', '-o', 'json', ...options], { stdin: content });
  return { code, ...(JSON.parse(stdout) as Answer<'compile'>) };
}

test('the issues of a text come in the order of its lines', async () => {
  const yaml =
    'goal: g\nsteps:\n  - task_objective: a\n    condition: y\n  - task: b\n    dependencies: [zz]\n    when: x\n';
  const { code, stderr } = await planwright(['compile', '-'], { stdin: yaml });
  const lines = [...stderr.matchAll(/^(?:error|warning)\[[^\]]*\] line (\d+)/gm)].map(([, line]) => Number(line));
  expect([code, lines]).toEqual([3, lines.toSorted((a, b) => a - b)]);
  expect(lines).toEqual(expect.arrayContaining([4, 6, 7]));
});

describe('compile', () => {
  test('answers with the plan, and reads a file as it reads standard input', async () => {
    const file = join(folder, 'good.json');
    writeFileSync(file, GOOD);
    const fromFile = await planwright(['compile', file, '-o', 'json']);
    const { code, ok, plan, warnings } = await compile(GOOD);
    expect({ code, ok, warnings }).toEqual({ code: 0, ok: true, warnings: [] });
    expect(plan).toMatchObject({ version: 1, goal: 'Find genes', root: 'node_3' });
    expect(plan?.digest).toMatch(/^[0-9a-f]{64}$/);
    expect((JSON.parse(fromFile.stdout) as Answer<'compile'>).plan).toEqual(plan);
    expect(fromFile.stderr).toBe('');
  });

  test('as text says in a sentence what the plan gives, between its goal and its nodes', async () => {
    const A = { task: 'Letters of a', capability: 'letters', arguments: { word: 'a' } };
    const plan = { task: 'Order it', capability: 'order', arguments: { item: 'ink' }, input: A };
    const stdin = JSON.stringify({ goal: 'Order ink', plan });
    const { stdout } = await planwright(['compile', '-'], { stdin });
    const sentence = 'It gives the result of "Order it" with the capability "order", given "Letters of\na".';
    expect(stdout).toMatch(`Order ink\n\n${sentence}\n\nnode_2  Order it\n`);
    const known = await planwright(['compile', '-', '--config', CONFIG], { stdin });
    expect(known.stdout).toMatch(/^node_2 ! at-most-once {2}Order it$/m);
    expect(known.stdout).toMatch(/\n1 read, 1 at-most-once: node_2\n$/);
    expect((await compile(stdin)).sentence).toBe(sentence.replace('\n', ' '));
  });

  test('shows what a goal hides, and does not obey it', async () => {
    const goal = 'Order\u001b[2J\u001b]0;ink\u0007 \u202eink';
    const { stdout } = await planwright(['compile', '-'], { stdin: JSON.stringify({ goal, plan: task }) });
    expect(stdout.split('\n')[0]).toBe('Order\\u001b[2J\\u001b]0;ink\\u0007 \\u202eink');
  });

  test('--mermaid prints the diagram alone, and says if Mermaid will not draw it', async () => {
    expect((await planwright(['compile', '-', '--mermaid'], { stdin: GOOD })).stdout).toMatch(/^flowchart /);
    let plan: object = { task: 'first' };
    for (let at = 0; at < 600; at++) plan = { task: `task ${at}`, input: plan };
    const { code, stderr } = await planwright(['compile', '-', '--mermaid'], {
      stdin: JSON.stringify({ goal: 'g', plan }),
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('600 arrows; Mermaid draws 50000 and 500')]);
  });

  test('as text shows goal, tree, digest and counts', async () => {
    const { code, stdout, stderr } = await planwright(['compile', '-'], { stdin: GOOD });
    const { plan } = await compile(GOOD);
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe('Find genes');
    expect(stdout).toMatch(/^node_3 [A-Z]+ {2}every record .*\n├─ node_1 {2}Find genes\n└─ node_2 {2}Find others$/m);
    expect(stdout).toContain(`digest ${plan?.digest}\n3 nodes: 2 tasks, 1 combine`);
    expect(stderr).toBe('');
  });

  test('writes warnings to stderr with their place, and one line of JSON for jsonl', async () => {
    const stdin = JSON.stringify({ goal: 'Find genes', plan: { ...task, why: 'x' } });
    const text = await planwright(['compile', '-'], { stdin });
    expect(text.stderr).toMatch(/^warning\[unknown-key\] line 1, column \d+, \$\.plan\.why: /);
    const { stdout } = await planwright(['compile', '-', '-o', 'jsonl'], { stdin });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect((JSON.parse(stdout) as Answer<'compile'>).warnings?.map(({ code }) => code)).toEqual(['unknown-key']);
    expect((await planwright(['compile', '-', '-o', 'none'], { stdin })).stdout).toBe('');
  });

  test.each([
    ['empty', '', 'empty-document'],
    ['blank', ' \n\t\n', 'empty-document'],
    ['binary', new Uint8Array([0x7b, 0x00, 0xff, 0xfe]), 'not-text'],
    ['truncated', GOOD.slice(0, -20), 'truncated-document'],
    ['no JSON', '{"goal": "a" : }', 'invalid-json'],
    ['a duplicate key', '{"goal":"a","goal":"b","plan":{"task":"x"}}', 'duplicate-key'],
    ['an unknown top-level key', '{"goal":"a","plan":{"task":"x"},"options":{}}', 'unknown-top-level-key'],
    ['an unknown operator', GOOD.replace('UNION', 'NO_OPERATOR'), 'unknown-operator'],
    ['an ambiguous operator', GOOD.replace('UNION', 'LONLY'), 'ambiguous-operator'],
    ['no plan', '{"goal":"a"}', 'missing-plan'],
    ['enormous', `{"goal":"${'a'.repeat(32 * 1024 * 1024)}"}`, 'too-large'],
  ])('a document that is %s is an invalid plan', async (_, content, expected) => {
    const { code, ok, error } = await compile(content);
    expect({ code, ok, error: error?.code }).toEqual({ code: 3, ok: false, error: 'PLAN_INVALID' });
    const errors = error?.issues?.filter(({ severity }) => severity === 'error');
    expect(errors?.map((issue) => issue.code)).toContain(expected);
    for (const issue of error?.issues ?? []) {
      expect(issue).toMatchObject({
        path: expect.stringMatching(/^\$/) as string,
        message: expect.any(String) as string,
      });
    }
  });

  test('Osprey: a step may name external context that --context-keys declares', async () => {
    const stdin = JSON.stringify({
      goal: 'g',
      steps: [{ context_key: 'a', capability: 'x', task_objective: 'do', inputs: ['beam'] }],
    });
    expect((await planwright(['compile', '-'], { stdin })).code).toBe(3);
    const { stdout } = await planwright(['compile', '-', '-o', 'json', '--context-keys', 'beam'], { stdin });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, plan: { external: ['beam'] } });
  });

  test('as text every problem has a line on stderr, with line and column where there is one', async () => {
    const { code, stdout, stderr } = await planwright(['compile', '-'], { stdin: '{\n  "goal": : }' });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/^error\[invalid-json\] line 2, column 11: /);
    expect(stderr).toMatch(/^error\[PLAN_INVALID\]: the plan has 1 problem$/m);
  });

  test('checks names of capabilities and agents', async () => {
    const plan = { ...union, left: { ...task, capability: 'serch' }, right: { task: 'x', agent: 'Bob' } };
    const { code, error } = await compile(
      JSON.stringify({ goal: 'g', plan }),
      '--capabilities',
      'search, rank',
      '--agents',
      'alice',
    );
    expect(code).toBe(3);
    expect(error?.issues).toMatchObject([
      {
        code: 'unknown-capability',
        path: '$.plan.left.capability',
        expected: expect.arrayContaining(['search', 'rank']) as string[],
      },
      { code: 'unknown-agent', path: '$.plan.right.agent', expected: ['alice'] },
    ]);
  });

  test('with a config resolves every task and checks its arguments', async () => {
    const { code, executors } = await compile(GOOD, '--config', CONFIG);
    expect(code).toBe(0);
    expect(executors?.['node_1']).toEqual({ kind: 'capability', name: 'letters', version: '1', effect: 'read' });
    const plan = { task: 'x', capability: 'letters', arguments: { word: 3 } };
    const { error } = await compile(JSON.stringify({ goal: 'g', plan }), '--config', CONFIG);
    expect(error?.issues).toMatchObject([{ code: 'invalid-arguments', path: '$.plan.arguments.word' }]);
  });

  test('reads the config of the folder, as run does', async () => {
    const cwd = join(folder, 'project');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'planwright.config.js'), 'throw new Error("read");');
    const { code, stderr } = await planwright(['compile', '-'], { stdin: GOOD, cwd });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/planwright\.config\.js.*read/s)]);
  });

  test.each([
    ['--max-nodes', '2', 'too-many-nodes'],
    ['--max-depth', '1', 'too-deep'],
  ])('%s %s limits the plan', async (flag, value, expected) => {
    const { code, error } = await compile(GOOD, flag, value);
    expect(code).toBe(3);
    expect(error?.issues?.map((issue) => issue.code)).toContain(expected);
  });
});
