/** The run that an agent works for, as the server names it. */

import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { HeldBack } from '../../src/worker/activities/begin-effect.ts';
import { rootByServer, rootOrHeldBack } from '../../src/worker/activities/root-of-run.ts';

const RUN = { workflowId: 'plan-1.node_1', runId: 'first' };

/** A double of a server that describes a run so, or does not. */
function asked(describe: () => Promise<object>) {
  const deadlines: number[] = [];
  const client = {
    connection: { withDeadline: (at: number, call: () => unknown) => (deadlines.push(at - Date.now()), call()) },
    workflow: { getHandle: () => ({ describe }) },
    withAbortSignal: <T>(_: AbortSignal, work: () => T) => work(),
  };
  const environment = new MockActivityEnvironment(
    {},
    { logger: new DefaultLogger('ERROR'), client: client as never as Client },
  );
  return { deadlines, root: environment.run(() => rootOrHeldBack(rootByServer, RUN)) as Promise<string> };
}

test.each([
  [{ raw: { workflowExecutionInfo: { rootExecution: { workflowId: 'plan-1' } } } }, 'plan-1'],
  [{ raw: { workflowExecutionInfo: {} } }, RUN.workflowId],
])('of %j it is %s', async (described, root) => {
  const { deadlines, root: found } = asked(() => Promise.resolve(described));
  expect(await found).toBe(root);
  expect(Math.abs((deadlines[0] ?? 0) - 15_000)).toBeLessThan(1000);
});

test('is waited for by an effect that has not begun: without an answer it is held', async () => {
  const { root } = asked(() => Promise.reject(new Error('gone')));
  await expect(root).rejects.toThrow(HeldBack);
  await expect(root).rejects.toThrow('the server does not say for which run it works (gone)');
});
