/** So many calls at once, and no more. */

import { expect, test } from 'vitest';
import { callQueue } from '../../src/models/streaming-client.ts';
import { openAIClient } from '../../src/models/index.ts';

/** Work that ends when it is told to. */
function works(count: number) {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = Array.from({ length: count }, (_, index) => () => {
    begun.push(index);
    return new Promise<number>((resolve, reject) => {
      ends[index] = () => (index === 1 ? reject(new Error('it failed')) : resolve(index));
    });
  });
  return { begun, ends, work };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('who comes later waits, in order, and a failure gives its place on', async () => {
  const { begun, ends, work } = works(5);
  const line = callQueue(2);
  const all = work.map((one) => line(one).catch((error: Error) => error.message));
  await settled();
  expect(begun).toEqual([0, 1]);
  ends[1]!();
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]!();
  ends[2]!();
  await settled();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  ends[3]!();
  ends[4]!();
  expect(await Promise.all(all)).toEqual([0, 'it failed', 2, 3, 4]);
});

test('who does not want to wait any more goes, and the others move up', async () => {
  const { begun, ends, work } = works(3);
  const line = callQueue(1);
  const stop = new AbortController();
  const first = line(work[0]!);
  const second = line(work[2]!, stop.signal);
  const third = line(work[1]!);
  stop.abort();
  await expect(second).rejects.toMatchObject({ kind: 'cancelled' });
  await expect(line(work[2]!, stop.signal)).rejects.toMatchObject({ kind: 'cancelled' });
  ends[0]!();
  expect(await first).toBe(0);
  await settled();
  expect(begun).toEqual([0, 1]);
  ends[1]!();
  await expect(third).rejects.toThrow('it failed');
  // The line is free again.
  const last = line(work[2]!);
  await settled();
  ends[2]!();
  expect(await last).toBe(2);
});

const good = { name: 'tiny', api: 'chat', format: 'none' } as const;
test.each<[name: string, settings: object, told: RegExp]>([
  ['a password in the address', { baseURL: 'http://a:secret@b/v1' }, /model\.baseURL: expected http/],
  ['a key in the address', { baseURL: 'http://b/v1?key=secret' }, /model\.baseURL: expected http/],
  ['a key with a line break', { apiKey: 'secret\n' }, /model\.apiKey: expected visible ASCII/],
  ['no time', { timeout: { totalMs: 0 } }, /model\.timeout\.totalMs: expected a whole number from 1/],
])('a setting that does not fit is named, and no secret is: %s', (_, settings, told) => {
  expect(() => openAIClient({ ...good, ...settings })).toThrow(told);
  expect(() => openAIClient({ ...good, ...settings })).not.toThrow('secret');
});
