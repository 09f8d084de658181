/** The rule of docs/decisions/histories.md for another order of commands, on a build that has one. */

import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, expect, inject, test, vi } from 'vitest';
import { createWorker, DATA_CONVERTER } from '../../src/worker/index.ts';
import { WORKFLOW_SOURCES } from '../../src/worker/workflow-sources.ts';
import { ids } from '../support/capabilities.ts';
import { readPacked } from '../support/packed-json.ts';
import { idsOf, planOf } from '../support/plans.ts';
import { ownRig } from '../support/rig.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const bundle = async (build: string) => {
  const workflowsPath = pathOf(`../support/${build}.ts`);
  return (await bundleWorkflowCode({ ...WORKFLOW_SOURCES, workflowsPath, logger: new DefaultLogger('ERROR') })).code;
};
let unguarded: string;
let guarded: string;
beforeAll(async () => {
  unguarded = await bundle('build-of-other-order');
  guarded = await bundle('build-of-new-order');
});

const replay = (code: string, history: unknown, id: string) =>
  Worker.runReplayHistory({ workflowBundle: { code }, dataConverter: DATA_CONVERTER }, history, id);
const recorded = (name: string) => readPacked(pathOf(`histories/${name}.json.gz`));

test('without a patch a history that was recorded before does not replay', async () => {
  await expect(replay(unguarded, recorded('done'), 'done')).rejects.toThrow(DeterminismViolationError);
});

test.each(['done', 'asked', 'rejected', 'continued-2'])('with one the history %s replays', (name) =>
  replay(guarded, recorded(name), name),
);

test('a run under way goes on in its old order, a new one has the new, and the history of each replays', async () => {
  const rig = await ownRig({ capabilities: [ids] });
  const { run } = await rig.startAsked(planOf(idsOf('a')));
  await rig.stopWorker();
  await rig.startWorker(undefined, undefined, { bundle: guarded });
  await rig.approve(run);
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  await replay(guarded, await run.fetchHistory(), run.workflowId);

  // Not on the rig's queue, whose histories are replayed by the build before.
  const connection = await NativeConnection.connect({ address: inject('address') });
  const taskQueue = `${rig.taskQueue}-changed`;
  const sdk = { workflowBundle: { code: guarded } };
  const { registry, store } = rig;
  const worker = await createWorker({ connection, namespace: 'default', taskQueue, registry, store, sdk });
  const later = await worker.runUntil(async () => {
    const args = [planOf(idsOf('a'), { approval: 'effects' })];
    const started = await rig.client.workflow.start('planWorkflow', { taskQueue, workflowId: taskQueue, args });
    await started.result();
    return started;
  });
  await connection.close();
  const history = await later.fetchHistory();
  await replay(guarded, history, later.workflowId);
  await expect(Worker.runReplayHistory(today(), history, later.workflowId)).rejects.toThrow(DeterminismViolationError);
});

const today = () => ({ workflowBundle: { codePath: inject('bundlePath') }, dataConverter: DATA_CONVERTER });
