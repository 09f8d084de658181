/** The word of a closed run on what it has done, where a store may know less. */

import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import type { ViewRequest } from '../../src/protocol/index.ts';
import { StoreError, type ResultStore } from '../../src/store/index.ts';
import { doneByServer, type IsDone } from '../../src/activities/reuse.ts';

const MISSING = new StoreError('not-found', 'There is no such object.');
const gone = () => Promise.reject(new WorkflowNotFoundError('gone', 'plan-1', undefined));
const node = (id: string, status: string) => ({ id, status, executor: '', summary: '', phase: 'execution' });

/** Asks a double of a server; its store has nothing. */
function asked(
  view: (request: ViewRequest) => unknown,
  describe: () => Promise<object> = async () => ({
    runId: 'first',
    historyLength: 9,
    raw: { workflowExecutionInfo: { firstRunId: 'first' } },
  }),
) {
  const deadlines: number[] = [];
  const client = {
    workflow: {
      withDeadline: (at: number, call: () => unknown) => (deadlines.push(at - Date.now()), call()),
      list: async function* () {},
      getHandle: () => ({ describe, query: async (_name: string, request: ViewRequest) => view(request) }),
    },
    withAbortSignal: <T>(_: AbortSignal, work: () => T) => work(),
  };
  const store = { get: () => Promise.reject(MISSING) } as unknown as ResultStore;
  const environment = new MockActivityEnvironment(
    {},
    { logger: new DefaultLogger('ERROR'), client: client as never as Client },
  );
  return {
    deadlines,
    done: environment.run(() =>
      doneByServer({ namespace: 'default', workflowId: 'plan-1', firstRunId: 'first' }, store),
    ) as Promise<IsDone>,
  };
}

test('a run that the server does not know has done what the store knows', async () => {
  const { deadlines, done } = asked(() => undefined, gone);
  expect((await done)('key')).toBe(false);
  expect(Math.abs((deadlines[0] ?? 0) - 15_000)).toBeLessThan(1000);
});

test('of a plan that the store does not have, anything may be done', async () => {
  const digest = 'a'.repeat(64);
  const plan = { digest, revision: 1, ref: '', text: '' };
  const { done } = asked(() => ({ nodes: { nodes: [node('node_1', 'succeeded')] }, plan }));
  expect((await done)('key')).toBe(true);
  // What did not fit is asked for, of the run as it has ended.
  const rest: ViewRequest = { parts: ['nodes'], nodes: { after: 'node_1' }, ended: 9 };
  const pages = asked(({ nodes, ended }) => {
    expect(ended).toBe(9);
    return nodes?.after === 'node_1'
      ? { nodes: { nodes: [node('node_2', 'succeeded')] } }
      : { plan, nodes: { nodes: [node('node_1', 'failed')] }, rest };
  });
  expect((await pages.done)('key')).toBe(true);
});

test('a run that does not answer, or gives no answer, is waited for', async () => {
  await expect(
    asked(
      () => undefined,
      () => Promise.reject(new Error('away')),
    ).done,
  ).rejects.toThrow('away');
  await expect(asked(() => ({ nodes: { nodes: 7 } })).done).rejects.toThrow(
    'the query view of plan-1 was answered with',
  );
});
