import { describe, expect, test } from 'vitest';
import { compilePlan, readJson } from '../../../src/plan/index.ts';
import type { CompileOptions, CompiledPlan } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

const DOCUMENT = '{"goal":"g","plan":{"task":"A","context":{"x":true,"y":null}}}';
const digest = digestOf(DOCUMENT);

function digestOf(text: string, options: CompileOptions = {}): string {
  return compiledPlan(text, options).plan.digest;
}

function codesOf(text: string, options: CompileOptions = {}): readonly string[] {
  const result = compilePlan(text, options);
  return (result.ok ? result.warnings : result.issues).map(({ code }) => code);
}

describe('text around the document', () => {
  test.each([
    ['prose', `Sure! Here is {the} plan:\n${DOCUMENT}\nTell me if it fits.`],
    ['a fence', `\`\`\`json\n${DOCUMENT}\n\`\`\``],
    ['a fence without an end', `\`\`\`\n${DOCUMENT}`],
    ['a think block with another plan', `<think>\n{"goal":"b","plan":{"task":"B"}}</think>\n${DOCUMENT}`],
    ['a think block whose start was lost', `Let me see.</think>\n${DOCUMENT}`],
    ['a comment with a plan', `<!-- {"goal":"b"} -->${DOCUMENT}`],
    ['a bracket too many', `${DOCUMENT}}`],
  ])('%s is taken off with one warning', (_, text) => {
    expect(codesOf(text)).toEqual(['surrounding-text']);
    expect(digestOf(text)).toBe(digest);
  });

  const XML = '<plan><objective>x</objective></plan>';
  test.each([
    ['another document', `${DOCUMENT}\n${DOCUMENT}`],
    ['another document in XML', `${DOCUMENT}${XML}`],
    ['two in XML', `${XML}${XML}`],
    ['one in JSON behind one in XML', `${XML} Or: ${DOCUMENT}`],
    ['two in XML with words between them', `Draft:\n${XML}\nFinal:\n${XML}\n`],
    ['two in YAML', 'goal: x\nplan: {}\n---\ngoal: y\nplan: {}'],
    ['another list of steps', `${DOCUMENT} and {"steps":[]}`],
    ['one in a block of YAML behind one in JSON', `${DOCUMENT}\nor\n\`\`\`yaml\ngoal: y\nplan: {}\n\`\`\`\n`],
  ])('%s is an error', (_, text) => {
    expect(compilePlan(text).ok).toBe(false);
    expect(codesOf(text)).toEqual(['several-documents']);
  });

  test.each([
    ['whatever it is', `${DOCUMENT}{"model":1}`],
    ['on the next line', `${DOCUMENT}\n[1]`],
  ])('a second value right behind it is an error, %s', (_, text) => {
    expect(codesOf(text)).toEqual(['several-documents']);
    expect(readJson(text)).toMatchObject({ ok: false, reason: expect.stringContaining('more than one') as string });
  });

  test('an object after it that is no plan is text', () => {
    expect(codesOf(`${DOCUMENT} I used {"model": 1}.`)).toEqual(['surrounding-text']);
  });
});

describe('repairs', () => {
  test.each<[string, string, number]>([
    ['a comma too many', '{"goal":"g","plan":{"task":"A","context":{"x":true,"y":null,}}}', 61],
    ['single quotes', `{'goal':"g","plan":{"task":"A","context":{"x":true,"y":null}}}`, 2],
    ['typographic quotes', '{“goal”:"g","plan":{"task":"A","context":{"x":true,"y":null}}}', 2],
    ['missing quotes', '{goal:"g","plan":{"task":"A","context":{"x":true,"y":null}}}', 2],
    ['a missing comma', '{"goal":"g" "plan":{"task":"A","context":{"x":true,"y":null}}}', 13],
    ['a missing colon', '{"goal" "g","plan":{"task":"A","context":{"x":true,"y":null}}}', 9],
    ['a comment', '{/* it */"goal":"g","plan":{"task":"A","context":{"x":true,"y":null}}}', 2],
    ["Python's True", '{"goal":"g","plan":{"task":"A","context":{"x":True,"y":null}}}', 47],
    ["Python's None", '{"goal":"g","plan":{"task":"A","context":{"x":true,"y":None}}}', 56],
  ])('%s: one warning, where it is', (_, text, column) => {
    const result = compiledPlan(text);
    expect(result.plan.digest).toBe(digest);
    expect(result.warnings).toMatchObject([{ code: 'repaired-syntax', severity: 'warning', line: 1, column }]);
  });

  test.each<[string, string, (plan: CompiledPlan) => unknown, unknown]>([
    ['a line break inside a text', '{"goal":"g","plan":{"task":"A\nB"}}', ({ tasks }) => tasks[0]!.task, 'A\nB'],
    [
      'quotes inside a text',
      '{"goal":"g","plan":{"task":"say "hi" to A"}}',
      ({ tasks }) => tasks[0]!.task,
      'say "hi" to A',
    ],
    ['a backslash that escapes nothing', '{"goal":"g","plan":{"task":"A\\_B"}}', ({ tasks }) => tasks[0]!.task, 'A_B'],
  ])('%s is kept, with a warning', (_, text, read, expected) => {
    const result = compilePlan(text);
    expect(result.ok && read(result.plan)).toBe(expected);
    expect(new Set(codesOf(text))).toEqual(new Set(['repaired-syntax']));
  });

  test('the position counts the lines of the whole text', () => {
    expect(compilePlan(`Here:\n\n${DOCUMENT.slice(0, -1)},}`)).toMatchObject({
      warnings: [{ code: 'surrounding-text' }, { line: 3, column: DOCUMENT.length + 1 }],
    });
  });

  test.each([
    [
      'brackets that do not match',
      '{"goal":"g","plan":{"task":"A","context":[1,2}}}',
      'truncated-document',
      'invalid-json',
    ],
    [
      'a number that JSON does not have',
      '{"goal":"g","plan":{"task":"A","context":01}}',
      'invalid-json',
      'invalid-json',
    ],
    ['NaN', '{"goal":"g","plan":{"task":"A","context":NaN}}', 'invalid-json', 'invalid-json'],
    ['a value that is missing', '{"goal":"g","plan":{"task":"A","context":}}', 'invalid-json', 'invalid-json'],
    ['a colon for a value', '{"goal":"g","plan":{"task": : }}', 'invalid-json', 'invalid-json'],
    ['texts that are joined', '{"goal":"g","plan":{"task":"A" + "B"}}', 'invalid-json', 'invalid-json'],
    [
      'a list with a plan in a fence',
      '```json\n[{"goal":"g","plan":{"task":"A"}}]\n```',
      'invalid-json',
      'invalid-json',
    ],
    ['undefined', '{"goal":"g","plan":{"task":"A","context":undefined}}', 'invalid-json', 'invalid-json'],
    ['an apostrophe in single quotes', `{"goal":"g","plan":{"task":'it's'}}`, 'invalid-json', 'truncated-document'],
  ])('%s would have to be guessed: it is refused', (_, text, ...codes) => {
    expect(compilePlan(text).ok).toBe(false);
    expect(codes).toContain(codesOf(text)[0]);
  });

  test('every beginning of a document is refused, whatever could be added to it', () => {
    for (let length = 1; length < DOCUMENT.length; length++) {
      expect([length, codesOf(DOCUMENT.slice(0, length))]).toEqual([length, ['truncated-document']]);
    }
  });

  test('too many faults are not repaired', () => {
    expect(codesOf(`{"goal":"g","plan":{"task":"A","context":[${'1 '.repeat(300)}]}}`)).toEqual(['invalid-json']);
  });
});

test.each(['hello', '  - buy milk', "goal = 'x'", '1. Read\n2. Write', 'I cannot [1].', '<p>no</p>'])(
  '%j: there is no plan in it',
  (text) =>
    expect(compilePlan(text)).toMatchObject({
      issues: [{ line: 1, message: expect.stringContaining('There is no plan in this text') as string }],
    }),
);

describe('YAML', () => {
  const options = { syntax: 'yaml' } as const;

  test('the same shapes', () => {
    expect(digestOf('goal: g\nplan:\n  task: A\n  context: { x: true, y: ~ }\n', options)).toBe(digest);
    expect(digestOf(DOCUMENT, options)).toBe(digest);
  });

  test.each([
    ['a text', 'goal: g\nplan:\n  task: A\n  context: { x: true, y: ~ }\n'],
    ['a text with an object in it', 'goal: g\nplan: { task: A, context: { x: true, y: ~ } }\n'],
    ['a text after comments', '# mine\n---\ngoal: g\nplan:\n  task: A\n  context: { x: true, y: ~ }\n'],
    ['a fence', '```yaml\ngoal: g\nplan:\n  task: A\n  context: { x: true, y: ~ }\n```\n'],
  ])('is known by its first line: %s', (_, text) => {
    expect(digestOf(text)).toBe(digest);
    expect(codesOf(text)).toEqual([]);
  });

  test('every problem has the line and column of its key, or of the nearest one that is there; in a fence too', () => {
    const text =
      'goal: g\nsteps:\n  - key: a\n    task: A\n  - { context_key: b, "capabilty": c }\n  -\n    context_key: d\n    task: &t T\n    1: x\n    inputs: [*t, a]\n';
    const placesOf = (result: ReturnType<typeof compilePlan>) =>
      (result.ok ? [] : result.issues).map(({ path, line, column }) => `${path} ${line}:${column}`);
    const places = placesOf(compilePlan(text));
    expect(places).toEqual(
      expect.arrayContaining([
        '$.steps[0].key 3:5',
        '$.steps[1].capabilty 5:23',
        '$.steps[1] 5:5',
        '$.steps[3] 2:1',
        "$.steps[2]['1'] 9:5",
        '$.steps[2].inputs[0] 10:14',
      ]),
    );
    expect(placesOf(compilePlan(text, options))).toEqual(places);
    const below = (place: string) => place.replace(/(\d+):/, (_, line: string) => `${Number(line) + 2}:`);
    expect(placesOf(compilePlan(`\n\`\`\`yaml\n${text}\`\`\`\n`))).toEqual(places.map(below));
  });

  test('two documents: the words are ours', () => {
    const result = compilePlan('goal: g\n---\ngoal: h\n');
    expect(result).toMatchObject({ issues: [{ code: 'several-documents', line: 2 }] });
    expect(JSON.stringify(result)).not.toContain('YAML.');
  });

  test('YAML 1.2: yes and dates are texts', () => {
    const result = compilePlan('goal: no\nplan:\n  task: 2024-01-02\n  hint: yes\n', options);
    expect(result).toMatchObject({
      ok: true,
      plan: { goal: 'no', tasks: [{ task: '2024-01-02', hint: 'yes' }] },
      warnings: [],
    });
  });

  test('an alias is the value of its anchor', () => {
    const result = compilePlan(
      'goal: g\nplan:\n  op: or\n  left: &a { task: A }\n  right: { task: B, input: *a }\n',
      options,
    );
    expect(result).toMatchObject({ ok: true, plan: { tasks: [{ task: 'A' }, { task: 'B', dependsOn: ['node_1'] }] } });
  });

  test.each([
    ['too many aliases', `goal: &a g\nplan: { task: A, context: [${'*a, '.repeat(101)}] }`, 'invalid-yaml'],
    [
      'an alias that doubles',
      `a: &a [1]\n${Array.from({ length: 40 }, (_, index) => `b${index}: &b${index} [*${index === 0 ? 'a' : `b${index - 1}`}, *${index === 0 ? 'a' : `b${index - 1}`}]`).join('\n')}\ngoal: g\nplan: { task: A, context: *b39 }`,
      'too-large',
    ],
    [
      'an alias that is too large',
      `a: &a ${'a'.repeat(2000)}\nplan: { task: A, context: [${'*a, '.repeat(70)}] }`,
      'too-large',
    ],
    ['an alias inside its anchor', 'goal: g\nplan: &a { task: A, input: *a }', 'invalid-yaml'],
    ['an alias far inside its anchor', 'goal: g\nplan: { task: A, args: &a { b: [{ c: *a }] } }', 'invalid-yaml'],
    ['an unknown alias', 'goal: *x\nplan: { task: A }', 'invalid-yaml'],
    ['levels', `goal: g\nplan: ${'['.repeat(200)}`, 'too-deep'],
    ['levels in one line', `${'- '.repeat(400)}a`, 'too-deep'],
    ['a document that is too large', `goal: ${'g'.repeat(300_000)}`, 'too-large'],
    ['a merge into arguments', 'goal: g\nplan: { task: A, arguments: { <<: { a: 1 } } }', 'invalid-yaml'],
    [
      'a hexadecimal number that would change',
      'goal: g\nplan: { task: A, context: 0x20000000000001 }',
      'inexact-number',
    ],
    ['a decimal that would change', 'goal: g\nplan: { task: A, context: +1.00000000000000001 }', 'inexact-number'],
    ['a key that is no text', 'goal: g\n? [a]\n: b\nplan: { task: A }', 'invalid-yaml'],
    [
      'an integer that would change',
      'goal: g\nplan: { task: A, contxt: 1, context: 12345678901234567890 }',
      'inexact-number',
    ],
  ])('%s', (_, text, code) => {
    expect(codesOf(text, { ...options, limits: { depth: 50, bytes: 1_000_000 } })[0]).toBe(code);
  });

  test('line and column', () => {
    expect(compilePlan('goal: g\nplan:\n  task: A\n  task: B\n', options)).toMatchObject({
      issues: [{ code: 'duplicate-key', path: '$.plan.task', line: 4, column: 3 }],
    });
  });
});
