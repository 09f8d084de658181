/** The table of operations: what each row says of itself, and what another process may send to it. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OPERATIONS, openPlans, performSent, toOperationError, type Operation } from '../../src/operations/index.ts';
import { ClientError } from '../../src/client/index.ts';
import { StoreError } from '../../src/store/index.ts';

const rows = await Promise.all(
  Object.entries(OPERATIONS).map(async ([key, load]) => [key, (await load()) as Operation<never, object>] as const),
);
const plans = openPlans({ readsConfig: false, store: '/nowhere' });
const DOCUMENT = { goal: 'Count', plan: { operator: 'MINUS', left: { task: 'a' }, right: { task: 'b' } } };

test.each(rows)('%s says what it does, and has shapes that can be shown to others', (_, row) => {
  expect(row.does).toMatch(/^[A-Z].*\.$/);
  expect(row.readOnly && row.destructive).toBe(false);
  expect(z.toJSONSchema(row.input(z), { io: 'input', unrepresentable: 'any' })).toMatchObject({ type: 'object' });
});

test('an error about a run names the command that looks at that run', () => {
  const stale = Object.assign(new ClientError('stale', 'the open plan is another one'), { run: 'plan-7' });
  expect(toOperationError(stale).message).toContain('"planwright status plan-7" shows how it stands now');
});

test.each(['', ' ', '\t'])('the id %j is that of no run, and no server is asked about it', async (workflowId) => {
  for (const key of ['status', 'shown', 'page', 'why', 'trace', 'result', 'wait', 'ending', 'cancel'] as const) {
    const sent = performSent(key as 'status', plans, { workflowId, node: 'node_1' });
    await expect(sent).rejects.toMatchObject({ code: 'USAGE', message: 'expected the id of a run, got an empty text' });
  }
});

describe('what another process sends', () => {
  test.each<[key: keyof typeof OPERATIONS, input: object]>([
    ['compile', { document: DOCUMENT }],
    ['diff', { before: { document: DOCUMENT }, after: { document: { ...DOCUMENT, goal: 'More' } } }],
    ['compile', { document: DOCUMENT, mermaid: true }],
    ['schema', {}],
  ])('%s answers in JSON', async (key, input) => {
    const output = await performSent(key, plans, JSON.parse(JSON.stringify(input)));
    expect(JSON.parse(JSON.stringify(output))).toEqual(output);
  });

  test('is refused with every field that does not fit', async () => {
    const sent = performSent('decide', plans, { workflowId: 3, kind: 'perhaps', digest: 'd', by: 'x' });
    await expect(sent).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringMatching(/workflowId: .*; kind: /) as string,
    });
  });

  test('is refused with the issues of its plan', async () => {
    await expect(performSent('compile', plans, { document: {} })).rejects.toMatchObject({
      code: 'PLAN_INVALID',
      exitCode: 3,
      details: { issues: expect.arrayContaining([expect.objectContaining({ severity: 'error' })]) as unknown },
    });
  });

  test('needs a project where the operation does', async () => {
    await expect(performSent('capabilities', plans, {})).rejects.toMatchObject({ code: 'NO_CONFIG' });
  });
});

test.each<[Error, code: string, exit: number]>([
  [new ClientError('stale', 'm'), 'STALE', 6],
  [new ClientError('no-run', 'm'), 'NO_RUN', 2],
  [new ClientError('unreadable', 'm'), 'INTERNAL', 2],
  [new StoreError('unreadable', 'm'), 'STORE_FAULT', 2],
  [Object.assign(new Error('m'), { name: 'ConfigError' }), 'CONFIG_INVALID', 2],
  [Object.assign(new Error('m'), { code: 'ENOENT' }), 'INTERNAL', 2],
  [new Error("Cannot find package '@temporalio/worker' imported from /x/worker.js"), 'NOT_INSTALLED', 2],
  [new Error("Cannot find package '@modelcontextprotocol/client' imported from /x/open.js"), 'NOT_INSTALLED', 2],
])('an error of another room has a code of the one table: %s', (error, code, exit) => {
  const { exitCode, ...told } = toOperationError(error);
  expect({ code: told.code, exit: exitCode }).toEqual({ code, exit: exit });
});

test('a package that is not installed is named with what installs it, also below another error', () => {
  const cause = new Error("Cannot find package '@temporalio/worker' imported from /x/worker.js");
  const config = Object.assign(new Error('config could not be loaded', { cause }), { name: 'ConfigError' });
  expect([cause, config].map((error) => toOperationError(error).message)).toEqual(
    Array(2).fill('planwright needs @temporalio/worker beside it: npm install @temporalio/worker'),
  );
});
