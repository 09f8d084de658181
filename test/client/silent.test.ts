/** A question that nobody answers: whether a worker or the server is gone. */

import type { Client } from '@temporalio/client';
import { ServiceError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { createRunHandle } from '../../src/client/create-run-handle.ts';
import { toOperationError } from '../../src/operations/operation-error.ts';
import type { Store } from '../../src/store/index.ts';

const PLACE = { address: '127.0.0.1:7233', namespace: 'default', taskQueue: 'planwright' };

/** A client whose questions run into their deadline. */
function silent(isServerThere: boolean, pollers: readonly object[] = []): Client {
  const grpc = Object.assign(new Error('4 DEADLINE_EXCEEDED'), { code: 4, details: '', metadata: {} });
  return {
    workflow: {
      getHandle: () => ({
        describe: () => Promise.resolve({ taskQueue: 'planwright-night', raw: {} }),
        query: () => Promise.reject(new ServiceError('Failed to query', { cause: grpc })),
      }),
    },
    connection: { withDeadline: (_at: number, call: () => Promise<unknown>) => call() },
    workflowService: {
      getSystemInfo: () => (isServerThere ? Promise.resolve({}) : Promise.reject(grpc)),
      describeTaskQueue: () =>
        Promise.resolve({ pollers, stats: { approximateBacklogAge: { seconds: { toNumber: () => 180 } } } }),
    },
  } as unknown as Client;
}

describe('a question that ran into its deadline', () => {
  test.each([
    [true, 'no-worker', 'no worker answered on task queue planwright-night'],
    [false, 'no-server', 'no Temporal server answers at 127.0.0.1:7233'],
  ])('with the server there: %s', async (isServerThere, code, message) => {
    const run = createRunHandle({ client: silent(isServerThere), store: {} as Store, place: PLACE }, 'plan-1');
    await expect(run.view(['status'])).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  test.each([
    [
      12,
      '4711@other',
      /^a worker asked for work on task queue planwright-night 1[23] s ago and does not answer: it is busy, or/,
    ],
    [70, '4711@other', /^no worker answered on task queue planwright-night /],
  ])('of a worker that asked for work %i s ago', async (seconds, identity, message) => {
    const lastAccessTime = { seconds: { toNumber: () => Math.floor(Date.now() / 1000) - seconds } };
    const client = silent(true, [{ identity, lastAccessTime }]);
    const run = createRunHandle({ client, store: {} as Store, place: PLACE }, 'plan-1');
    await expect(run.view(['status'])).rejects.toMatchObject({
      code: 'no-worker',
      message: expect.stringMatching(message) as string,
    });
  });

  test('tells that no worker asks for work, and for how long work waits there', async () => {
    const run = createRunHandle({ client: silent(true), store: {} as Store, place: PLACE }, 'plan-1');
    const error = toOperationError(await run.view(['status']).catch((thrown: unknown) => thrown));
    expect(error.message).toMatch(/; no worker asks for work on planwright-night, for 3 min$/);
    expect(error.details).toEqual({
      unattended: { taskQueue: 'planwright-night', since: expect.any(String) as string },
    });
  });
});

describe('a run whose workflow task fails again and again', () => {
  const GONE = 'BadSearchAttributes: Namespace default has no mapping defined for search attribute PlanWaitsFor';
  const askedWith = async (message: string, attempt: number) => {
    const details = 'Unable to query workflow due to Workflow Task in failed state.';
    const grpc = Object.assign(new Error('9'), { code: 9, details, metadata: {} });
    const failed = { workflowTaskFailedEventAttributes: { failure: { message } } };
    const query = () => Promise.reject(new ServiceError('Failed to query', { cause: grpc }));
    const described = { taskQueue: 'q', workflowId: 'plan-1', raw: { pendingWorkflowTask: { attempt } } };
    const client = silent(true);
    Object.assign(client.workflow, { getHandle: () => ({ query, describe: async () => described }) });
    const getWorkflowExecutionHistoryReverse = async () => ({ history: { events: [{}, failed] } });
    Object.assign(client.workflowService, { getWorkflowExecutionHistoryReverse });
    const run = createRunHandle({ client, store: {} as Store, place: PLACE }, 'plan-1');
    return toOperationError(await run.view(['status']).catch((thrown: unknown) => thrown));
  };

  test.each([
    [GONE, 'temporal operator search-attribute create --namespace default --name PlanWaitsFor --type KeywordList'],
    ['[TMPRL1100] Nondeterminism error', 'start a worker of the build that began it'],
    ['TypeError: a build with a fault', 'start a worker of a build without the fault'],
    [
      'a history that is bad',
      'temporal workflow reset --namespace default --workflow-id plan-1 --type LastWorkflowTask',
    ],
    ['a run that nobody needs', 'to give it up: temporal workflow terminate --namespace default --workflow-id plan-1'],
  ])('names the reason and the cure: %s', async (message, cure) => {
    const { code, message: told } = await askedWith(message, 9);
    expect([code, told]).toEqual(['NO_WORKER', expect.stringContaining(cure) as string]);
    expect(told).toContain(`run plan-1 stands still: its workflow task has failed 8 times: ${message}; `);
  });

  test('tells no more than 500 bytes of a long reason, in one line', async () => {
    const { message } = await askedWith(`first\n${'x'.repeat(10_000_000)}`, 9);
    expect(message).toContain('has failed 8 times: first x');
    expect(message.length).toBeLessThan(1100);
    expect(message).not.toContain('\n');
  });

  test('is no such run as long as its task may go well the next time', async () => {
    expect((await askedWith(GONE, 1)).message).toContain('no worker answered on task queue q');
  });
});
