import { type WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { createBarrier, ids, waits, writes } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const written: string[] = [];
const paid: string[] = [];
const rig = await sharedRig({
  capabilities: [ids, waits(barrier), writes('set', 'idempotent', written), writes('pay', 'at-most-once', paid)],
});

const say = (run: WorkflowHandle, digest: string, kind: string, over: object = {}) =>
  rig.say(run, 'decide', { kind, digest, by: 'reviewer', ...over });
const openDigest = async (run: WorkflowHandle) => (await rig.until(run, () => true)).digest;

describe('after an edit', () => {
  const plan = (second: string) => ({
    plan: {
      goal: 'Set two supplies',
      steps: [
        { step_id: 1, capability: 'set', arguments: { value: 'one' }, description: 'first' },
        { step_id: 2, capability: 'set', arguments: { value: second }, description: 'second' },
      ],
    },
  });

  test('only the changed write asks again, and what ran does not run again', async () => {
    const { run, digest } = await rig.startAsked({ ...plan('two'), options: { approval: 'effects' } });
    await say(run, digest, 'approve-part', { nodes: ['node_1'] });
    await rig.until(run, ({ counts }) => counts.succeeded === 1);
    expect(await rig.open(run)).toMatchObject([{ nodes: ['node_2'] }]);
    expect(await say(run, digest, 'edit', { plan: plan('three').plan })).toContain('1 of its 3 nodes are unchanged');
    expect(await rig.open(run)).toMatchObject([{ kind: 'approval', revision: 2, nodes: ['node_2'] }]);
    await say(run, await openDigest(run), 'approve');
    expect(await run.result()).toMatchObject({ outcome: 'done', revision: 2 });
    expect(await rig.statuses(run)).toEqual(['reused', 'succeeded', 'succeeded']);
    expect(rig.begun(run)).toEqual({ node_1: 1, node_2: 1, node_3: 1 });
  });

  test('of the goal alone, an approved write that was given the goal asks again, and does not run before', async () => {
    const pays = (goal: string) => ({
      goal,
      steps: [
        { step_id: 1, capability: 'waits', arguments: { at: 'the bill' }, description: 'wait' },
        { step_id: 2, capability: 'pay', arguments: { value: 'x' }, description: 'pay', inputs: [{ X: '1' }] },
        { step_id: 3, capability: 'set', arguments: { value: 'x' }, description: 'note' },
      ],
    });
    const { run, digest } = await rig.startAsked({ plan: pays('Pay the grower'), options: { approval: 'effects' } });
    // Approved before what it takes is there, so that only the edit stands between it and its start.
    expect(await say(run, digest, 'approve-part', { nodes: ['node_2'] })).toContain('still to be approved: 1');
    await barrier.reached('the bill');
    expect(await say(run, digest, 'edit', { plan: pays('Pay the miller') })).toContain('revision 2 is open');
    expect(await rig.open(run)).toMatchObject([{ kind: 'approval', revision: 2, nodes: ['node_2', 'node_3'] }]);
    barrier.open('the bill');
    await rig.until(run, ({ counts }) => counts.succeeded + (counts.reused ?? 0) === 1);
    expect(paid).toEqual([]);
    await say(run, await openDigest(run), 'approve');
    expect(await run.result()).toMatchObject({ outcome: 'done', revision: 2 });
    expect(paid).toHaveLength(1);
  });

  test('work under way goes on where the new plan has it, and is let go where it has not', async () => {
    const leaf = (at: string) => task('waits', { at });
    const of = (left: string, right: string) => combine('UNION', combine('UNION', leaf(left), leaf(right)), idsOf('z'));
    const { run, digest } = await rig.startAsked(planOf(of('kept', 'gone')));
    await say(run, digest, 'approve-part', { nodes: ['node_1', 'node_2'] });
    await barrier.reached('kept');
    await barrier.reached('gone');
    // The first leaf becomes the second: its activity must land on the node that it is now.
    expect(await say(run, digest, 'edit', { plan: of('new', 'kept') })).toContain('2 of its 5 nodes are unchanged');
    barrier.open('kept');
    barrier.open('new');
    await rig.until(run, ({ counts }) => counts.succeeded === 1);
    await say(run, await openDigest(run), 'approve');
    const { result } = (await run.result()) as { result: { ref: string } };
    expect(await rig.read(result.ref)).toMatchObject({ set: { ids: ['kept', 'new', 'z'] } });
    const texts = (await rig.trace(run, 'node')).map(({ text }) => text);
    expect(texts).toEqual([
      expect.stringContaining('node_2 of the plan before is under way and not used any more'),
      // Alone in its activity, or in a part with others.
      expect.stringMatching(
        /^node_2 of revision 1 (?:has ended as cancelled \(cancelled\)|was stopped with its part);/,
      ),
    ]);
  });
});

test('an edit and an approval race: the edit was first, but compiles while the approval comes: the open plan was approved and runs', async () => {
  const { run, digest } = await rig.startAsked(planOf(idsOf('a')));
  await rig.stopWorker();
  await run.signal('decide', { kind: 'edit', digest, by: 'reviewer', plan: idsOf('b') });
  await run.signal('approve', { digest, by: 'operator' });
  await rig.startWorker();
  expect(await run.result()).toMatchObject({ outcome: 'done', digest, revision: 1 });
  expect((await rig.trace(run, 'refused')).map(({ text }) => text)).toEqual([
    expect.stringContaining('operator already said approve'),
  ]);
});
