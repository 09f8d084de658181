/** A question that nobody answers: whether a worker or the server is gone. */

import type { Client } from '@temporalio/client';
import { ServiceError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { createRunHandle } from '../../src/client/create-run-handle.ts';
import { toOperationError } from '../../src/operations/operation-error.ts';
import type { ResultStore } from '../../src/store/index.ts';

const PLACE = { address: '127.0.0.1:7233', namespace: 'default', taskQueue: 'planwright' };

/** A client whose questions run into their deadline. */
function silent(isServerThere: boolean): Client {
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
        Promise.resolve({ pollers: [], stats: { approximateBacklogAge: { seconds: { toNumber: () => 180 } } } }),
    },
  } as unknown as Client;
}

describe('a question that ran into its deadline', () => {
  test.each([
    [true, 'no-worker', 'no worker answered on task queue planwright-night'],
    [false, 'no-server', 'no Temporal server answers at 127.0.0.1:7233'],
  ])('with the server there: %s', async (isServerThere, code, message) => {
    const run = createRunHandle({ client: silent(isServerThere), store: {} as ResultStore, place: PLACE }, 'plan-1');
    await expect(run.view(['status'])).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  test('tells that no worker asks for work, and for how long work waits there', async () => {
    const run = createRunHandle({ client: silent(true), store: {} as ResultStore, place: PLACE }, 'plan-1');
    const error = toOperationError(await run.view(['status']).catch((thrown: unknown) => thrown));
    expect(error.message).toMatch(/; no worker asks for work on planwright-night, for 3 min$/);
    expect(error.details).toEqual({
      unattended: { taskQueue: 'planwright-night', since: expect.any(String) as string },
    });
  });
});
