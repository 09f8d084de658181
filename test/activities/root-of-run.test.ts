/** The run that an agent works for, as the server names it. */

import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { Blocked, rootByServer, rootOrBlocked } from '../../src/activities/begin-effect.ts';
import type { Root } from '../../src/protocol/executions.ts';

const RUN = { workflowId: 'plan-1.node_1', runId: 'first' };

/** A double of a server that describes executions so, by their names, or does not. */
function asked(described: Record<string, object>, fault?: Error) {
  const deadlines: number[] = [];
  const describe = (name: string) => {
    if (fault !== undefined) return Promise.reject(fault);
    const info = described[name];
    return info === undefined
      ? Promise.reject(new WorkflowNotFoundError('gone', name, undefined))
      : Promise.resolve({ raw: { workflowExecutionInfo: info } });
  };
  const client = {
    connection: { withDeadline: (at: number, call: () => unknown) => (deadlines.push(at - Date.now()), call()) },
    workflow: {
      getHandle: (id: string, runId?: string) => ({ describe: () => describe([id, runId].join(' ').trim()) }),
    },
    withAbortSignal: <T>(_: AbortSignal, work: () => T) => work(),
  };
  const environment = new MockActivityEnvironment(
    {},
    { logger: new DefaultLogger('ERROR'), client: client as never as Client },
  );
  return { deadlines, root: environment.run(() => rootOrBlocked(rootByServer, RUN)) as Promise<Root> };
}

const CHILD = { rootExecution: { workflowId: 'plan-1', runId: 'second' }, firstRunId: 'first' };

test.each<[Record<string, object>, Root]>([
  [{ 'plan-1.node_1 first': { firstRunId: 'first' } }, { workflowId: RUN.workflowId, firstRunId: 'first' }],
  [{ 'plan-1.node_1 first': {} }, { workflowId: RUN.workflowId }],
  [
    { 'plan-1.node_1 first': CHILD, 'plan-1 second': { firstRunId: 'firstRunId' } },
    { workflowId: 'plan-1', firstRunId: 'firstRunId' },
  ],
  [
    { 'plan-1.node_1 first': CHILD, 'plan-1': { firstRunId: 'of the newest' } },
    { workflowId: 'plan-1', firstRunId: 'of the newest' },
  ],
])('of %j it is %j', async (described, root) => {
  const { deadlines, root: found } = asked(described);
  expect(await found).toEqual(root);
  expect(Math.abs((deadlines[0] ?? 0) - 15_000)).toBeLessThan(1000);
});

test('is waited for by an effect that has not begun: without an answer it is held', async () => {
  const { root } = asked({}, new Error('gone'));
  await expect(root).rejects.toThrow(Blocked);
  await expect(root).rejects.toThrow('the server does not say for which run it works (gone)');
});
