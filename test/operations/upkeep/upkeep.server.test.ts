/** What belongs to runs that no server knows goes, and nothing else: on a real server, with runs of every kind that wait for days. */

import type { Client, WorkflowHandle } from '@temporalio/client';
import { expect, inject, test } from 'vitest';
import { createDrafts } from '../../../src/capabilities/builtin/drafts/index.ts';
import { createPlanClient } from '../../../src/client/index.ts';
import { defineAgent } from '../../../src/capabilities/index.ts';
import { collect, type CollectOptions } from '../../../src/operations/upkeep/collect.ts';
import { checkStore } from '../../../src/operations/upkeep/read-store.ts';
import { scriptedClient } from '../../../src/models/index.ts';
import type { HistoryBudget, RunResult } from '../../../src/protocol/index.ts';
import { StoreError } from '../../../src/store/index.ts';
import { anywhere } from '../../support/anywhere.ts';
import { FILES } from '../../store/stores.ts';
import { createBarrier, ids, waits, writes, which } from '../../support/capabilities.ts';
import { combine, idsOf, planOf, task, treeOver } from '../../support/plans.ts';
import { sharedRig } from '../../support/rig.ts';
import { fileNamespace } from '../../support/file-client.ts';

/** A new history every few nodes, whose state goes by pages. */
const TINY: HistoryBudget = { soft: { events: 40, bytes: 2 ** 20 }, hard: { events: 300, bytes: 2 ** 22 } };
const barrier = createBarrier();
const written: string[] = [];
const researcher = defineAgent({
  name: 'researcher',
  description: 'Finds sources.',
  instructions: 'Search.',
  capabilities: [ids, which],
});
const call = (id: string, name: string, args: object) => ({
  reply: { toolCalls: [{ id, name, arguments: JSON.stringify(args) }] },
});

const rig = await sharedRig({
  namespace: await fileNamespace(),
  capabilities: [ids, which, waits(barrier), writes('pays', 'at-most-once', written)],
  agents: [researcher],
  model: scriptedClient([
    call('1', 'ids', { ids: ['found'], task: 'Search' }),
    call('2', 'which', { task: 'Ask' }),
    call('3', 'finish', { answer: 'found it' }),
  ]),
  budget: TINY,
});

const placeOf = (client: Client) => ({
  client,
  namespace: client.options.namespace,
  address: inject('address'),
});
const clear = (options: Partial<CollectOptions> = {}) =>
  collect(rig.store, [placeOf(rig.client)], { remove: true, ...options });
const there = (ref: string) =>
  anywhere(rig.store)
    .get(ref)
    .then(
      () => true,
      (error: unknown) => !(error instanceof StoreError && error.code === 'not-found'),
    );
const resultOf = (run: WorkflowHandle) => run.result() as Promise<RunResult>;
const answerAll = async (run: WorkflowHandle) => {
  const item = await rig.opened(run, ({ kind }) => kind === 'question');
  await rig.say(run, 'answer', { question: item.id, value: ['red'], by: 'operator' });
};

test(
  'what belongs to runs that the server knows stays, for runs that go on after weeks as well',
  { tags: ['slow'] },
  async () => {
    const drafts = createDrafts(rig.store);
    await drafts.saveDraft('reef', { plan: { goal: 'Count', plan: idsOf('drafted') } }, { by: 'planner' });
    const many = treeOver(Array.from({ length: 40 }, (_, n) => idsOf(`leaf ${n}`)));
    const runs = {
      done: await rig.start(planOf(combine('UNION', task('pays', { value: 'once' }), idsOf('b')))),
      approval: await rig.start(planOf(combine('UNION', idsOf('c'), idsOf('d')))),
      work: await rig.start(planOf(combine('UNION', task('waits', { at: 'gate' }), idsOf('f')))),
      long: await rig.start(planOf(combine('UNION', task('which', {}), many), { lane: 'visible' })),
      question: await rig.start(planOf(combine('UNION', task('which', {}), idsOf('e')))),
      agent: await rig.start({ goal: 'Compare', plan: { task: 'Find', agent: 'researcher' } }),
    };
    for (const name of ['done', 'work', 'long', 'question', 'agent'] as const) await rig.approve(runs[name]);
    const { result } = await resultOf(runs.done);
    await barrier.reached('gate');
    await rig.until(runs.long, ({ counts }) => counts.succeeded >= 79);
    await rig.opened(runs.question, ({ kind }) => kind === 'question');
    const { children = [] } = await rig.until(runs.agent, ({ children: of = [] }) => of[0]?.waitingFor === 1);
    const child = rig.client.workflow.getHandle(children[0]?.workflowId ?? '');

    await FILES.age!(rig.store.place, 14);
    expect((await collect(rig.store, [placeOf(rig.client)], { remove: false })).removed).toBeUndefined();
    expect(await clear()).toMatchObject({ goneRuns: 0, removed: { count: 0, bytes: 0 } });

    // Everything goes on where it was, with what it had.
    await rig.stopWorker();
    await rig.startWorker();
    barrier.open('gate');
    await rig.approve(runs.approval);
    for (const run of [runs.long, runs.question, child]) await answerAll(run);
    for (const name of ['approval', 'work', 'long', 'question', 'agent'] as const) {
      expect(await resultOf(runs[name])).toMatchObject({ outcome: 'done' });
    }
    expect((await rig.read((await resultOf(runs.long)).result?.ref)).kind).toBe('set');
    expect((await rig.trace(runs.long)).length).toBeGreaterThan(0);
    expect((await rig.read(result?.ref)).kind).toBe('set');
    const again = await rig.start(
      planOf(combine('UNION', task('pays', { value: 'once' }), idsOf('b')), { reuse: runs.done.workflowId }),
    );
    // Everything that it needs was done: there is nothing to approve.
    expect(await resultOf(again)).toMatchObject({ outcome: 'done' });
    expect(written).toHaveLength(1);
    await drafts.get('reef');
    const plans = createPlanClient({
      client: rig.client,
      address: inject('address'),
      namespace: rig.client.options.namespace,
      store: rig.store,
      taskQueue: rig.taskQueue,
    });
    for (const node of (await plans.run(runs.long.workflowId).view(['nodes'])).nodes)
      expect(node.status).toBe('succeeded');
  },
);

// The server takes its time to forget a run; what goes then is in upkeep.test.
test('the things of a run go when no server knows it, and not while it should', { tags: ['slow'] }, async () => {
  const run = await rig.startApproved(planOf(combine('UNION', task('pays', { value: 'twice' }), idsOf('z'))));
  const { result } = await resultOf(run);
  await FILES.age!(rig.store.place, 14);
  const { namespace } = rig.client.options;
  await rig.connection.workflowService.deleteWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: run.workflowId },
  });
  const state = () =>
    run.describe().then(
      () => 'there',
      () => 'gone',
    );
  await expect.poll(state).toBe('gone');
  await FILES.age!(rig.store.place, 0);
  // The server keeps runs for a day.
  await FILES.age!(rig.store.place, 0.5);
  await expect(clear({ ageMs: 3_600_000 })).rejects.toThrow(/younger than the retention .* Give --deleted/s);
  expect(await there(result!.ref)).toBe(true);
  const { goneRuns, removed } = await clear({ ageMs: 3_600_000, deleted: true });
  expect(goneRuns).toBe(1);
  expect(removed?.count).toBeGreaterThan(5);
  expect(await there(result!.ref)).toBe(false);
  expect((await checkStore(rig.store)).problems).toEqual([]);
});
