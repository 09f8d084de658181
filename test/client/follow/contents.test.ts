/** A run as it is followed: beside how it stands the values of its nodes, who had them, and its plan. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClientError } from '../../../src/client/index.ts';
import { encodePlan } from '../../../src/plan/index.ts';
import type { AttemptView, NodeView, PlanView, RunView } from '../../../src/protocol/index.ts';
import { StoreError, type Result, type ResultStore } from '../../../src/store/index.ts';
import { fakeRun, status, type Moment } from './fake-run.ts';
import { compiledPlan } from '../../support/plans.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function node(number: number, over: Partial<NodeView> = {}): NodeView {
  const id = `node_${number}`;
  return { id, status: 'running', summary: id, executor: 'capability note@1', ...over };
}

function ended(number: number): NodeView {
  return node(number, {
    status: 'succeeded',
    result: { ref: `ref_${number}`, kind: 'value', count: 1, bytes: 4 },
  });
}

function moment(nodes: readonly NodeView[], revision = 1): Moment {
  const running = nodes.filter((one) => one.status === 'running').length;
  return { status: status({ revision, counts: { total: nodes.length, running } }), nodes };
}

type Parts = Parameters<typeof fakeRun>[1];

async function seen(moments: readonly Moment[], parts: Parts = {}, stored?: ResultStore['get']) {
  const read: string[] = [];
  const { run, asked } = fakeRun(moments, parts, stored && { store: { get: stored } });
  const readResult = async (ref: string): Promise<Result> => {
    read.push(ref);
    return { kind: 'value', value: Number(ref.replace('ref_', '')) };
  };
  Object.assign(run, { readResult });
  const views: RunView[] = [];
  const over = new AbortController();
  const following = (async () => {
    for await (const view of run.follow({ contents: true })) views.push(view);
  })().finally(() => over.abort());
  while (!over.signal.aborted) await vi.advanceTimersByTimeAsync(100);
  await following;
  return { views, read, asked, last: views.at(-1)! };
}

const MANY = 451;

test('the values of all nodes that ended between two views are read, once each', async () => {
  const numbers = Array.from({ length: MANY }, (_, at) => at + 1);
  const before = moment(numbers.map((number) => node(number)));
  const after = moment(numbers.map((number) => ended(number)));
  const { views, read, last } = await seen([before, after, after]);
  expect(read).toEqual(numbers.map((number) => `ref_${number}`));
  expect(last.nodes.map(({ value }) => value)).toEqual(numbers);
  const firstEnded = views.find(({ nodes }) => nodes[0]?.status === 'succeeded');
  expect(firstEnded?.nodes.at(-1)).toMatchObject({ value: MANY });
});

test('a node keeps the worker that had it, and loses it with its plan', async () => {
  const attempts = async (): Promise<readonly AttemptView[]> => [
    {
      id: 'node_1',
      attempt: 2,
      state: 'is carried out',
      worker: '4711@host',
      lastFailure: 'no',
    },
  ];
  const going = moment([node(1)]);
  const { views, last } = await seen([going, going, going, going, going, moment([ended(1)]), moment([ended(1)], 2)], {
    attempts,
  });
  const work = { attempt: 2, worker: '4711@host', before: 'no' };
  expect(views.some(({ nodes }) => nodes[0]?.status === 'running' && nodes[0].worker === '4711@host')).toBe(true);
  const done = views.find(({ nodes }) => nodes[0]?.status === 'succeeded');
  expect(done?.nodes[0]).toMatchObject({ ...work, value: 1 });
  expect(last.nodes[0]).not.toHaveProperty('worker');
  expect(last.nodes[0]).toMatchObject({ value: 1 });
});

const compiled = compiledPlan({
  goal: 'Move',
  plan: {
    operator: 'UNION',
    left: { task: 'Move it', capability: 'stage.move', arguments: { microns: 120, axis: 'x' } },
    right: { task: 'Look', capability: 'look' },
  },
});
const { plan } = compiled;
const [move = '', look = ''] = ['Move it', 'Look'].map((task) => plan.tasks.find((one) => one.task === task)?.id);
const both = (state: NodeView['status'] = 'running'): Moment =>
  moment([node(1, { id: move, status: state }), node(2, { id: look })]);
const shown = async (): Promise<PlanView> => ({ revision: 1, digest: 'd', ref: 'r', text: '' });
const moments = [both('pending'), both(), both('succeeded'), both('succeeded')];

test('the plan is read once, where the store at hand has it', async () => {
  const { views, asked } = await seen(moments, { plan: shown }, async () => encodePlan(plan));
  expect(new Set(views.map(({ compiled: one }) => one?.digest))).toEqual(new Set([plan.digest]));
  expect(asked.plan).toBe(1);
});

test('another store is asked once, and no more is said of it', async () => {
  const other = () => Promise.reject(new StoreError('not-found', 'another store'));
  const { last, asked } = await seen(moments, { plan: shown }, other);
  expect(last).not.toHaveProperty('compiled');
  expect(asked.plan).toBe(1);
});

test.each(['nodes', 'plan'] as const)('the %s of a revision that no worker told are asked for again', async (part) => {
  const edited: Moment = { ...both(), status: status({ revision: 2, counts: both().status.counts }) };
  const busy = new ClientError('no-worker', 'no worker answered');
  const plans = vi.fn(async () => ({ ...(await shown()), revision: 2 })).mockImplementationOnce(shown);
  const all = [...both().nodes!, ended(3)];
  const nodes = vi.fn(async () => all).mockResolvedValueOnce(all);
  (part === 'plan' ? plans : nodes).mockRejectedValueOnce(busy);
  const parts = { plan: plans, nodes } as Parts;
  const { views, read } = await seen([both(), edited, edited, edited, edited], parts, async () => encodePlan(plan));
  const last = views.findLast(({ end }) => end === undefined);
  expect([last?.status?.revision, last?.compiled?.digest]).toEqual([2, plan.digest]);
  // The values of each revision are read once.
  expect(read).toEqual(['ref_3', 'ref_3']);
});

test('the plan goes with its revision', async () => {
  const edited = moment([node(1, { id: move, status: 'pending' })], 2);
  const { views, last } = await seen([both(), both(), edited, edited], { plan: shown }, async () => encodePlan(plan));
  expect(views.some(({ compiled: one }) => one !== undefined)).toBe(true);
  expect(last).not.toHaveProperty('compiled');
});
