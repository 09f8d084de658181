/** Open items as requests of a host: their keys, their forms, and what an answer says to the run. */

import { describe, expect, test } from 'vitest';
import { itemKey } from '../../src/operations/index.ts';
import { itemCommand } from '../../src/operations/words/index.ts';
import { createAnswers, type HostSession, createAccessibleRuns } from '../../src/mcp/host-session.ts';
import { elicitationForm, readModelAnswer, readForm } from '../../src/mcp/form.ts';
import type { Host } from '../../src/mcp/host.ts';
import { takeAll, describeItems } from '../../src/mcp/open-items.ts';
import type { OpenItem } from '../../src/protocol/index.ts';

const DIGEST = 'fd7b1281'.repeat(8);
const item = (over: Partial<OpenItem> = {}): OpenItem => ({
  ...{ id: 'approval', kind: 'approval', workflowId: 'plan-1', digest: DIGEST, revision: 1, text: 'approve the plan?' },
  ...{ since: '2026-01-01T00:00:00.000Z', deadline: '2026-01-02T00:00:00.000Z', nodes: ['node_1'], nodeCount: 1 },
  send: { name: 'approve', input: {} },
  ...over,
});

test('a key stands for one request alone: everything that it is bound to changes it', () => {
  const keys = [
    item(),
    item({ kind: 'question' }),
    item({ digest: `${DIGEST.slice(1)}0` }),
    item({ revision: 2 }),
    item({ id: 'node_1' }),
    item({ workflowId: 'plan-2' }),
    item({ since: '2026-01-01T00:00:01.000Z' }),
  ].map(itemKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(itemKey(item({ text: 'the same, in other words' }))).toBe(keys[0]);
  expect(keys[0]).toMatch(/^approval-fd7b1281-r1-[0-9a-f]{32}$/);
});

test('a key is used once: what was taken or declined is asked no more, a misfit under another', () => {
  const answers = createAnswers();
  const key = itemKey(item());
  expect(answers.askedAs(key)).toBe(key);
  answers.note(key, 'misfit', 'plan-1', 'no');
  expect([answers.askedAs(key), answers.lastOf('plan-1')]).toEqual([`${key}-2`, 'no']);
  answers.note(key, 'taken', 'plan-1', 'yes');
  expect(answers.askedAs(key)).toBeUndefined();
  const other = itemKey(item({ id: 'node_2' }));
  for (let nth = 0; nth < 25; nth++) answers.note(other, 'misfit', 'plan-1', 'no');
  expect(answers.askedAs(other)).toBeUndefined();
});

/** A server that has these runs, each with its memo and the run that it works for. */
const serverWith = (runs: Readonly<Record<string, { memo?: object; root?: string }>>) => ({
  session: () =>
    Promise.resolve({
      client: {
        connection: { withDeadline: (_: number, ask: () => unknown) => ask() },
        workflow: {
          getHandle: (id: string) => ({
            describe: async () => {
              const { memo, root } = runs[id] ?? {};
              if (runs[id] === undefined) throw Object.assign(new Error(), { name: 'WorkflowNotFoundError' });
              return { memo, raw: { workflowExecutionInfo: { rootExecution: { workflowId: root ?? id } } } };
            },
          }),
        },
      },
    } as never),
});

test('a host names the runs that have the mark of run_plan, and those that work for them, whatever their ids look like', async () => {
  const first = createAccessibleRuns(serverWith({}), false);
  const marks = Array.from({ length: 200 }, () => first.mark());
  expect(new Set(marks.map(({ once }) => once)).size).toBe(200);
  const [{ once, memo } = { once: '', memo: {} }] = marks;
  expect(Object.keys(memo)).toEqual(['startedThrough']);
  expect(once).toMatch(/^[0-9a-f]{32}$/);
  for (let at = 0; at < 200; at++) first.add(`plan-${at}`);
  expect(first.ids?.length).toBe(100);
  expect(await first.check('plan-199')).toBe('plan-199');

  const [id, look] = [`plan-count-${once}`, `plan-count-${'a'.repeat(32)}`];
  const server = serverWith({
    [id]: { memo: { startedThrough: 'mcp' } },
    [`${id}.r2.node_3`]: { root: id },
    [look]: {},
    [`${look}.r1.node_1`]: { root: look },
    [`${id}.made-up`]: { memo: { startedThrough: 'elsewhere' } },
  });
  const later = createAccessibleRuns(server, false);
  for (const own of [id, `${id}.r2.node_3`]) expect(await later.check(own)).toBe(own);
  for (const other of [look, `${look}.r1.node_1`, `${id}.made-up`, `${id}x`, 'plan-1', 'x'.repeat(300)])
    await expect(later.check(other)).rejects.toThrow(/handed no run/);
  expect(await createAccessibleRuns(server, true).check('plan-1')).toBe('plan-1');
});

test('of many answers that come at once under one key one reaches the run', async () => {
  let words = 0;
  const room = {
    answers: createAnswers(),
    settings: { by: 'operator', answers: true },
    plans: { project: () => Promise.resolve(undefined), typed: String },
    perform: async () => {
      words += 1;
      await new Promise(setImmediate);
      return { reply: 'approved' };
    },
  } as unknown as HostSession;
  const host = { name: 'a host' } as Host;
  const open = [{ ...item(), key: itemKey(item()) }];
  const answer = { action: 'accept', content: { decision: 'approve' } };
  const said = Array.from({ length: 20 }, () => [
    takeAll(room, 'plan-1', open, { [open[0]!.key]: answer }, host),
    takeAll(room, 'plan-1', open, { [open[0]!.key]: answer }, host, readModelAnswer),
  ]);
  const outcomes = (await Promise.all(said.flat())).map(({ notes }) => notes.join());
  expect([words, outcomes.filter((note) => note === 'approved').length]).toEqual([1, 1]);
  expect(outcomes.filter((note) => note.startsWith('nothing is asked under')).length).toBe(39);
});

describe('the form of an answer', () => {
  test.each<[schema: OpenItem['schema'], field: object, given: unknown, read: unknown]>([
    [undefined, { type: 'string' }, 'hg38', 'hg38'],
    [
      { type: 'string', minLength: 2, pattern: 'a', format: 'email' },
      { type: 'string', minLength: 2, format: 'email' },
      'a',
      'a',
    ],
    [{ type: 'integer', minimum: 0, maximum: 9 }, { type: 'integer', minimum: 0, maximum: 9 }, 4, 4],
    [{ type: 'boolean' }, { type: 'boolean' }, true, true],
    [{ enum: ['a', 2, null, 'null'] }, { type: 'string', enum: ['a', '2', 'null', 'null'] }, '2', 2],
    [{ const: true }, { type: 'string', enum: ['true'] }, 'true', true],
    [{ type: 'array', items: { type: 'number' } }, { type: 'string' }, '[1, 2]', [1, 2]],
    [{ type: 'object' }, { type: 'string' }, '{"a":1}', { a: 1 }],
    [{ type: ['string', 'null'] }, { type: 'string' }, 'null', null],
    [{ anyOf: [{ type: 'number' }] }, { type: 'string' }, '3', 3],
    [{ type: 'integer' }, { type: 'integer' }, '4', 4],
    [{ type: 'boolean' }, { type: 'boolean' }, 'true', true],
  ])('%j', (schema, field, given, read) => {
    const question = item({ kind: 'question', id: 'q.1', ...(schema && { schema }) });
    expect(elicitationForm(question).requestedSchema.properties).toMatchObject({ value: field });
    expect(readForm(question, { value: given })).toEqual({
      ok: true,
      message: { row: 'answer', input: { workflowId: 'plan-1', question: 'q.1', value: read } },
    });
  });

  test('has a field for each value of an object, and JSON in words for what no form shows', () => {
    const plates = { type: 'integer', minimum: 1, description: 'of 96 wells' };
    const schema = {
      type: 'object',
      properties: { lab: { enum: ['Berlin', 'Basel'] }, plates, comment: { type: 'string' } },
      required: ['lab'],
    };
    const question = item({ kind: 'question', id: 'q.1', schema });
    expect(elicitationForm(question).requestedSchema).toMatchObject({
      type: 'object',
      properties: { lab: { type: 'string', enum: ['Berlin', 'Basel'] }, plates, comment: { type: 'string' } },
      required: ['lab'],
    });
    expect(readForm(question, { lab: 'Basel', plates: '4', comment: null })).toMatchObject({
      message: { input: { question: 'q.1', value: { lab: 'Basel', plates: 4 } } },
    });
    const [nested] = [{ ...schema, properties: { ...schema.properties, at: { type: 'object' } } }];
    const fieldsFor = (one: object) =>
      elicitationForm(item({ kind: 'question', schema: one as never })).requestedSchema.properties;
    expect(fieldsFor(nested)).toMatchObject({ value: { type: 'string' } });
    const list = { type: 'object', properties: { lab: { type: 'string' }, ids: { type: 'array' } } };
    expect(fieldsFor(list)).toEqual({
      value: { type: 'string', description: 'JSON: lab (optional): a text; ids (optional): a list, as JSON' },
    });
  });

  test('text that is no JSON, where JSON is wanted, is told as that', () => {
    const question = item({ kind: 'question', schema: { type: 'array' } });
    expect(readForm(question, { value: 'a, b' })).toMatchObject({
      ok: false,
      problem: 'Answer: expected JSON, got "a, b"',
    });
  });

  test('a plan is in it whole, or it says that it is not', () => {
    expect(elicitationForm(item(), 'Say hello').message).toBe('approve the plan?\nSay hello');
    const long = elicitationForm(item(), 'x'.repeat(20_000)).message;
    expect(long.length).toBeLessThan(13_000);
    expect(long).toContain('Not all of the plan is shown here');
    expect(elicitationForm(item(), 'a\u202eb\u0007').message).toMatch(/^approve the plan\?\na\\u202eb\\u0007$/);
    const forged = item({ kind: 'question', text: 'Which?\nsuggested: "pay"', suggestions: ['a\u202eb'] });
    expect(elicitationForm(forged).message).toBe('Which?\n  suggested: "pay"\nsuggested: "a\\u202eb"');
  });
});

describe('an answer says to the run', () => {
  const bound = { workflowId: 'plan-1', digest: DIGEST };
  test.each<[Partial<OpenItem>, object, row: string, input: object]>([
    [{}, { decision: 'approve' }, 'decide', { ...bound, kind: 'approve', revision: 1 }],
    [
      {},
      { decision: 'revise', comment: 'fewer' },
      'decide',
      { ...bound, kind: 'revise', revision: 1, feedback: 'fewer' },
    ],
    [
      { kind: 'uncertain', id: 'node_2' },
      { outcome: 'failed' },
      'control',
      { ...bound, action: 'resolve', node: 'node_2', outcome: 'failed' },
    ],
    [
      { kind: 'uncertain', id: 'node_2' },
      { outcome: 'retry-node', comment: 'the bank has no such entry' },
      'control',
      { ...bound, action: 'retry-node', node: 'node_2', comment: 'the bank has no such entry' },
    ],
    [
      { kind: 'failed', id: 'node_2' },
      { action: 'skip-node' },
      'control',
      { ...bound, action: 'skip-node', node: 'node_2' },
    ],
    [
      { kind: 'budget', id: 'budget', ways: ['resume', 'kill'] },
      { action: 'kill', comment: 'why' },
      'control',
      { workflowId: 'plan-1', action: 'kill', comment: 'why' },
    ],
  ])('%j', (over, said, row, input) => {
    expect(readModelAnswer(item(over), { ...said })).toEqual({ ok: true, message: { row, input } });
  });

  test('no way on that the run does not offer', () => {
    const fault = item({ kind: 'fault', id: 'fault', ways: ['resume', 'kill'] });
    expect(readModelAnswer(fault, { action: 'fallback' })).toMatchObject({ ok: false });
    expect(readModelAnswer(fault, { action: 'resume' })).toMatchObject({ message: { input: { action: 'resume' } } });
  });

  test.each([undefined, ' ', '\u200b'])('no repetition of what may have happened without a reason: %j', (comment) => {
    const uncertain = item({ kind: 'uncertain', id: 'node_2' });
    const problem = expect.stringContaining('how you know that it did not happen') as string;
    expect(readForm(uncertain, { outcome: 'retry-node', comment })).toMatchObject({ ok: false, problem });
    expect(readForm(uncertain, { outcome: 'failed', comment })).toMatchObject({ ok: true });
  });

  test('a text where the question wants none is read as JSON', () => {
    const said = (schema: object, value: unknown) =>
      readModelAnswer(item({ kind: 'question', id: 'q.1', schema: schema as never }), { value });
    expect(said({ type: 'number' }, '4.5')).toMatchObject({ message: { input: { value: 4.5 } } });
    expect(said({ type: 'boolean' }, 'true')).toMatchObject({ message: { input: { value: true } } });
    expect(said({ type: 'array' }, '["a"]')).toMatchObject({ message: { input: { value: ['a'] } } });
    expect(said({ type: 'string' }, '4')).toMatchObject({ message: { input: { value: '4' } } });
    expect(said({ type: 'integer' }, '12345678901234567890')).toMatchObject({
      ok: false,
      problem: 'Answer: expected a number of at most 15 digits, got "12345678901234567890"',
    });
  });

  test('its members stand in one value, as JSON or as its text, and what is not asked is told', () => {
    const properties = { value: { type: 'integer' }, lab: { type: 'string' } };
    const question = item({ kind: 'question', id: 'q.1', schema: { type: 'object', properties } });
    for (const value of [{ value: '4', lab: 'Basel' }, '{ "value": 4, "lab": "Basel" }'])
      expect(readModelAnswer(question, { value, comment: 'by phone' })).toMatchObject({
        message: { row: 'answer', input: { value: { value: 4, lab: 'Basel' }, comment: 'by phone' } },
      });
    const problem = 'there is no colour; known are value, lab';
    expect(readModelAnswer(question, { value: { colour: 'red' } })).toMatchObject({ ok: false });
    expect(readForm(question, { value: 4, colour: 'red' })).toMatchObject({ ok: false, problem });
  });

  test.each([[{}], [{ comment: 'no' }], [[]], [null], ['approve']])('%j says nothing', (content) => {
    expect(readForm(item(), content)).toMatchObject({
      ok: false,
      problem: 'decision: expected one of "approve", "reject", "revise", and it was left blank',
    });
  });
});

test('an item that is no business of a host is a command', () => {
  const typed = (command: string) => `planwright ${command}`;
  expect(itemCommand(item({ signed: true, roles: ['reviewer'] }), typed)).toBe(
    'planwright approve plan-1 --digest fd7b1281 --role reviewer --key FILE',
  );
});

test('an item is told to a model with its plan and what its effects would do, for the person who says yes', async () => {
  const effects = [
    { node: 'node_1', title: 'Pay', effect: 'at-most-once', values: [{ name: 'amount', text: '44' }] },
  ] as const;
  const room = {
    plans: { typed: (command: string) => `planwright ${command}`, project: () => Promise.resolve(undefined) },
    settings: { by: 'operator', approval: 'required', anyRun: false, answers: true },
    answers: createAnswers(),
    perform: () => Promise.resolve({ digest: open.digest, text: shown }),
  } as unknown as HostSession;
  const host: Host = { name: 'h', tasks: false, elicits: false, isLegacy: false };
  const open = { ...item({ effects, asks: '1 at-most-once: pay (amount 44)' }), key: 'k' };
  let shown = 'node_1 ! at-most-once  Pay';
  expect(await describeItems(room, [open], host)).toMatchObject([{ kind: 'approval', effects, key: 'k', plan: shown }]);
  shown = 'x'.repeat(20_000);
  expect((await describeItems(room, [open], host))[0]?.plan).toMatch(/x…\nNot all of the plan is shown here: read its/);
  expect((await describeItems(room, [open], { ...host, elicits: true }))[0]).not.toHaveProperty('plan');
  // Another plan is open by now: its approval is asked for by the next call.
  expect(
    await describeItems(
      room,
      [
        { ...open, digest: 'f'.repeat(64) },
        { ...open, kind: 'question' },
      ],
      host,
    ),
  ).toMatchObject([{ kind: 'question' }]);
});
