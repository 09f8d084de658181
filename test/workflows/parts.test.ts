/** Many reads and set operators in one activity: what a run gives, shows and writes is what it is without parts. */

import { setTimeout } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test, inject } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { aborted, type NodesPage, type NodeView, type RunResult } from '../../src/protocol/index.ts';
import { createBarrier, echo, ids, waits, writes, tool } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task, treeOver } from '../support/plans.ts';
import { ownRig, sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const written: string[] = [];
const rig = await sharedRig({ capabilities: [ids, echo, waits(barrier), writes('write', 'idempotent', written)] });

async function eventsOf(run: WorkflowHandle) {
  return (await run.fetchHistory()).events ?? [];
}

async function activitiesOf(run: WorkflowHandle) {
  return (await eventsOf(run)).flatMap(({ activityTaskScheduledEventAttributes: scheduled, userMetadata }) => {
    if (!scheduled) return [];
    const summary = userMetadata?.summary && defaultPayloadConverter.fromPayload<string>(userMetadata.summary);
    return [{ id: scheduled.activityId, type: scheduled.activityType?.name, summary }];
  });
}

async function nodesOf(run: WorkflowHandle): Promise<readonly NodeView[]> {
  const nodes: NodeView[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: NodesPage = await run.query<NodesPage, [object]>('nodes', { after });
    nodes.push(...page.nodes);
    after = page.next;
  }
  return nodes;
}

/** 151 leaves, 150 operators; pairs of leaves cancel each other out but for what they share. */
const LEAVES = 151;
const large = treeOver(
  Array.from({ length: LEAVES }, (_, n) => (n === 7 ? task('waits', { at: 'large' }) : idsOf(`i${n}`, `j${n % 5}`))),
);

test('300 nodes in parts give what they give one by one, each once, with a history of some events', async () => {
  const ends: RunResult[] = [];
  for (const lane of ['visible', 'parts'] as const) {
    const run = await rig.start(planOf(large, { lane, approval: 'effects' }));
    if (lane === 'visible') barrier.open('large');
    const result = (await run.result()) as RunResult;
    expect(result.outcome).toBe('done');
    expect(Object.entries(rig.begun(run)).filter(([, times]) => times !== 1)).toEqual([]);
    expect(Object.keys(rig.begun(run))).toHaveLength(2 * LEAVES - 1);
    ends.push(result);
    if (lane === 'visible') continue;
    // A part that takes longer tells its run more often: a signal and a workflow task, which are four events.
    const events = await eventsOf(run);
    const told = events.filter((event) => event.workflowExecutionSignaledEventAttributes).length;
    expect(events.length - 4 * told).toBeLessThanOrEqual(20);
    expect((await activitiesOf(run)).filter(({ id }) => id?.startsWith('node_'))).toEqual([]);
  }
  const [visible, parts] = ends;
  expect(parts?.result).toEqual(visible?.result);
  expect((await rig.read(parts?.result?.ref)).kind).toBe('set');
}, 300_000);

test('a part under way is named by its nodes, and its activity says what it is of', async () => {
  const leaves = Array.from({ length: 60 }, (_, n) => (n === 3 ? task('waits', { at: 'shown' }) : idsOf(`i${n}`)));
  const run = await rig.start(planOf(treeOver(leaves), { lane: 'parts', approval: 'effects' }));
  await barrier.reached('shown');
  await rig.until(run, ({ counts }) => counts.succeeded > 100);
  const nodes = await nodesOf(run);
  const parts = new Set(nodes.flatMap(({ status, part }) => (status === 'running' ? [part] : [])));
  expect(parts).toEqual(new Set(['part_2']));
  // A node that has ended is in no part any more.
  expect(nodes.filter(({ status, part }) => status === 'succeeded' && part !== undefined)).toEqual([]);
  expect((await activitiesOf(run)).at(-1)).toEqual({
    id: 'part_2',
    type: 'runPart',
    summary: '119 nodes: 59 ids, 59 set operators, 1 waits',
  });
  barrier.open('shown');
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 60 } });
  expect((await nodesOf(run)).filter(({ part }) => part !== undefined)).toEqual([]);
});

test('auto takes parts above 1,000 nodes', async () => {
  const plan = treeOver(Array.from({ length: 501 }, (_, n) => idsOf(`i${n}`)));
  const run = await rig.start(planOf(plan, { lane: 'auto', approval: 'effects' }));
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 501 } });
  // Of tiny histories only the last is read back.
  if (!inject('hostile')) expect((await activitiesOf(run)).filter(({ id }) => id?.startsWith('node_'))).toEqual([]);
});

/** A question and two effects among reads: the reads on both sides of them go in parts. */
function mixed(names: { readonly write: readonly [string, string]; readonly question: string }) {
  const reads = (from: string) => treeOver(Array.from({ length: 6 }, (_, n) => idsOf(`${from}${n}`)));
  const [first, second] = names.write;
  const wrote = (value: string, input: object) => task('write', { value }, { input });
  const asked = task('ask', { question: names.question }, { input: reads('q') });
  const after = (input: object, id: string) => task('ids', { ids: [id] }, { input });
  return combine(
    'UNION',
    combine('UNION', after(wrote(first, reads('a')), 'after-first'), after(wrote(second, reads('b')), 'after-second')),
    combine('UNION', after(asked, 'after-answer'), reads('c')),
  );
}

test.each(['visible', 'parts'] as const)('reads, effects and a question in one plan (%s)', async (lane) => {
  written.length = 0;
  const run = await rig.start(planOf(mixed({ write: ['w1', 'w2'], question: 'go?' }), { lane, approval: 'effects' }));
  const { id } = await rig.opened(run, ({ kind }) => kind === 'question');
  const approval = await rig.opened(run, ({ kind }) => kind === 'approval');
  // All reads that stand on nothing but reads have ended; no effect has begun.
  await rig.until(run, ({ counts }) => counts.running === 0 && counts.succeeded >= 40);
  expect(written).toEqual([]);
  expect(approval.nodes).toHaveLength(2);
  expect(await rig.say(run, 'answer', { question: id, value: 'go', by: 'operator' })).toBe('answered');
  await rig.until(run, ({ counts }) => counts.waiting === 0);
  expect(written).toEqual([]);
  await rig.approve(run);
  const { outcome, result } = (await run.result()) as RunResult;
  expect(outcome).toBe('done');
  expect(await rig.read(result?.ref)).toMatchObject({
    set: { ids: expect.arrayContaining(['after-first', 'after-second', 'after-answer', 'c5']) as string[] },
  });
  expect(written).toHaveLength(2);
  expect(new Set(written).size).toBe(2);
  expect(new Set(Object.values(rig.begun(run)))).toEqual(new Set([1]));
  const types = new Set((await activitiesOf(run)).map(({ type }) => type));
  expect(types.has('runPart')).toBe(lane === 'parts');
});

test('reads that take longer than a part end in several, and one that lasts is carried out by itself', async () => {
  let lasting = 0;
  const read = (name: string, execute: (signal: AbortSignal) => Promise<unknown>) =>
    tool(name, 'read', 'set', z.object({ id: z.string() }), async ({ arguments: { id }, signal }) => {
      await execute(signal);
      return createSet([{ id }]);
    });
  const naps = read('naps', () => setTimeout(30));
  const lasts = read('lasts', (signal) => (++lasting === 1 ? aborted(signal) : Promise.resolve()));
  const slow = await ownRig({
    capabilities: [naps, lasts],
    partTimes: { tryMs: 2000, beginMs: 300, endMs: 60_000 },
    concurrentNodes: 2,
  });
  const leaves = Array.from({ length: 40 }, (_, n) => task(n === 9 ? 'lasts' : 'naps', { id: `n${n}` }));
  const run = await slow.start(planOf(treeOver(leaves), { lane: 'parts', approval: 'effects' }));
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 40 } });
  const activities = await activitiesOf(run);
  expect(activities.filter(({ type }) => type === 'runPart').length).toBeGreaterThan(1);
  expect([lasting, activities.filter(({ type }) => type === 'runTask').length]).toEqual([2, 1]);
});
