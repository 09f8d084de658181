/** A run as it is followed: beside how it stands the values of its nodes, who had them, and the arguments of effects. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followSeen, type SeenRun } from '../../src/operations/index.ts';
import { ClientError, type RunHandle } from '../../src/client/index.ts';
import { compilePlan, encodePlan } from '../../src/plan/index.ts';
import type { NodeView } from '../../src/protocol/index.ts';
import { StoreError, type Result, type ResultStore } from '../../src/store/index.ts';
import { fakeRun, status, type Moment } from '../client/follow/fake-run.ts';

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

interface Beside extends Partial<Pick<RunHandle, 'attempts' | 'plan'>> {
  readonly stored?: ResultStore['get'];
}

async function seen(moments: readonly Moment[], { stored, ...beside }: Beside = {}) {
  const read: string[] = [];
  const { run } = fakeRun(...moments);
  const readResult = async (ref: string): Promise<Result> => {
    read.push(ref);
    return { kind: 'value', value: Number(ref.replace('ref_', '')) };
  };
  const session = {
    run: { ...run, readResult, ...beside },
    store: { get: stored } as ResultStore,
    address: '127.0.0.1:7233',
    answers: async () => true,
  };
  const views: SeenRun[] = [];
  const over = new AbortController();
  const followed = followSeen(session, new AbortController().signal, (view) => void views.push(view)).finally(() =>
    over.abort(),
  );
  while (!over.signal.aborted) await vi.advanceTimersByTimeAsync(100);
  return { views, read, last: (await followed).view };
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
  const attempts: RunHandle['attempts'] = async () => [
    {
      id: 'node_1',
      attempt: 2,
      state: 'is carried out',
      failures: 0,
      others: 1,
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

const compiled = compilePlan({
  goal: 'Move',
  plan: {
    operator: 'UNION',
    left: { task: 'Move it', capability: 'stage.move', arguments: { microns: 120, axis: 'x' } },
    right: { task: 'Look', capability: 'look' },
  },
});
if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
const { plan } = compiled;
const [move = '', look = ''] = ['Move it', 'Look'].map((task) => plan.tasks.find((one) => one.task === task)?.id);
const both = (effect: NodeView['effect'], state: NodeView['status'] = 'running'): Moment =>
  moment([node(1, { id: move, status: state, ...(effect && { effect }) }), node(2, { id: look, effect: 'read' })]);
const MOVED = [[move, 'the arguments {"axis":"x","microns":120}']];

test.each<[told: unknown, effect: NodeView['effect'], stored: ResultStore['get'], asked: number]>([
  [MOVED, 'at-most-once', async () => encodePlan(plan), 1],
  [MOVED, 'idempotent', async () => encodePlan(plan), 1],
  // A plan is asked for where somebody looks for arguments.
  [undefined, 'read', async () => encodePlan(plan), 0],
  [[], 'at-most-once', () => Promise.reject(new StoreError('not-found', 'another store')), 1],
])('the arguments are %j of an effect %s', async (told, effect, stored, asked) => {
  const shown = vi.fn<RunHandle['plan']>(async () => ({ revision: 1, digest: 'd', ref: 'r', text: '' }));
  const moments = [both(effect, 'pending'), both(effect), both(effect, 'succeeded')];
  const { last, views } = await seen(moments, { stored, plan: shown });
  expect(views[0]).not.toHaveProperty('givenTo');
  expect(last.givenTo && [...last.givenTo]).toEqual(told);
  expect(shown).toHaveBeenCalledTimes(asked);
});

test('a worker that does not answer now is asked for the plan again', async () => {
  const shown = vi
    .fn<RunHandle['plan']>()
    .mockRejectedValueOnce(new ClientError('no-worker', 'no worker answered'))
    .mockResolvedValue({ revision: 1, digest: 'd', ref: 'r', text: '' });
  const moments = [both('idempotent'), { ...both('idempotent'), ...moment([...both('idempotent').nodes!, node(3)]) }];
  const { last } = await seen([...moments, moments[1]!], { stored: async () => encodePlan(plan), plan: shown });
  expect(last.givenTo && [...last.givenTo]).toEqual(MOVED);
});

test('arguments go with their plan', async () => {
  const shown: RunHandle['plan'] = async () => ({ revision: 1, digest: 'd', ref: 'r', text: '' });
  const edited = moment([node(1, { id: move, status: 'pending', effect: 'idempotent' })], 2);
  const { views, last } = await seen([both('idempotent'), both('idempotent'), edited, edited], {
    ...{ stored: async () => encodePlan(plan), plan: shown },
  });
  expect(views.some(({ givenTo }) => givenTo?.has(move) === true)).toBe(true);
  expect(last).not.toHaveProperty('givenTo');
});
