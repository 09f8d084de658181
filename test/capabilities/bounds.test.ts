/** One beyond each bound of the built-in capabilities and of declarations: docs/bounds.md says what happens then. */

import { Script } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import { createSet } from '../../src/plan/algebra/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineAgent, readAnswerSchema } from '../../src/capabilities/index.ts';
import { clarify } from '../../src/capabilities/builtin/clarify.ts';
import { calculateInThread } from '../../src/capabilities/builtin/calculate/calculate-in-thread.ts';
import { calculate } from '../../src/capabilities/builtin/calculate/calculate.ts';
import { evaluate } from '../../src/capabilities/builtin/calculate/evaluate.js';
import { checkQuestion } from '../../src/capabilities/builtin/check-question.ts';
import { draftCapabilities } from '../../src/capabilities/builtin/draft-capabilities.ts';
import { pathIn } from '../../src/capabilities/builtin/files/allowed-folders.ts';
import { recordsFile } from '../../src/capabilities/builtin/files/records-file.ts';
import { recordsWrite } from '../../src/capabilities/builtin/files/records-write.ts';
import { respondRequest } from '../../src/capabilities/builtin/respond-prompt.ts';

const long = (length: number) => 'x'.repeat(length);

describe('a declaration', () => {
  test('of an agent with a temperature above 2 is refused', () => {
    const agent = (temperature: number) => () =>
      defineAgent({ name: 'a', description: 'd', instructions: 'i', capabilities: [], model: { temperature } });
    expect(agent(2)).not.toThrow();
    expect(agent(2.1)).toThrow('from 0 to 2');
  });
});

describe('arguments', () => {
  const entries = draftCapabilities({ drafts: {}, startRun: () => undefined } as never).at(-2)!;
  const folders = { problemOf: () => undefined } as never;

  test.each<[string, (most: number) => { readonly success: boolean }, number]>([
    ['entries of a conversation', (limit) => entries.input.safeParse({ conversation: 'c', limit }), 50],
    ['characters of a unit', (length) => calculate.input.safeParse({ expression: '1', unit: long(length) }), 40],
    ['questions', (count) => clarify.input.safeParse({ questions: Array.from({ length: count }, () => 'Which?') }), 4],
    ['characters of a path', (length) => pathIn(folders).safeParse(long(length)), 1000],
  ])('with more %s than there may be are refused', (_, parse, most) => {
    expect([parse(most).success, parse(most + 1).success]).toEqual([true, false]);
  });
});

describe('a question', () => {
  test('of more than 8000 bytes is refused', () => {
    const asks = (bytes: number) => {
      const rest = JSON.stringify({ text: 'which?', suggestions: [''] }).length;
      return checkQuestion({ text: 'which?', suggestions: [long(bytes - rest)] }).ok;
    };
    expect([asks(8000), asks(8001)]).toEqual([true, false]);
  });

  test('with a schema of 65 levels is refused', () => {
    const schema = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { type: 'array', items: schema(levels - 1) };
    expect([readAnswerSchema(schema(63)).ok, readAnswerSchema(schema(64)).ok]).toEqual([true, false]);
  });
});

describe('respond', () => {
  const given = { goal: '', task: 't', context: undefined } as never;

  test('has 100,000 characters of data', () => {
    const data = (length: number) => {
      const request = respondRequest({ ...(given as object), inputs: [{ name: 'n', content: long(length) }] } as never);
      return request.messages[1]?.content.match(/x+…?/g)?.at(-1);
    };
    expect(data(100_000)).toBe(long(100_000));
    expect(data(100_001)).toBe(`${long(99_999)}…`);
  });

  test('writes out 10 of 11 records', async () => {
    const set = createSet(Array.from({ length: 11 }, (_, at) => ({ id: `g${at + 10}` })));
    const genes = { name: 'genes', handle: { ref: 'r' }, read: () => Promise.resolve({ kind: 'set', set }) };
    const surroundings = { goal: 'g', task: 't', inputs: [genes], idempotencyKey: 'k', arguments: {}, heartbeat() {} };
    const respond = createRegistry([]).capability('respond')!;
    const { signal } = new AbortController();
    const text = (await respond.execute({ ...surroundings, signal } as never)) as string;
    expect(text).toContain('11 records, ');
    expect(text.match(/g\d\d/g)).toHaveLength(10);
    expect(text).toContain(' and 1 more');
  });
});

describe('a calculation', () => {
  const problemOf = (expression: string, variables: readonly (readonly [string, string])[] = []) => {
    const made = evaluate({ expression, variables });
    return made.ok ? undefined : made.problem;
  };

  test('rounds at 60 digits that end, 20 that do not and 80 on the way', () => {
    const value = (expression: string) => {
      const made = evaluate({ expression, variables: [] });
      return made.ok ? made.value : made.problem;
    };
    expect(value('1/3')).toBe(`0.${'3'.repeat(20)}`);
    expect(value(`1.${'1'.repeat(59)}`)).toBe(`1.${'1'.repeat(59)}`);
    expect(value(`1.${'1'.repeat(60)}`)).toBe(`1.${'1'.repeat(19)}`);
    expect(value('(1 + 1e-79) - 1')).toBe('1e-79');
    expect(value('(1 + 1e-81) - 1')).toBe('0');
  });

  test('names 60 characters of the part that is wrong', () => {
    const { message = '' } = problemOf(`1e900 * 1e900 * (${'1 + '.repeat(40)}1)`) ?? {};
    expect(problemOf(`(${'1 + '.repeat(40)}1) / 0`)?.message).toMatch(/, in .{60}…$/);
    expect(message).toContain('overflow');
  });

  test('lists 60 of 61 names', async () => {
    const inputs = Array.from({ length: 61 }, (_, at) => ({
      name: `number_${at}`,
      read: () => Promise.resolve({ kind: 'value', value: at }),
    }));
    const given = {
      arguments: { expression: 'nobody_knows', variables: {} },
      inputs,
      signal: new AbortController().signal,
    };
    const error: unknown = await Promise.resolve(calculate.execute(given as never)).catch((reason: unknown) => reason);
    expect(String(error).split('Known are ')[1]?.split(', ')).toHaveLength(60);
  });
});

test('an attempt at a file of records may be silent for 120 seconds', () => {
  const folders = { problemOf: () => undefined } as never;
  expect([recordsFile(folders), recordsWrite(folders)].map(({ timeout }) => timeout)).toEqual([
    { heartbeatMs: 120_000 },
    { heartbeatMs: 120_000 },
  ]);
});

test('a calculation has 2 seconds, and its thread 30 to be ready', async () => {
  const timer = vi.spyOn(globalThis, 'setTimeout');
  await calculateInThread({ expression: '1', variables: [] }, new AbortController().signal);
  const times = timer.mock.calls.map(([, ms]) => ms);
  timer.mockRestore();
  expect(times).toEqual(expect.arrayContaining([30_000, 2000]));
});

test('a check of an answer has 500 ms', () => {
  const script = vi.spyOn(Script.prototype, 'runInContext');
  const schema = readAnswerSchema({ type: 'number' });
  if (schema.ok) schema.problemOf(1);
  const times = script.mock.calls.map(([, options]) => (options as { timeout: number }).timeout);
  script.mockRestore();
  expect(new Set(times)).toEqual(new Set([500]));
});
