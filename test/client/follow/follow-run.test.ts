/** A run is followed as views, through workers and servers that are gone. */

import { defaultMaxListeners, getEventListeners } from 'node:events';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ClientError } from '../../../src/client/index.ts';
import { waitForEnd } from '../../../src/client/run-end.ts';
import { NO_VIEW, type Beside } from '../../../src/client/follow.ts';
import { createChanges } from '../../../src/cli/view/index.ts';
import type { NodeView, OpenItem, RunParts, RunView } from '../../../src/protocol/index.ts';
import { DONE, fakeRun, status, type Moment } from './fake-run.ts';

const gone = { answers: async () => false };
const silent = new ClientError('no-worker', 'no worker answered on task queue planwright');

function node(id: string, state: NodeView['status']): NodeView {
  return { id, status: state, summary: id, executor: 'note@1' };
}

function item(id: string, kind: OpenItem['kind'] = 'question', since = '2026-01-01T00:00:00.000Z'): OpenItem {
  const name = kind === 'approval' ? 'approve' : 'answer';
  return {
    ...{ workflowId: 'run-1', id, kind, text: id, since, deadline: since, digest: 'd', revision: 1 },
    ...{ nodes: [], nodeCount: 0, send: { name, input: {} } },
  };
}

async function viewsOf(
  moments: readonly (Moment | Error)[],
  beside: Partial<Beside> = {},
): Promise<readonly RunView[]> {
  const { run } = fakeRun(moments, {}, beside);
  const views: RunView[] = [];
  for await (const view of run.follow({ everyMs: 0 })) views.push(view);
  return views;
}

const WRITING = { stage: 'write', plan: 1, call: 1 } as const;
const compiling = { status: status({ phase: 'drafting' }) };
const running = {
  status: status({ counts: { total: 2, running: 1, pending: 1 } }),
  nodes: [node('node_1', 'running'), node('node_2', 'pending')],
};
const half = {
  status: status({ counts: { total: 2, succeeded: 1, running: 1 } }),
  nodes: [node('node_1', 'succeeded'), node('node_2', 'running')],
};

describe('the views of a run', () => {
  test('come one for each change, the last with the end', async () => {
    const views = await viewsOf([compiling, compiling, running, running, half, half]);
    expect(views.map(({ status: seen, nodes }) => [seen?.phase, nodes.map((one) => one.status).join()])).toEqual([
      ['drafting', ''],
      ['running', 'running,pending'],
      ['running', 'succeeded,running'],
      ['running', 'succeeded,running'],
    ]);
    expect(views.map(({ end }) => end)).toEqual([undefined, undefined, undefined, DONE]);
  });

  test('keep their lists as long as nothing in them has changed, and ask for none of them', async () => {
    const asks = { ...running, status: { ...running.status, waitingFor: 1 }, open: [item('q')] };
    const { run, asked } = fakeRun([running, running, asks, asks, asks]);
    const views: RunView[] = [];
    for await (const view of run.follow({ everyMs: 0 })) views.push(view);
    expect(views).toHaveLength(3);
    expect(views[1]?.nodes).toBe(views[0]?.nodes);
    expect(asked).toMatchObject({ nodes: 2, open: 1 });
  });

  test('tell of a plan what its model wrote last, when the server has forgotten it, each node once', async () => {
    const planning = (...feedback: RunParts['feedback']) => ({
      status: status({ phase: 'drafting', planning: WRITING }),
      feedback,
    });
    const keyed = (key: string) => ({ ...node(`node_${key}`, 'pending'), key, summary: `find ${key}` });
    const planned = {
      status: status({ counts: { total: 3, pending: 3 } }),
      nodes: [keyed('a'), keyed('b'), keyed('c')],
    };
    // What is said before the plan may begin as a line about a node does.
    const why = { text: 'b: why' };
    const views = await viewsOf([planning(why, { text: 'a: find a (note)', key: 'a' }), planned, planned, half]);
    expect(views.map(({ feedback }) => feedback)).toEqual([
      ['b: why', 'a: find a (note)'],
      ['b: find b (note)', 'c: find c (note)'],
      [],
      [],
    ]);
  });

  test('tell nothing of a plan that is not the one whose lines were heard', async () => {
    const feedback = [{ text: 'a: find a (note)', key: 'a' }];
    const drafting = { status: status({ phase: 'drafting', planning: WRITING }), feedback };
    const views = await viewsOf([drafting, running, running]);
    expect(views.map((view) => view.feedback)).toEqual([['a: find a (note)'], [], []]);
  });

  test('list an approval, which may hold a screen, after what else is open', async () => {
    const open = [item('approve', 'approval'), item('q')];
    const asks = { status: status({ waitingFor: 2 }), open };
    const [view] = await viewsOf([asks, asks]);
    expect(view?.open.map(({ id }) => id)).toEqual(['q', 'approve']);
  });

  test('tell a trouble once, keep what was known, and are without it when the run answers again', async () => {
    const views = await viewsOf([running, silent, silent, half, half]);
    expect(views.map(({ trouble, nodes }) => [trouble?.code, nodes.length])).toEqual([
      [undefined, 2],
      ['no-worker', 2],
      [undefined, 2],
      [undefined, 2],
    ]);
    expect(views[1]?.trouble?.message).toBe(silent.message);
  });

  test('tell a server that is gone from a worker that is', async () => {
    const views = await viewsOf([running, silent, half], gone);
    expect(views[1]?.trouble).toEqual({
      code: 'no-server',
      message: expect.stringMatching(/^the Temporal server at 127\.0\.0\.1:7233 is gone; .* goes on when it is back$/),
    });
  });

  test('are over with what cannot pass, and with the reason of the signal', async () => {
    const none = new ClientError('no-run', 'there is no run');
    await expect(viewsOf([none, none])).rejects.toBe(none);
    const stop = new AbortController();
    const { run } = fakeRun([running, running, running, running]);
    const follow = async () => {
      for await (const _ of run.follow({ signal: stop.signal })) stop.abort(new Error('enough'));
    };
    await expect(follow()).rejects.toThrow('enough');
  });
});

describe('what waits for a person', () => {
  const asked = item('q');
  test.each<[name: string, before: OpenItem[], now: OpenItem[], opened: string[], closed: string[]]>([
    ['nothing', [], [], [], []],
    ['something new', [], [asked], ['q'], []],
    ['the same', [asked], [{ ...asked }], [], []],
    ['carried to another plan', [asked], [{ ...asked, digest: 'e', revision: 2 }], [], []],
    ['asked anew', [asked], [item('q', 'question', '2026-02-01T00:00:00.000Z')], ['q'], ['q']],
    ['one answered, another asked', [asked, item('r')], [item('r'), item('s')], ['s'], ['q']],
  ])('%s', (_name, before, now, opened, closed) => {
    const newIn = createChanges();
    newIn({ ...NO_VIEW, open: before });
    const changes = newIn({ ...NO_VIEW, open: now });
    const told = (is: 'open' | 'over') => changes.flatMap((one) => (one.change === is ? [one.item.id] : []));
    expect([told('open'), told('over')]).toEqual([opened, closed]);
  });
});

test('a wait for the end of any length leaves few listeners on any signal, and none at its end', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const stop = new AbortController();
  const seen: number[] = [];
  // As the SDK does: a listener for every call, which stays. A server answers one every 20 s.
  const withAbortSignal = async (signal: AbortSignal) => {
    while (seen.length < POLLS) {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => {});
      seen.push(getEventListeners(signal, 'abort').length);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return DONE;
  };
  const handle = { workflowId: 'run', client: { connection: { withAbortSignal } } } as unknown as WorkflowHandle;
  const waited = waitForEnd(handle, { address: '', namespace: '', taskQueue: '' }, stop.signal);
  await vi.advanceTimersByTimeAsync((POLLS + 1) * POLL_MS);
  expect(await waited).toEqual({ how: 'completed', result: DONE });
  expect(seen).toHaveLength(POLLS);
  expect(Math.max(...seen)).toBeLessThan(defaultMaxListeners);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
});

test('a wait for the end stops when it is told to, also where its call never ends', async () => {
  const stop = new AbortController();
  const connection = { withAbortSignal: () => new Promise(() => {}) };
  const handle = { workflowId: 'run', client: { connection } } as unknown as WorkflowHandle;
  const waited = waitForEnd(handle, { address: '', namespace: '', taskQueue: '' }, stop.signal);
  stop.abort(new Error('told to'));
  await expect(waited).rejects.toThrow('told to');
});

const POLLS = 500;
const POLL_MS = 20_000;
