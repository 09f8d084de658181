/** Messages of people and of Temporal to a run while a part of it is under way. */

import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { defineCapability } from '../../src/capabilities/index.ts';
import type { RunResult } from '../../src/protocol/index.ts';
import { createBarrier, ids, waits } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task, treeOver } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
/** Goes in no part: its run itself begins it. */
const single = defineCapability({ ...ids, name: 'single', alone: true });
const rig = await sharedRig({ capabilities: [ids, single, waits(barrier)] });

const leaves = (count: number, from = 'i') => Array.from({ length: count }, (_, n) => idsOf(`${from}${n}`));
/** A task that waits at a name of the test's own, and something that stands on it. */
const gated = (at: string) => task('ids', { ids: [`after ${at}`] }, { input: task('waits', { at }) });
const PARTS = { lane: 'parts', approval: 'effects' };
const control = (run: WorkflowHandle, action: string, over: object = {}) =>
  rig.say(run, 'control', { action, by: 'operator', ...over });
const begunOf = (run: WorkflowHandle) => Object.values(rig.begun(run)).reduce((sum, times) => sum + times, 0);

/** The id of the node that waits at the name. */
async function nodeAt(run: WorkflowHandle, name: string): Promise<string> {
  const { nodes } = await run.query<{ nodes: { id: string; summary: string }[] }>('nodes');
  return nodes.find(({ summary }) => summary.includes(`"${name}"`))?.id ?? '';
}

/** A part at work on a node that waits at the name, everything else done but for what stands on it. */
async function underWay(name: string, plan: object, over: object = {}): Promise<WorkflowHandle> {
  const run = await rig.start(planOf(plan, { ...PARTS, ...over }));
  await barrier.reached(name);
  return run;
}

test('pause lets what is at work end, begins nothing once its part has stopped, and resume goes on', async () => {
  const last = task('single', { ids: ['last'] }, { input: gated('paused') });
  const run = await underWay('paused', combine('UNION', last, treeOver(leaves(9))));
  await rig.until(run, ({ counts }) => counts.succeeded === 17);
  expect(await control(run, 'pause')).toContain('paused');
  barrier.open('paused');
  // It ends; as the part hears of the pause with its next beat, what stands on it may still begin until then.
  const status = await rig.until(run, ({ counts }) => counts.running === 0);
  expect(status).toMatchObject({ paused: true, counts: { cancelled: 0, failed: 0, skipped: 0 } });
  const begun = begunOf(run);
  expect(await control(run, 'pause')).toBe('it is paused already');
  expect(begunOf(run)).toBe(begun);
  expect(status.counts.succeeded).toBeLessThan(20);
  await control(run, 'resume');
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 10 } });
  expect(Object.entries(rig.begun(run)).filter(([, times]) => times > 1)).toEqual([]);
});

test('pause gets back what does not end by itself, and resume begins it again', async () => {
  const run = await underWay('kept waiting', combine('UNION', gated('kept waiting'), treeOver(leaves(3))));
  const node = await nodeAt(run, 'kept waiting');
  await control(run, 'pause');
  await rig.until(run, ({ counts }) => counts.running === 0 && counts.succeeded === 5);
  expect((await rig.statuses(run))[Number(node.slice(5)) - 1]).toBe('pending');
  barrier.open('kept waiting');
  await control(run, 'resume');
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 4 } });
  expect(Object.entries(rig.begun(run)).filter(([, times]) => times !== 1)).toEqual([[node, 2]]);
});

test('an edit while a part is under way keeps the results of what is unchanged', async () => {
  const of = (last: string) => combine('UNION', combine('UNION', gated('edited'), idsOf(last)), treeOver(leaves(9)));
  const { run, digest } = await rig.startAsked(planOf(of('old'), { lane: 'parts' }));
  const nodes = (await rig.statuses(run)).map((_, at) => `node_${at + 1}`).slice(0, -1);
  await rig.say(run, 'decide', { kind: 'approve-part', digest, by: 'operator', nodes });
  await barrier.reached('edited');
  await rig.until(run, ({ counts }) => counts.succeeded === 18);
  const edit = { kind: 'edit', digest, by: 'operator', plan: of('new') };
  expect(await rig.say(run, 'decide', edit)).toContain('revision 2');
  barrier.open('edited');
  const from = begunOf(run);
  await rig.approve(run);
  const { outcome, result } = (await run.result()) as RunResult;
  expect(outcome).toBe('done');
  const { set } = (await rig.read(result?.ref)) as { readonly set: { readonly ids: readonly string[] } };
  expect(set.ids.toSorted()).toEqual(
    ['after edited', ...leaves(9).flatMap((one) => one.arguments.ids), 'new'].toSorted(),
  );
  // The new leaf, what waited and what stands on them; none of the 17 nodes beside them.
  expect(begunOf(run) - from).toBeLessThanOrEqual(5);
});

test('kill and cancellation by Temporal end a run with a part under way, and what is at work is told to stop', async () => {
  const plan = (name: string) => combine('UNION', gated(name), treeOver(leaves(3)));
  const killed = await underWay('killed', plan('killed'));
  const cancelled = await underWay('by temporal', plan('by temporal'));
  expect(await control(killed, 'kill', { comment: 'enough' })).toContain('kill');
  await cancelled.cancel();
  expect(await killed.result()).toMatchObject({ outcome: 'aborted', by: 'operator' });
  await expect(cancelled.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  for (const run of [killed, cancelled]) {
    const ended = rig.ledger.filter(({ workflowId, what }) => workflowId === run.workflowId && what === 'failed');
    expect(ended).toHaveLength(1);
  }
});
