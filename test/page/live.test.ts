/** The live views: something new is told once, and somebody who does not read is let go of. */

import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Env } from '../../src/page/access.ts';
import { liveView, type LiveSource } from '../../src/page/live.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** A view of a source that has changed whenever it is asked, until the change of this number is its last. */
async function watching(last: number, size = 1, mark = '') {
  const asked: string[] = [];
  let now = Number(mark);
  let isClosed = false;
  const destroy = vi.fn();
  const source: LiveSource = {
    async mark() {
      asked.push(`${now}`);
      now = Math.min(now + 1, last);
      return `${now}`.padEnd(size, '.');
    },
    wait: (_mark, signal) =>
      new Promise((resolve) => {
        setTimeout(resolve, 1000);
        signal.addEventListener('abort', () => resolve());
      }),
    isOver: () => asked.length > last,
    close: () => void (isClosed = true),
  };
  const app = new Hono<Env>().get('/live', (visit) => liveView(visit, source));
  const answer = await app.request(`/live?mark=${mark}`, {}, { incoming: { socket: { destroy } } });
  return { body: answer.body!, asked, destroy, isClosed: () => isClosed };
}

test('tells what is new by the mark to go on from, and ends when there is no more', async () => {
  const { body, asked, isClosed } = await watching(3, 1, '1');
  const reading = new Response(body).text();
  await vi.advanceTimersByTimeAsync(10_000);
  const text = await reading;
  expect([...text.matchAll(/data: (\d+)\nid: (\d+)/g)].map(([, data, id]) => [data, id])).toEqual([
    ['2', '2'],
    ['3', '3'],
  ]);
  expect(text).toMatch(/event: over\ndata: \n\n$/);
  expect(asked).toEqual(['1', '2', '3', '3']);
  expect(isClosed()).toBe(true);
});

test('lets go of somebody who does not read, after half a minute, having made one message for them', async () => {
  const { asked, destroy, isClosed } = await watching(1_000_000, 1_000_000);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(destroy).not.toHaveBeenCalled();
  // What cannot be sent is not made either.
  expect(asked.length).toBeLessThanOrEqual(3);
  await vi.advanceTimersByTimeAsync(5000);
  expect(destroy).toHaveBeenCalledTimes(1);
  expect(asked.length).toBeLessThanOrEqual(3);
  expect(isClosed()).toBe(false);
});

test('ends with its reader', async () => {
  const { body, asked, isClosed } = await watching(1_000_000, 1);
  const reader = body.getReader();
  await reader.read();
  await reader.cancel();
  await vi.advanceTimersByTimeAsync(5000);
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.length).toBe(before);
  expect(isClosed()).toBe(true);
});
