/** How often runs are asked about what they wait for: many of them, and such as do not answer. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { agesOf, watchInbox } from '../../src/config/own-worker/watch-inbox.ts';
import { METRICS } from '../../src/protocol/index.ts';

const NOW = Date.parse('2026-01-03T00:00:00.000Z');
const since = (ms: number) => new Date(NOW - ms).toISOString();

test('an item counts under every age that it has passed', () => {
  const items = [0, 299_999, 300_000, 3_600_000, 86_400_000].map((ms) => ({
    kind: 'question' as const,
    since: since(ms),
  }));
  const counts = new Map(agesOf(items, NOW));
  expect(counts.get('question')).toEqual([
    ['0s', 5],
    ['5m', 3],
    ['1h', 2],
    ['1d', 1],
  ]);
  expect(counts.get('approval')?.map(([, count]) => count)).toEqual([0, 0, 0, 0]);
});

describe('a round', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW }));
  afterEach(() => void vi.useRealTimers());

  /** Watches these runs; a run that is silent answers nothing. */
  function watching(runs: readonly string[], silent: (id: string) => boolean = () => false, notifier?: object) {
    const asked: string[] = [];
    const set = new Map<string, number>();
    const meter = {
      createGauge: (name: string) => ({
        set: (value: number, labels: object = {}) => void set.set(`${name} ${Object.values(labels).join(' ')}`, value),
      }),
    };
    const client = {
      connection: { withDeadline: (_at: number, call: () => Promise<unknown>) => call() },
      workflow: {
        async *list() {
          for (const workflowId of runs) yield { type: 'planWorkflow', workflowId, taskQueue: 'q' };
          yield { type: 'planWorkflow', workflowId: 'of another queue', taskQueue: 'other' };
        },
      },
    };
    const plans = {
      run: (id: string) => ({
        async view() {
          asked.push(id);
          if (silent(id)) throw new Error('no worker');
          return { status: { firstRunId: `first-${id}` }, open: [{ kind: 'approval', since: since(0) }] };
        },
      }),
    };
    const watch = watchInbox({ connected: { client }, plans, taskQueue: 'q', meter, notifier } as never);
    return {
      asked,
      watch,
      count: () => set.get(`${METRICS.openItems.name} approval 0s`),
      read: () => set.get(`${METRICS.inboxRead.name} `),
    };
  }

  test('asks 30 runs, those first that were asked longest ago, and counts all that it knows', async () => {
    const runs = Array.from({ length: 31 }, (_, n) => `plan-${n}`);
    const { asked, watch, count, read } = watching(runs);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(runs.slice(0, 30));
    expect([count(), read()]).toEqual([30, NOW / 1000]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(asked.slice(30)).toEqual(['plan-30', ...runs.slice(0, 29)]);
    expect(count()).toBe(31);
    await watch.stop();
    await vi.advanceTimersByTimeAsync(300_000);
    expect(asked).toHaveLength(60);
  });

  test('with notifications asks 1,000 runs, 20 at once, and the others of 10,000 in the next rounds', async () => {
    const told: string[] = [];
    const notifier = {
      items: async ({ firstRunId }: { readonly firstRunId: string }) => void told.push(firstRunId),
      ...{ run: async () => undefined, keep: () => undefined, stop: () => undefined },
    };
    const runs = Array.from({ length: 10_001 }, (_, n) => `plan-${n}`);
    const { asked, watch } = watching(runs, undefined, notifier);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(runs.slice(0, 1000));
    expect(told).toEqual(asked.map((id) => `first-${id}`));
    for (let round = 0; round < 9; round += 1) await vi.advanceTimersByTimeAsync(5000);
    expect(new Set(asked).size).toBe(10_000);
    await watch.stop();
  });

  test('does not wait for its messages, and the end of the watch does', async () => {
    let end = () => {};
    const stopped = new Promise<void>((resolve) => (end = resolve));
    const notifier = {
      items: () => new Promise(() => {}),
      ...{ run: async () => undefined, keep: () => undefined, stop: () => stopped },
    };
    const { asked, watch, count } = watching(['a'], undefined, notifier);
    for (let round = 0; round < 3; round += 1) await vi.advanceTimersByTimeAsync(5000);
    expect([asked.length, count()]).toEqual([4, 1]);
    let isOver = false;
    const over = watch.stop().then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(0);
    expect(isOver).toBe(false);
    end();
    await over;
  });

  test('ends at three runs without an answer, and comes to the others in the next', async () => {
    const runs = ['a', 'b', 'c', 'd'];
    const { asked, watch, count, read } = watching(runs, (id) => id !== 'd');
    await vi.advanceTimersByTimeAsync(0);
    expect([asked, read()]).toEqual([['a', 'b', 'c'], undefined]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(asked.slice(3, 5)).toEqual(['d', 'a']);
    expect(count()).toBe(1);
    await watch.stop();
  });
});
