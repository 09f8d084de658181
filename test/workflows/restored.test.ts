/** A store that knows less than the server, as after a restore from a copy: no effect is done twice, and no run is lost. */

import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { CapabilityError } from '../../src/capabilities/index.ts';
import type { NodesPage, PlanView } from '../../src/protocol/index.ts';
import { ids, writes, tool } from '../support/capabilities.ts';
import { idsOf, planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const paid: string[] = [];
let isBroken = true;
const reports = tool('reports', 'read', 'text', z.object({}), () => {
  if (isBroken) throw new CapabilityError('CRITICAL', 'no paper');
  return 'reported';
});

const rig = await sharedRig({ capabilities: [ids, reports, writes('pays', 'at-most-once', paid)] });
beforeEach(() => {
  paid.length = 0;
  isBroken = true;
});

const PAYS = task('reports', {}, { input: task('pays', { value: 'bill' }) });
const PARTS = ['runs', 'documents'];
const partOf = (part: string) => join(rig.store.place, part);
const copy = async () => {
  for (const part of PARTS) {
    await mkdir(partOf(part), { recursive: true });
    await cp(partOf(part), partOf(`${part}.copy`), { recursive: true });
  }
};
const restore = async () => {
  for (const part of PARTS) {
    await rm(partOf(part), { recursive: true, force: true });
    await rename(partOf(`${part}.copy`), partOf(part));
  }
};
const nodesOf = async (run: WorkflowHandle) => (await run.query<NodesPage>('nodes')).nodes;

test('an effect at most once of which the restored store has nothing is left to a person by the run that goes on', async () => {
  const run = await rig.start(planOf(PAYS));
  await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  await copy();
  await rig.approve(run);
  await expect(run.result()).rejects.toThrow();
  expect(paid).toHaveLength(1);
  await restore();
  isBroken = false;
  const next = await rig.start(planOf(PAYS, { reuse: run.workflowId }));
  await rig.approve(next);
  const item = await rig.opened(next, ({ kind }) => kind === 'uncertain');
  expect(item.text).toContain('its history says that it was done, and the store has nothing of it');
  expect(paid).toHaveLength(1);
  await rig.say(next, 'control', {
    action: 'resolve',
    node: 'node_1',
    outcome: 'succeeded',
    value: ['bill'],
    by: 'operator',
  });
  expect(await next.result()).toMatchObject({ outcome: 'done' });
  expect(paid).toHaveLength(1);
});

test('an effect that had not begun there is done, once', async () => {
  const run = await rig.start(planOf(task('pays', { value: 'later' }, { input: task('reports', {}) })));
  await rig.approve(run);
  await expect(run.result()).rejects.toThrow();
  isBroken = false;
  const next = await rig.start(
    planOf(task('pays', { value: 'later' }, { input: task('reports', {}) }), { reuse: run.workflowId }),
  );
  await rig.approve(next);
  expect(await next.result()).toMatchObject({ outcome: 'done' });
  expect(paid).toHaveLength(1);
});

test('a run whose plan is not in the store waits for the right one, and goes on', async () => {
  const run = await rig.start(planOf(idsOf('a', 'b')));
  await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  // A worker that has read nothing yet.
  await rig.stopWorker();
  for (const part of PARTS) await rename(partOf(part), partOf(`${part}.away`));
  await rig.startWorker();
  const { digest } = await run.query<PlanView>('plan');
  expect(await rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator' })).toBe('approved');
  const { waits } = await rig.until(run, (status) => status.waits !== undefined);
  expect(waits).toContain('waits for the store: NO_PLAN');
  expect((await nodesOf(run)).map(({ status }) => status)).toEqual(['pending']);
  for (const part of PARTS) {
    await rm(partOf(part), { recursive: true, force: true });
    await rename(partOf(`${part}.away`), partOf(part));
  }
  expect(await rig.say(run, 'control', { action: 'resume', by: 'operator' })).toContain('tried');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});
