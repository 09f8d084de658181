/** The log of a worker as JSON: an object a line, with run, node and attempt, whatever was logged. */

import { describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { jsonLine, jsonLogger, logAttempts, readableLines } from '../../src/cli/working/log.ts';

const AT = { level: 'WARN', timestampNanos: 1_767_323_045_000_000_000n } as const;
const lineOf = (meta: object, message = 'said'): Readonly<Record<string, unknown>> => {
  const line = jsonLine({ ...AT, message, meta });
  expect(line).not.toContain('\n');
  return JSON.parse(line) as Readonly<Record<string, unknown>>;
};

test('an entry of an activity names run, node and attempt', () => {
  const meta = { workflowId: 'plan-1', workflowRunId: 'r', activityId: 'node_2', attempt: 3, activityType: 'runTask' };
  expect(lineOf(meta)).toEqual({
    time: '2026-01-02T03:04:05.000Z',
    level: 'warn',
    message: 'said',
    ...{ run: 'plan-1', history: 'r', node: 'node_2', attempt: 3, activityType: 'runTask' },
  });
});

test('one of a workflow has no node, and one of another activity its id', () => {
  expect(lineOf({ workflowId: 'plan-1', runId: 'r' })).toMatchObject({ run: 'plan-1', history: 'r' });
  expect(lineOf({ activityId: '7' })).toMatchObject({ activity: '7' });
});

test.each<[string, object, object]>([
  ['an error', { error: new TypeError('no water') }, { error: { name: 'TypeError', message: 'no water' } }],
  ['what was thrown and is none', { error: 'no water' }, { error: { message: 'no water' } }],
  ['a number of any size', { size: 2n ** 70n }, { size: '1180591620717411303424' }],
  ['bytes', { token: new Uint8Array(9) }, { token: '9 bytes' }],
  ['a long text', { text: 'x'.repeat(4001) }, { text: `${'x'.repeat(3999)}…` }],
])('%s is told', (_, meta, told) => {
  expect(lineOf(meta)).toMatchObject(told);
});

test('what cannot be written costs the rest of its line and no other', () => {
  const circle: Record<string, unknown> = { workflowId: 'plan-1' };
  circle['self'] = circle;
  expect(lineOf({ workflowId: 'plan-1', circle })).toMatchObject({ run: 'plan-1', left: expect.any(String) as string });
  const trap = new Proxy(new Error('x'), {
    get: () => {
      throw new Error('no');
    },
  });
  expect(lineOf({ workflowId: 'plan-1', error: trap })).toMatchObject({ run: 'plan-1' });
});

test('an attempt at a node is a line when it begins and when it ends', () => {
  const lines: string[] = [];
  const tell = logAttempts(jsonLogger('INFO', (line) => lines.push(line)));
  const event = { workflowId: 'plan-1', nodeId: 'node_1', attempt: 1, idempotencyKey: 'k' };
  tell({ what: 'started', ...event });
  tell({ what: 'failed', ...event });
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'info', message: 'node started', run: 'plan-1', node: 'node_1', attempt: 1 },
    { level: 'info', message: 'node failed', run: 'plan-1', node: 'node_1', attempt: 1 },
  ]);
});

describe('as text', () => {
  const meta = { workflowId: 'plan-1', activityId: 'node_2', attempt: 3 };
  const text = (error: unknown) => readableLines({ ...AT, message: 'Activity failed', meta: { ...meta, error } });
  const uncertain = ApplicationFailure.create({ type: 'Uncertain', message: 'no\nreply', cause: new Error('closed') });

  test('a failure that an activity has named is one line', () => {
    expect(text(uncertain)).toBe(
      '2026-01-02T03:04:05.000Z WARN Activity failed plan-1 node_2 attempt 3: Uncertain: no reply\n',
    );
  });

  test('a mistake in a program, and an error that nothing has named, have their place', () => {
    const mistake = ApplicationFailure.create({ type: 'CRITICAL', message: 'm', cause: new TypeError('no water') });
    expect(text(mistake)).toMatch(/: CRITICAL: no water\nTypeError: no water\n +at /);
    expect(text(new Error('unknown'))).toMatch(/: Error: unknown\nError: unknown\n +at /);
  });

  test('what cannot be read costs its own words alone', () => {
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
      },
    );
    expect(text(trap)).toMatch(/attempt 3: an error that cannot be read\n$/);
    expect(text('a\u001b[2Jb')).toMatch(/attempt 3: Error: a\\u001b\[2Jb\n$/);
  });
});
