/** A bug of a build fails workflow tasks and no run: the next build continues, and nothing begins before. */

import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { StoreError, type Store } from '../../src/store/index.ts';
import { WORKFLOW_SOURCES } from '../../src/worker/workflow-sources.ts';
import { createBarrier, ids, waits, writes } from '../support/capabilities.ts';
import { idsOf, planOf, task } from '../support/plans.ts';
import { ownRig, plansOf, type Rig } from '../support/rig.ts';

vi.setConfig({ testTimeout: 300_000 });

const attemptOf = async (run: WorkflowHandle) => (await run.describe()).raw.pendingWorkflowTask?.attempt ?? 0;

test('a build whose turn breaks: the run says so, its effect in the queue does not begin, and the next build continues', async () => {
  const { code } = await bundleWorkflowCode({
    ...WORKFLOW_SOURCES,
    workflowsPath: fileURLToPath(new URL('../support/build-with-bug.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  const barrier = createBarrier();
  const written: string[] = [];
  const capabilities = [waits(barrier), writes('writes', 'at-most-once', written)];
  const rig = await ownRig({ capabilities, concurrentNodes: 1 });
  await rig.stopWorker();
  const stop = await rig.startWorker(undefined, undefined, { bundle: code });
  const { run } = await rig.startAsked(planOf(task('writes', { value: 'a' })));
  const healthy = await rig.startAsked(planOf(task('writes', { value: 'b' })));
  const other = await rig.startApproved(planOf(task('waits', { at: 'the only place' })));
  await barrier.reached('the only place');
  await rig.approve(run);
  await rig.until(run, ({ counts }) => counts.running === 1);
  await run.signal('control', { action: 'pause', by: 'operator' });
  await expect.poll(() => attemptOf(run)).toBeGreaterThan(1);
  barrier.open('the only place');
  expect(await other.result()).toMatchObject({ outcome: 'done' });
  await expect.poll(() => rig.begun(run)).toEqual({ node_1: 1 });

  const plans = plansOf(rig);
  const stuck = expect.stringMatching(
    /stands still: its workflow task has failed \d+ times: Cannot read .* begins nothing\. To continue, start a worker of a build without the fault .* temporal workflow reset .* temporal workflow terminate /,
  ) as string;
  await expect(plans.run(run.workflowId).view(['status'])).rejects.toMatchObject({ code: 'no-worker', message: stuck });
  const { taskQueue } = rig;
  const all = [run, healthy.run].map(({ workflowId }) => ({ workflowId, taskQueue }));
  const { statuses, unreachable } = await plans.statuses(all);
  expect([...statuses.keys()]).toEqual([healthy.run.workflowId]);
  expect(unreachable).toMatchObject([{ workflowId: run.workflowId, reason: stuck }]);
  expect(written).toEqual([]);

  await stop();
  await rig.startWorker();
  // The next build hears what the one before could not.
  await rig.until(run, ({ paused, counts }) => paused === true && counts.running === 0);
  expect(written).toEqual([]);
  expect(await rig.say(run, 'control', { action: 'resume', by: 'operator' })).toBe('resumed');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(written).toHaveLength(1);
});

/** A store that gives nothing until it is repaired. */
function brokenStore() {
  const state = { isBroken: false, tries: 0 };
  const storeOf = (store: Store): Store => ({
    ...store,
    async get(key) {
      if (!state.isBroken) return store.get(key);
      state.tries += 1;
      throw new StoreError('unreadable', 'the disk of the store is away');
    },
  });
  return { state, storeOf };
}

/** A run in a history of its own, whose state is in a store that is away. */
async function betweenHistories(rig: Rig, state: { isBroken: boolean }): Promise<WorkflowHandle> {
  const { run } = await rig.startAsked(planOf(idsOf('a'), { context: { long: 'x'.repeat(100_000) } }));
  state.isBroken = true;
  await run.signal('control', { action: 'go-on', by: 'operator' });
  return run;
}

test('a store that is away between two histories is waited for without end, and the status says so', async () => {
  const { state, storeOf } = brokenStore();
  const rig = await ownRig({ capabilities: [ids], storeOf });
  const run = await betweenHistories(rig, state);
  const view = () => plansOf(rig).run(run.workflowId).view(['status']);
  const failure = () => view().then(() => 'answered', String);
  await expect
    .poll(failure)
    .toMatch(
      /is between two histories and waits for the result store: .*the disk of the store is away.*, since .* UTC; try 3 at .* UTC/,
    );
  await expect(view()).rejects.toMatchObject({ code: 'no-worker', isStuck: true });
  await run.signal('approve', { digest: 'all', by: 'operator' });
  state.isBroken = false;
  await rig.approve(run);
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});
