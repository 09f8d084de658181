/** Many who ask, one call at a time. */

import { expect, test } from 'vitest';
import { inLines } from '../../src/store/in-lines.ts';

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
  const ask = inLines(() => 'one', call);
  const first = ask(1);
  await settled();
  const others = [2, 3, 4].map((item) => ask(item));
  await settled();
  expect(calls.map(({ items }) => items)).toEqual([[1]]);
  calls[0]!.answer();
  expect(await first).toBe('about 1');
  await settled();
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3, 4]]);
  calls[1]!.answer();
  expect(await Promise.all(others)).toEqual(['about 2', 'about 3', 'about 4']);
});

test('who come at once are asked for at once, each name in a line of its own', async () => {
  const { calls, call } = slowCall();
  const ask = inLines((item) => (item < 10 ? 'small' : 'large'), call);
  const all = [ask(1), ask(11), ask(2)];
  await settled();
  expect(calls.map(({ items }) => items)).toEqual([[1, 2], [11]]);
  for (const { answer } of calls) answer();
  await Promise.all(all);
});

test('a call that fails is told to those it was for, and the next is made', async () => {
  const { calls, call } = slowCall();
  const ask = inLines(() => 'one', call);
  const first = ask(1);
  await settled();
  const second = ask(2);
  calls[0]!.fail();
  await expect(first).rejects.toThrow('nobody answers');
  await settled();
  calls[1]!.answer();
  expect(await second).toBe('about 2');
});
