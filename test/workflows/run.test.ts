import { DOCUMENTS, resultsIn } from '../../src/store/index.ts';
import { describe, expect, test } from 'vitest';
import { createBarrier, echo, ids, waits, writes } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const written: string[] = [];
const rig = await sharedRig({
  capabilities: [ids, echo, waits(barrier), writes('write', 'idempotent', written)],
  defaultExecutor: 'echo',
});

describe('a plan runs', () => {
  test('from its document to its result, every node once', async () => {
    const shared = idsOf('a', 'b', 'c');
    const plan = combine('UNION', combine('MINUS', shared, idsOf('b')), combine('INTERSECT', idsOf('c', 'd'), shared));
    const before = rig.ledger.length;
    const { outcome, result } = await rig.run(planOf(plan));
    expect(outcome).toBe('done');
    expect(await rig.read(result?.ref)).toMatchObject({ kind: 'set', set: { ids: ['a', 'c'] } });
    const started = rig.ledger.slice(before).filter(({ what }) => what === 'started');
    // Seven nodes are written, the shared one is merged.
    expect(started.map(({ nodeId }) => nodeId).toSorted()).toEqual([
      'node_1',
      'node_2',
      'node_3',
      'node_4',
      'node_5',
      'node_6',
    ]);
  });

  test('Pathfinder: goal, task, hint, context and inputs reach a task that names no capability', async () => {
    const { result } = await rig.run({
      goal: 'Find genes',
      plan: {
        type: 'task',
        task: 'narrow',
        hint: 'be strict',
        context: { organism: 'P. falciparum' },
        input: idsOf('a'),
      },
    });
    const read = await rig.read(result?.ref);
    expect(JSON.parse(read.kind === 'text' ? read.text : '')).toEqual({
      goal: 'Find genes',
      task: 'narrow',
      hint: 'be strict',
      context: { organism: 'P. falciparum' },
      inputs: ['set'],
    });
  });

  test('with a free branch going on while another is slow', async () => {
    const plan = combine('UNION', task('waits', { at: 'slow' }), combine('UNION', idsOf('x'), idsOf('y')));
    const run = await rig.startApproved(planOf(plan, { lane: 'visible' }));
    await barrier.reached('slow');
    const status = await rig.until(run, ({ counts }) => counts.succeeded === 3);
    expect(status.counts).toMatchObject({ running: 1, pending: 1 });
    barrier.open('slow');
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });

  test('by reference into the store', async () => {
    const ref = await resultsIn(rig.store, DOCUMENTS).put(Buffer.from(JSON.stringify(planOf(idsOf('a')))));
    expect(await rig.run({ ref })).toMatchObject({ outcome: 'done' });
  });
});

describe('under approval "effects"', () => {
  test('a plan of reads runs at once', async () => {
    const run = await rig.start(planOf(idsOf('a'), { approval: 'effects' }));
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });

  test('a plan that writes waits, and hands its capability one key', async () => {
    const run = await rig.start(planOf(task('write', { value: 'on' }), { approval: 'effects' }));
    await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
    expect(written).toEqual([]);
    await rig.approve(run);
    await run.result();
    expect(written).toEqual([
      expect.stringMatching(new RegExp(String.raw`^default/${run.workflowId}/[0-9a-f-]{36}/[\w-]{43}/0\.0\.0$`)),
    ]);
  });
});

test('history names every node by its id and summary, and carries no contents', async () => {
  const { workflowId } = await (async () => {
    const plan = combine('UNION', idsOf('a-very-long-id'.repeat(10)), idsOf('b'));
    const run = await rig.startApproved(planOf(plan, { lane: 'visible' }));
    await run.result();
    return run;
  })();
  const { events } = await rig.client.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  expect(scheduled.map((one) => one.activityId)).toEqual(['compile', 'node_1', 'node_2', 'node_3']);
  const results = (events ?? []).flatMap((event) => event.activityTaskCompletedEventAttributes?.result?.payloads ?? []);
  expect(results.slice(1).every((payload) => (payload.data?.length ?? 0) < 130)).toBe(true);
});
