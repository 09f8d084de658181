/**
 * One workflow id, several starts: each start after a close is a run of its own, which asks and carries out again; a reset and a
 * hand-over are the same run, and pay nothing twice.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  WorkflowContinuedAsNewError,
  type WorkflowHandle,
  type WorkflowHandleWithFirstExecutionRunId,
} from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { PLAN_WORKFLOW, type RunResult, type RunStatus } from '../../src/protocol/index.ts';
import { createKeyPair, signMessage } from '../../src/protocol/identity/index.ts';
import { chainOf } from '../support/chain-of.ts';
import { createBarrier, ids, waits, writes } from '../support/capabilities.ts';
import { forgetRun } from '../support/forget-run.ts';
import { handOver, SHORT_HISTORIES } from '../support/hand-over.ts';
import { planOf, task } from '../support/plans.ts';
import { resetRun } from '../support/reset-run.ts';
import { openRig, sharedRig, type Rig, ownRig } from '../support/rig.ts';
import { eventually } from '../support/eventually.ts';

const paid: string[] = [];
const barrier = createBarrier();

const rig = await sharedRig({ capabilities: [ids, waits(barrier), writes('pays', 'at-most-once', paid)] });
beforeEach(() => void (paid.length = 0));

const PAYS = planOf(task('pays', { value: 'bill' }), { approval: 'effects' });

async function approved(run: WorkflowHandle): Promise<RunResult> {
  await rig.approve(run);
  return (await run.result()) as RunResult;
}

const reset = (run: WorkflowHandle) => resetRun(rig, run);

const firstLine = async (run: WorkflowHandle) => (await rig.opened(run, ({ kind }) => kind === 'approval')).warning;

describe('a second start of a closed id', () => {
  const ways: Record<string, (id: string) => Promise<unknown>> = {
    'by the SDK': (id) => rig.start(PAYS, id),
    'by the bare CLI': (id) =>
      promisify(execFile)(inject('cliPath'), [
        ...['workflow', 'start', '--address', inject('address'), '--type', PLAN_WORKFLOW],
        ...['--task-queue', rig.taskQueue, '--workflow-id', id, '--input', JSON.stringify(PAYS)],
      ]),
    'by a signal that starts it': (id) =>
      rig.client.workflow.signalWithStart(PLAN_WORKFLOW, {
        ...{ taskQueue: rig.taskQueue, workflowId: id, args: [PAYS] },
        ...{ signal: 'control', signalArgs: [{ action: 'resume', by: 'operator' }] },
      }),
  };
  test.each(Object.keys(ways))('%s asks again, says what another run began, and carries it out again', async (way) => {
    const first = await rig.start(PAYS);
    expect(await firstLine(first)).toBeUndefined();
    const before = await approved(first);
    const { firstRunId } = await first.query<RunStatus>('status');
    await ways[way]!(first.workflowId);
    const second = rig.client.workflow.getHandle(first.workflowId);
    expect(await firstLine(second)).toContain(`may have run already (${first.workflowId}@${firstRunId.slice(-8)}, `);
    expect(paid).toHaveLength(1);
    expect(await approved(second)).toMatchObject({ outcome: 'done', result: before.result });
    expect(paid).toHaveLength(2);
    expect((await second.query<RunStatus>('status')).firstRunId).not.toBe(firstRunId);
  });

  test('of a run that was ended in its effect, too', async () => {
    const plan = planOf(task('waits', { at: 'ended' }));
    const first = await rig.startApproved(plan);
    await barrier.reached('ended');
    await rig.client.workflow.start(PLAN_WORKFLOW, {
      ...{ taskQueue: rig.taskQueue, workflowId: first.workflowId, args: [PAYS] },
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
    barrier.open('ended');
    const second = rig.client.workflow.getHandle(first.workflowId);
    expect(await approved(second)).toMatchObject({ outcome: 'done' });
    expect(paid).toHaveLength(1);
  });
});

test('a Schedule makes each start a run of its own', async () => {
  const workflowId = `${rig.taskQueue}-scheduled`;
  const schedule = await rig.client.schedule.create({
    scheduleId: workflowId,
    spec: {},
    action: { type: 'startWorkflow', workflowType: PLAN_WORKFLOW, taskQueue: rig.taskQueue, workflowId, args: [PAYS] },
  });
  for (const times of [1, 2]) {
    await schedule.trigger();
    const run = await startedBy(schedule, times);
    await approved(run);
    expect(paid).toHaveLength(times);
  }
  await schedule.delete();
});

async function startedBy(schedule: ReturnType<Rig['client']['schedule']['getHandle']>, times: number) {
  const { workflowId } = await eventually(async () => {
    const { recentActions } = (await schedule.describe()).info;
    return recentActions[times - 1]?.action.workflow;
  });
  return rig.client.workflow.getHandle(workflowId);
}

test('a start with a cron schedule is refused at once, with what to use instead', async () => {
  const run = await rig.client.workflow.start(PLAN_WORKFLOW, {
    ...{ taskQueue: rig.taskQueue, workflowId: `${rig.taskQueue}-cron`, args: [PAYS], cronSchedule: '@every 1s' },
  });
  const first = rig.client.workflow.getHandle(run.workflowId, run.firstExecutionRunId, { followRuns: false });
  // The server starts it again all the same, as it does whatever fails under a cron schedule.
  await expect(first.result()).rejects.toThrow(WorkflowContinuedAsNewError);
  const next = rig.client.workflow.getHandle(run.workflowId);
  await next.terminate();
  const { events } = await next.fetchHistory();
  expect(events?.[0]?.workflowExecutionStartedEventAttributes?.continuedFailure).toMatchObject({
    message: expect.stringContaining('temporal schedule create') as string,
    applicationFailureInfo: { type: 'InvalidInput' },
  });
});

describe('a reset', () => {
  test('of a closed run pays nothing twice, and keeps its chain', async () => {
    const run = await rig.start(PAYS);
    const before = await approved(run);
    const { firstRunId } = await run.query<RunStatus>('status');
    const again = await reset(run);
    // The server says again what was said, the approval too.
    expect(await again.result()).toEqual(before);
    expect((await again.query<RunStatus>('status')).firstRunId).toBe(firstRunId);
    expect(paid).toHaveLength(1);
  });

  test('of an older run than the newest of its id pays nothing twice either', async () => {
    const first = await rig.start(PAYS);
    await approved(first);
    const old = rig.client.workflow.getHandle(first.workflowId, (await first.describe()).runId);
    await approved(await rig.start(PAYS, first.workflowId));
    expect(paid).toHaveLength(2);
    await (await reset(old)).result();
    expect(paid).toHaveLength(2);
  });
});

test(
  'where the server has forgotten its first history, a reset pays nothing twice, and the next run of the id is told',
  { tags: ['slow'] },
  async () => {
    const here = await ownRig({ capabilities: [writes('pays', 'at-most-once', paid)], budget: SHORT_HISTORIES });
    const { firstExecutionRunId: firstRunId, workflowId } = (await here.start(
      PAYS,
    )) as WorkflowHandleWithFirstExecutionRunId;
    const run = here.client.workflow.getHandle(workflowId);
    await here.opened(run, ({ kind }) => kind === 'approval');
    await handOver(run);
    await here.approve(run);
    const before = await run.result();
    await forgetRun(here, here.client.workflow.getHandle(workflowId, firstRunId));
    expect(await (await resetRun(here, run)).result()).toEqual(before);
    expect((await run.query<RunStatus>('status')).firstRunId).toBe(firstRunId);
    await here.start(PAYS, workflowId);
    const { warning } = await here.opened(run, ({ kind }) => kind === 'approval');
    expect(warning).toContain(`may have run already (${workflowId}@${firstRunId.slice(-8)}, `);
    expect(paid).toHaveLength(1);
    await here.approve(run);
    await run.result();
    expect(paid).toHaveLength(2);
  },
);

describe('a run that goes on from another', () => {
  test('goes on from an earlier run of its own id, which it names by the digits of its chain', async () => {
    const first = await rig.start(PAYS);
    await approved(first);
    const { firstRunId } = await first.query<RunStatus>('status');
    const reuse = `${first.workflowId}@${firstRunId.slice(-8)}`;
    const second = await rig.start({ ...PAYS, options: { approval: 'effects', reuse } }, first.workflowId);
    expect(await second.result()).toMatchObject({ outcome: 'done' });
    expect(paid).toHaveLength(1);
  });

  test('and not from itself', async () => {
    const id = `${rig.taskQueue}-itself`;
    const run = await rig.start({ ...PAYS, options: { approval: 'effects', reuse: id } }, id);
    await expect(run.result()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('cannot go on from itself') as string },
    });
  });
});

describe('with keys', () => {
  const { privateKey: key, publicKey } = createKeyPair();
  const sign = (workflowId: string, message: Record<string, unknown>, firstRunId?: string) =>
    signMessage({ key, by: 'operator', workflowId, message, ...(firstRunId !== undefined && { firstRunId }) });
  let signed: Rig;
  beforeAll(async () => {
    const identity = { keys: { operator: { publicKey, subject: 'operator' } } };
    signed = await openRig({ capabilities: [writes('pays', 'at-most-once', paid)], identity });
  });
  afterAll(() => signed.close());

  test('what was said to a run is not said to the next of its id, which asks for its own word', async () => {
    const { run: first, digest } = await signed.startAsked(PAYS);
    const approve = { kind: 'approve', digest };
    const { workflowId } = first;
    expect(await signed.say(first, 'decide', { token: await sign(workflowId, approve) })).toContain(
      'the token names no run of the id',
    );
    const old = await sign(workflowId, approve, await chainOf(signed.client, workflowId));
    expect(await signed.say(first, 'decide', { token: old })).toContain('approved');
    await first.result();
    const second = await signed.client.workflow.signalWithStart(PLAN_WORKFLOW, {
      ...{ taskQueue: signed.taskQueue, workflowId, args: [PAYS] },
      ...{ signal: 'decide', signalArgs: [{ token: old }] },
    });
    await signed.opened(second, ({ kind }) => kind === 'approval');
    const firstRunId = await chainOf(signed.client, workflowId);
    const refused = await signed.trace(second, 'refused');
    expect(refused.at(-1)?.text).toContain(`make one with "firstRunId":"${firstRunId}"`);
    expect(refused.at(-1)?.text).toContain('planwright approve');
    expect(paid).toHaveLength(1);
    await signed.say(second, 'decide', { token: await sign(workflowId, approve, firstRunId) });
    expect(await second.result()).toMatchObject({ outcome: 'done' });
    expect(paid).toHaveLength(2);
  });

  test('a signed start begins one run alone, and a reset of that is the same', async () => {
    const workflowId = `${signed.taskQueue}-started`;
    const input = { token: await sign(workflowId, { kind: 'start', ...PAYS }) };
    const { run: first, digest } = await signed.startAsked(input, workflowId);
    const approve = await sign(workflowId, { kind: 'approve', digest }, await chainOf(signed.client, workflowId));
    await signed.say(first, 'decide', { token: approve });
    await first.result();
    expect(await (await reset(first)).result()).toMatchObject({ outcome: 'done' });
    const again = await signed.start(input, workflowId);
    await expect(again.result()).rejects.toMatchObject({
      cause: { type: 'InvalidInput', message: expect.stringContaining('has begun another run') as string },
    });
    expect(paid).toHaveLength(1);
  });
});

test.each(['A', 'a', '../x', 'x'.repeat(1000)])('two runs of the id %s in turn are two runs', async (id) => {
  const workflowId = `${id}${rig.taskQueue}`.slice(0, 1000);
  for (const times of [1, 2]) {
    await approved(await rig.start(PAYS, workflowId));
    expect(paid).toHaveLength(times);
  }
});
