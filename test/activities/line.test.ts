/** Many who ask, one call at a time. */

import { expect, test } from 'vitest';
import { createLine } from '../../src/activities/line.ts';

function slowCall() {
  const calls: { readonly items: readonly number[]; answer(): void; fail(): void }[] = [];
  const call = (items: readonly number[]) =>
    new Promise<readonly string[]>((resolve, reject) => {
      calls.push({
        items: [...items],
        answer: () => resolve(items.map((item) => `about ${item}`)),
        fail: () => reject(new Error('nobody answers')),
      });
    });
  return { calls, call };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('who comes while a call is under way is asked for by the next, all together', async () => {
  const { calls, call } = slowCall();
  const line = createLine(call);
  const first = line.take(1);
  await settled();
  const others = [2, 3, 4].map((item) => line.take(item));
  await settled();
  expect(calls.map(({ items }) => items)).toEqual([[1]]);
  calls[0]!.answer();
  expect(await first).toBe('about 1');
  await settled();
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3, 4]]);
  expect(line.isIdle()).toBe(false);
  calls[1]!.answer();
  expect(await Promise.all(others)).toEqual(['about 2', 'about 3', 'about 4']);
  expect(line.isIdle()).toBe(true);
});

test('who come at once are asked for at once', async () => {
  const { calls, call } = slowCall();
  const line = createLine(call);
  const both = [line.take(1), line.take(2)];
  await settled();
  expect(calls.map(({ items }) => items)).toEqual([[1, 2]]);
  calls[0]!.answer();
  await Promise.all(both);
});

test('a call that fails is told to those it was for, and the next is made', async () => {
  const { calls, call } = slowCall();
  const line = createLine(call);
  const first = line.take(1);
  await settled();
  const second = line.take(2);
  calls[0]!.fail();
  await expect(first).rejects.toThrow('nobody answers');
  await settled();
  calls[1]!.answer();
  expect(await second).toBe('about 2');
});
