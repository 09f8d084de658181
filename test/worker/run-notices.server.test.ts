/** Runs that need a person although nothing of them is in the inbox. */

import { expect, onTestFinished, test } from 'vitest';
import { createRunNotices } from '../../src/config/notify/index.ts';
import type { RunNotice } from '../../src/config/notify/messages.ts';
import { ids } from '../support/capabilities.ts';
import { idsOf, planOf } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const rig = await sharedRig({ capabilities: [ids] });
const TIMES = { lookMs: 0, unservedMs: 0 };

test('a run that failed is told, and one of a queue without a worker, each as the run that it is', async () => {
  const { client, taskQueue } = rig;
  const told: (RunNotice & { readonly workflowId: string; readonly firstRunId: string })[] = [];
  const notifier = {
    run: async (run: { readonly workflowId: string; readonly firstRunId: string }, notice: RunNotice) =>
      void told.push({ ...run, ...notice }),
  };
  const notices = createRunNotices({ connected: { client, namespace: 'default' }, taskQueue, notifier, times: TIMES });
  const running = await rig.start(planOf(idsOf('a')));
  const failed = await rig.start({ goal: 'no plan', plan: { type: 'nonsense' } });
  await expect(failed.result()).rejects.toThrow();
  const lost = await client.workflow.start('planWorkflow', {
    workflowId: `${taskQueue}-lost`,
    taskQueue: `${taskQueue}-nobody`,
    args: [planOf(idsOf('a'))],
  });
  onTestFinished(async () => void (await lost.terminate()));
  const names = () => told.map(({ kind, workflowId }) => `${kind} ${workflowId}`);
  await expect
    .poll(async () => (await notices.look(), names()))
    .toEqual(expect.arrayContaining([`run-failed ${failed.workflowId}`, `no-worker ${lost.workflowId}`]));
  expect(names().join()).not.toContain(running.workflowId);
  const notice = told.find(({ workflowId }) => workflowId === lost.workflowId);
  expect(notice).toMatchObject({
    firstRunId: lost.firstExecutionRunId,
    text: expect.stringMatching(/^no worker asks for work on /) as string,
  });
});
