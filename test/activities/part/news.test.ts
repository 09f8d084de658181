/** When a part tells its run, by a clock that the test moves; and that no end gets lost. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { unpackEnds, type PartEnd } from '../../../src/protocol/index.ts';
import { createNews } from '../../../src/activities/part/news.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const end = (node: number): PartEnd => ({
  node,
  handle: { ref: 'r'.repeat(43), kind: 'set', count: 1, bytes: 3 },
});
const long = (node: number, bytes: number): PartEnd => ({
  node,
  failure: { type: 'CRITICAL', message: 'x'.repeat(bytes) },
});

/** A run that hears as it is let: `answers` says of each call how it ends, and a call without an answer goes on. */
function opened() {
  const told: (readonly number[])[] = [];
  const open: { resolve(): void; reject(error: Error): void }[] = [];
  const news = createNews((ends) => {
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

  test('with what came before, 50 ms after one that is waited for', async () => {
    const { news, told } = opened();
    news.add(end(1), false);
    news.add(end(2), true);
    news.add(end(3), false);
    await vi.advanceTimersByTimeAsync(49);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual([[1, 2, 3]]);
  });

  test('at once when they are 256 KiB', async () => {
    const { news, told } = opened();
    news.add(long(1, 256 * 1024 - 200), false);
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual([]);
    news.add(long(2, 200), false);
    await vi.advanceTimersByTimeAsync(0);
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
    expect(await news.rest()).toEqual([]);
  });

  test('one call after another', async () => {
    const { news, told, open } = opened();
    news.add(end(1), true);
    await vi.advanceTimersByTimeAsync(50);
    news.add(end(2), true);
    news.add(long(3, 300_000), false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toEqual([[1]]);
    open[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual([[1], [2, 3]]);
  });

  test('soon, also where they came while the run was told of others', async () => {
    const { news, told, open } = opened();
    news.add(end(1), true);
    await vi.advanceTimersByTimeAsync(50);
    news.add(end(2), true);
    open[0]?.resolve();
    await vi.advanceTimersByTimeAsync(50);
    expect(told).toEqual([[1], [2]]);
  });
});

describe('many ends', () => {
  const failures = (total: number) => Array.from({ length: total }, (_, node) => long(node, 8 * 1024));

  test('that came while the run was away are told 256 KiB at a time', async () => {
    const { news, told, open } = opened();
    for (const one of failures(300)) news.add(one, false);
    await vi.advanceTimersByTimeAsync(0);
    for (let at = 0; at < told.length; at += 1) {
      open[at]?.resolve();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(told.flat()).toEqual(Array.from({ length: 300 }, (_, node) => node));
    expect(Math.max(...told.map(({ length }) => length))).toBe(32);
  });

  test('are told with the end of the part as far as 1 MiB goes', async () => {
    const { news } = opened();
    for (const one of failures(300)) news.add(one, false);
    const rest = await news.rest();
    expect(rest.map(({ node }) => node)).toEqual(Array.from({ length: 127 }, (_, node) => node));
  });
});

describe('the rest', () => {
  test('is what was not told, and nothing is told after it', async () => {
    const { news, told } = opened();
    news.add(end(1), true);
    expect(await news.rest()).toEqual([end(1)]);
    news.add(end(2), true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toEqual([]);
  });

  test.each([
    ['not what the run has heard', true, []],
    ['also what the run has not heard', false, [1]],
  ])('waits for a call under way, and is %s', async (_, isHeard, expected) => {
    const { news, open } = opened();
    news.add(end(1), true);
    await vi.advanceTimersByTimeAsync(50);
    let rest: readonly PartEnd[] | undefined;
    void news.rest().then((ends) => (rest = ends));
    news.add(end(2), false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rest).toBeUndefined();
    if (isHeard) open[0]?.resolve();
    else open[0]?.reject(new Error('the server is away'));
    await vi.advanceTimersByTimeAsync(0);
    expect(rest?.map(({ node }) => node)).toEqual([...expected, 2]);
  });
});
