/** Releases under open runs: a run stays on the build that began its history, and goes on in a new one on the current build. */

import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { beforeAll, expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import type { Deployment } from '../../src/protocol/index.ts';
import { createBarrier, ids, waits, writes } from '../support/capabilities.ts';
import { buildOfRun, movedFrom, release } from '../support/deployments.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const name = `plans-${randomUUID().slice(0, 8)}`;
const first: Deployment = { name, build: '1' };
const barrier = createBarrier();
const written: string[] = [];
const capabilities = [ids, waits(barrier), writes('once', 'at-most-once', written)];
const rig = await sharedRig({ capabilities, deployment: first });
beforeAll(() => release(rig.client, first));

/** Starts a worker of this build, beside those that are there, and gives new histories to it. */
async function deploy(build: string): Promise<void> {
  await rig.startWorker(createRegistry(capabilities), undefined, { deployment: { name, build } });
  await release(rig.client, { name, build });
}

async function goOn(run: WorkflowHandle): Promise<string> {
  const { runId } = await run.describe();
  expect(await rig.say(run, 'control', { action: 'go-on', by: 'operator' })).toContain('new history');
  return movedFrom(rig.client, run.workflowId, runId);
}

const waiting = async (plan: object, options: object = {}) => {
  const run = await rig.start(planOf(plan, options));
  await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  // A later history has another run id.
  return rig.client.workflow.getHandle(run.workflowId);
};

test(
  'a plan that waits across two releases is taken to each when it is told to, and its effect happens once',
  { tags: ['slow'] },
  async () => {
    const run = await waiting(task('once', { value: 'on' }, { input: idsOf('a') }));
    const left = await waiting(combine('UNION', idsOf('a'), idsOf('b')));
    for (const build of ['2', '3']) {
      await deploy(build);
      expect(await goOn(run)).toBe(build);
    }
    expect(await buildOfRun(rig.client, left.workflowId)).toBe('1');
    await rig.approve(run);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(written).toHaveLength(1);
    // Words from before a release are told after it.
    expect((await rig.trace(run, 'control')).map(({ said }) => said?.action)).toEqual(['go-on', 'go-on']);
    await rig.approve(left);
    expect(await left.result()).toMatchObject({ outcome: 'done' });
    expect(await buildOfRun(rig.client, left.workflowId)).toBe('1');
  },
);

test('a run with work under way goes on when that has ended, and nothing is done again', async () => {
  // In a part it would be done before it could go on.
  const run = await waiting(combine('UNION', task('waits', { at: 'long' }), idsOf('a')), { lane: 'visible' });
  await rig.approve(run);
  await barrier.reached('long');
  const { runId } = await run.describe();
  await deploy('4');
  await rig.say(run, 'control', { action: 'go-on', by: 'operator' });
  expect((await run.describe()).runId).toBe(runId);
  barrier.open('long');
  expect(await movedFrom(rig.client, run.workflowId, runId)).toBe('4');
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 2 } });
  expect(new Set(Object.values(rig.begun(run)))).toEqual(new Set([1]));
});
