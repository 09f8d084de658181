/** Runs that are looked at: followed once for everybody, at a pace that a worker bears, and no longer than somebody looks. */

import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunEnd, RunHandle } from '../../src/client/index.ts';
import type { RunSession } from '../../src/config/project/index.ts';
import { html } from '../../src/page/markup.ts';
import { createWatches, type PageParts, type Seen } from '../../src/page/watch.ts';
import { followRun } from '../../src/client/follow.ts';
import type { FollowOptions } from '../../src/client/run-handle.ts';
import type { RunParts, RunStatus } from '../../src/protocol/index.ts';
import { DONE, HERE, status } from '../client/follow/fake-run.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PAGE = { nodes: 500, items: 100 };

interface Busy {
  /** How many nodes it has, and waits. */
  readonly nodes: number;
  readonly waits?: number;
  readonly loop?: true;
}

/** A run in which something has changed whenever it is asked, and that counts its queries, page by page. */
function busyRun({ nodes, waits = 0, loop }: Busy) {
  let asked = 0;
  let change = 0;
  let finish: (end: RunEnd) => void = () => {};
  const ended = new Promise<RunEnd>((resolve) => (finish = resolve));
  const told: RunStatus = status({ waitingFor: waits, ...(loop && { loop: { round: 1, maxRounds: 9 } }) });
  const pagesOf = <T>(count: number, page: number, make: (at: number) => T) => {
    asked += Math.max(1, Math.ceil(count / page));
    return Array.from({ length: count }, (_, at) => make(at));
  };
  const answers: Partial<Record<keyof RunParts, () => unknown>> = {
    status() {
      asked += 1;
      change += 1;
      return { ...told, counts: { ...told.counts, total: nodes, succeeded: change % (nodes + 1) } };
    },
    nodes: () =>
      pagesOf(nodes, PAGE.nodes, (at) => ({
        ...{ id: `node_${at + 1}`, status: 'pending', summary: `${change}`, executor: 'x' },
      })),
    open: () =>
      pagesOf(waits, PAGE.items, (at) => ({ id: `${at}`, text: `${change}`, since: '', send: {}, kind: 'question' })),
    trace() {
      asked += 1;
      return { entries: [], dropped: 0 };
    },
    plan() {
      asked += 1;
      throw new Error('it is in another store');
    },
    attempts: () => [],
    feedback: () => [],
    times: () => ({ startedAt: '', endedAt: '2026-01-01T00:00:00Z' }),
  };
  const run = {
    workflowId: 'run-1',
    view: async (names: readonly (keyof RunParts)[]) =>
      Object.fromEntries(names.map((name) => [name, answers[name]?.()])),
    follow: (options: FollowOptions) => followRun(run as unknown as RunHandle, HERE, options),
    end: (signal?: AbortSignal) =>
      Promise.race([
        ended,
        new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
      ]),
  };
  const session = { run: run as unknown as RunHandle, listed: undefined } as unknown as RunSession;
  const plans = { run: vi.fn(async () => session) };
  return { plans, finish, asked: () => asked, opened: () => plans.run.mock.calls.length };
}

function partsOf({ status: now, nodes }: Seen): PageParts {
  const part = (text: string) => html`<p>${text}</p>`;
  return new Map([
    ['head', part(`${now?.counts.succeeded}`)],
    ['size', part(`${nodes.length}`)],
  ]);
}

/** The watches of such a run, until the test is over. */
function watched(busy: Busy, render: Parameters<typeof createWatches>[1] = partsOf) {
  const run = busyRun(busy);
  const watches = createWatches(run.plans, render);
  onTestFinished(() => watches.close());
  return { ...run, watches };
}

async function looked(watches: ReturnType<typeof createWatches>) {
  const looking = watches.look('run-1');
  await vi.advanceTimersByTimeAsync(100);
  return looking;
}

describe('200 who watch a run', () => {
  test.each<[what: string, busy: Busy]>([
    ['a small one', { nodes: 5 }],
    ['one that waits', { nodes: 5, waits: 3 }],
    ['one of 1,000 nodes', { nodes: 1000 }],
    ['one of 8,000 nodes', { nodes: 8000 }],
    ['one with 3,000 questions', { nodes: 4000, waits: 3000 }],
    ['a loop', { nodes: 1, loop: true }],
  ])('cost it two queries a second: %s', async (_what, busy) => {
    const { watches, asked, opened } = watched(busy);
    await looked(watches);
    const first = asked();
    let heard = 0;
    const watchers = Array.from({ length: 200 }, () => new AbortController());
    const watching = watchers.map(async (over) => {
      const watch = await watches.look('run-1');
      const letGo = watch.hold();
      for (let { mark } = watch; !over.signal.aborted;) {
        await watch.changed(mark, over.signal);
        if (watch.markNow() !== mark) heard += 1;
        mark = watch.markNow();
      }
      letGo();
    });
    const seconds = 120;
    await vi.advanceTimersByTimeAsync(seconds * 1000);
    for (const over of watchers) over.abort();
    await Promise.all(watching);
    expect(opened()).toBe(1);
    expect(asked() - first).toBeLessThanOrEqual(2 * seconds);
    // It is watched all the same, by everybody.
    expect(asked() - first).toBeGreaterThan(seconds / 2);
    expect(heard).toBeGreaterThan(200);
  });
});

test('after somebody has spoken the next look is one that began after it', async () => {
  const { watches } = watched({ nodes: 3 });
  const before = await looked(watches);
  watches.renew('run-1');
  const after = await looked(watches);
  expect(after.seen.status?.counts.succeeded).toBeGreaterThan(before.seen.status?.counts.succeeded ?? 9);
});

test('the mark is another one when a part is, and in another watch', async () => {
  const { watches } = watched({ nodes: 3 });
  const still = () => watched({ nodes: 3 }, () => new Map([['head', html`<p>still</p>`]])).watches;
  const [same, other] = [await looked(still()), await looked(watches)];
  await vi.advanceTimersByTimeAsync(5000);
  expect(same.markNow()).toBe(same.mark);
  expect(other.markNow()).not.toBe(other.mark);
  expect((await looked(still())).mark).not.toBe(same.mark);
});

test('a run that nobody looks at is asked no more', async () => {
  const { watches, asked, opened } = watched({ nodes: 3 });
  const watch = await looked(watches);
  const letGo = watch.hold();
  await vi.advanceTimersByTimeAsync(60_000);
  const held = asked();
  letGo();
  await vi.advanceTimersByTimeAsync(60_000);
  const left = asked();
  expect(left - held).toBeLessThan(40);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked()).toBe(left);
  await looked(watches);
  expect(opened()).toBe(2);
});

test('the end is the last that is told', async () => {
  const { watches, finish } = watched({ nodes: 3 });
  const watch = await looked(watches);
  finish(DONE);
  const changed = watch.changed(watch.mark, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(5000);
  await changed;
  expect(watch.isOver()).toBe(true);
  expect((await looked(watches)).seen).toMatchObject({ end: DONE, endedAt: '2026-01-01T00:00:00Z' });
  // It goes on, as somebody may have it retried.
  watches.renew('run-1');
  expect((await looked(watches)).seen.end).toEqual(DONE);
});

test('runs beyond the bound take the place of those nobody looks at', async () => {
  const { watches } = watched({ nodes: 1 });
  const holds: (() => void)[] = [];
  for (let at = 0; at < 200; at += 1) {
    const looking = watches.look(`run-${at}`);
    await vi.advanceTimersByTimeAsync(1);
    holds.push((await looking).hold());
  }
  const more = watches.look('run-200');
  await expect(Promise.all([more, vi.advanceTimersByTimeAsync(1)])).rejects.toThrow(/200 runs are being watched/);
  holds[5]?.();
  const looking = watches.look('run-200');
  await vi.advanceTimersByTimeAsync(1);
  expect((await looking).seen.status?.phase).toBe('running');
});
