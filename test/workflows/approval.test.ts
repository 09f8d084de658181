import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { beforeEach, describe, expect, test } from 'vitest';
import { ids } from '../support/capabilities.ts';
import { compiledPlan, idsOf, planOf } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const PLAN = planOf(idsOf('a'));
const DIGEST = digestOf(PLAN);
const rig = await sharedRig({ capabilities: [ids] });

let run: WorkflowHandle;
beforeEach(async () => {
  run = await rig.start(PLAN);
  await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
});

const refused = () => rig.trace(run, 'refused');

describe('a plan waits', () => {
  test('and shows the digest that the compiler gives offline', async () => {
    expect((await rig.until(run, () => true)).digest).toBe(DIGEST);
    expect(await rig.open(run)).toMatchObject([
      { workflowId: run.workflowId, digest: DIGEST, send: { name: 'approve', input: { digest: DIGEST.slice(0, 8) } } },
    ]);
    expect(rig.ledger.filter(({ workflowId }) => workflowId === run.workflowId)).toEqual([]);
    await run.signal('reject', { digest: DIGEST, by: 'operator' });
  });

  test('until it is approved by a signal that names 8 digits', async () => {
    await run.signal('approve', { digest: DIGEST.slice(0, 8), by: 'operator' });
    expect(await run.result()).toMatchObject({ outcome: 'done', digest: DIGEST, revision: 1 });
  });

  test('until it is rejected; nothing has run', async () => {
    await run.signal('reject', { digest: DIGEST, by: 'operator', comment: 'not today' });
    expect(await run.result()).toEqual({
      ...{ outcome: 'rejected', digest: DIGEST, revision: 1 },
      ...{ by: 'operator', comment: 'not today' },
    });
    expect(rig.ledger.filter(({ workflowId }) => workflowId === run.workflowId)).toEqual([]);
    expect(await rig.trace(run, 'decision')).toMatchObject([
      { said: { kind: 'reject', by: 'operator', comment: 'not today', verified: false } },
    ]);
  });
});

describe('a decision is refused with a reason, and the run goes on', () => {
  test.each<[string, object, string, string?]>([
    ['a bare approval of another digest', { digest: 'ffffffff', by: 'operator' }, 'names digest ffffffff', 'approve'],
    ['a bare rejection without a name', { digest: DIGEST }, 'by: expected', 'reject'],
    ['for another digest', { kind: 'approve', digest: 'ffffffff', by: 'operator' }, 'names digest ffffffff'],
    ['for another revision', { kind: 'approve', digest: DIGEST, revision: 2, by: 'operator' }, 'names revision 2'],
    ['without a name', { kind: 'approve', digest: DIGEST }, 'by: expected'],
    ['of no kind', { digest: DIGEST, by: 'operator' }, 'kind: expected'],
  ])('%s: by update, without an event', async (_, decision, reason, name = 'decide') => {
    const length = async () => (await run.describe()).historyLength;
    const before = await length();
    const error = await run.executeUpdate(name, { args: [decision] }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(WorkflowUpdateFailedError);
    expect((error as WorkflowUpdateFailedError).cause?.message).toContain(reason);
    expect(await length()).toBe(before);
    expect(await run.executeUpdate('approve', { args: [{ digest: DIGEST, by: 'operator' }] })).toMatchObject({
      ok: true,
    });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });

  test('for another digest: by signal, and kept in the trace', async () => {
    await run.signal('approve', { digest: 'ffffffff', by: 'operator' });
    await rig.approve(run);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect((await refused()).map(({ text }) => text)).toEqual([expect.stringContaining('names digest ffffffff')]);
  });

  test('never an update that is sent again with the same id: it is answered as the first time', async () => {
    const send = () =>
      run.executeUpdate('decide', { args: [{ kind: 'approve', digest: DIGEST, by: 'operator' }], updateId: 'd1' });
    expect([await send(), await send()]).toEqual([
      { ok: true, reply: 'approved' },
      { ok: true, reply: 'approved' },
    ]);
    await run.result();
    expect(await rig.trace(run, 'decision')).toHaveLength(1);
  });
});

describe('an approval is not lost', () => {
  test('when it comes before the plan is compiled', async () => {
    await rig.stopWorker();
    const early = await rig.client.workflow.signalWithStart('planWorkflow', {
      taskQueue: rig.taskQueue,
      workflowId: `${rig.taskQueue}-early`,
      args: [PLAN],
      signal: 'approve',
      signalArgs: [{ digest: DIGEST, by: 'operator' }],
    });
    await rig.startWorker();
    expect(await early.result()).toMatchObject({ outcome: 'done' });
    await run.signal('reject', { digest: DIGEST, by: 'operator' });
  });

  test('when no worker runs', async () => {
    await rig.stopWorker();
    await run.signal('approve', { digest: DIGEST, by: 'operator' });
    await rig.startWorker();
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });
});

function digestOf(document: object): string {
  return compiledPlan(document).plan.digest;
}
