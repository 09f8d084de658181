/** When a part tells its run, by a clock that the test moves; and that no end gets lost. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nodesIn, unpackEnds, type PartEnd } from '../../../src/protocol/index.ts';
import { createEndsReporter } from '../../../src/activities/part/report-ends.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const end = (node: number): PartEnd => ({
  node,
  handle: { ref: 'r'.repeat(43), kind: 'set', count: 1, bytes: 3 },
});
const long = (node: number, bytes: number): PartEnd => ({
  node,
  handle: { ...end(node).handle, notes: ['x'.repeat(bytes)] },
});

/** A run that hears as it is let: `answers` says of each call how it ends, and a call without an answer goes on. */
function opened() {
  const told: (readonly number[])[] = [];
  const open: { resolve(): void; reject(error: Error): void }[] = [];
  const news = createEndsReporter((ends) => {
    told.push(unpackEnds(ends).map(({ node }) => node));
    return new Promise((resolve, reject) => open.push({ resolve, reject }));
  });
  return { news, told, open };
}

describe('ends are told', () => {
  test('together, 2 s after the first of them', async () => {
    const { news, told } = opened();
    news.add(end(1), false);
    await vi.advanceTimersByTimeAsync(1000);
    news.add(end(2), false);
    await vi.advanceTimersByTimeAsync(999);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual([[1, 2]]);
  });

  test('again with the next, where the run was not reached', async () => {
    const { news, told, open } = opened();
    news.add(end(1), true);
    await vi.advanceTimersByTimeAsync(50);
    news.add(end(2), false);
    open[0]?.reject(new Error('the server is away'));
    await vi.advanceTimersByTimeAsync(2000);
    expect(told).toEqual([[1], [1, 2]]);
    open[1]?.resolve();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toHaveLength(2);
    expect(unpackEnds(await news.rest())).toEqual([]);
  });
});

describe('many ends', () => {
  const many = (total: number) => Array.from({ length: total }, (_, node) => long(node, 8 * 1024));

  test('that came while the run was away are told 256 KiB at a time', async () => {
    const { news, told, open } = opened();
    for (const one of many(300)) news.add(one, false);
    await vi.advanceTimersByTimeAsync(0);
    for (let at = 0; at < told.length; at += 1) {
      open[at]?.resolve();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(told.flat()).toEqual(Array.from({ length: 300 }, (_, node) => node));
    expect(Math.max(...told.map(({ length }) => length))).toBe(32);
  });
});

describe('the rest', () => {
  test('is what was not told, and nothing is told after it', async () => {
    const { news, told } = opened();
    news.add(end(1), true);
    expect(unpackEnds(await news.rest())).toEqual([end(1)]);
    news.add(end(2), true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toEqual([]);
  });
});

test('nodes that go alone are told in rising order, and each executor that is barred once', async () => {
  const { news } = opened();
  for (const node of [5, 2]) news.add({ node, alone: true, barred: 'slow@1' }, true);
  news.add({ node: 3, alone: true }, true);
  const { alone, barred } = await news.rest();
  expect([nodesIn(alone ?? ''), barred]).toEqual([[2, 3, 5], ['slow@1']]);
});
