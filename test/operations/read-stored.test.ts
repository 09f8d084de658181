/** Results that are read at once by several: large ones one after the other. */

import { expect, test } from 'vitest';
import type { RunSession } from '../../src/config/project/index.ts';
import { readStored } from '../../src/operations/result.ts';

test.each([
  [60 * 2 ** 20, 1],
  [1000, 6],
])('of six readers of %i bytes at most %i are at it', async (bytes, expected) => {
  let atOnce = 0;
  let most = 0;
  const readResult = async () => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    return { kind: 'text', text: 'x' } as const;
  };
  const session = { run: { readResult }, store: { place: 'here' } } as unknown as RunSession;
  await Promise.all(Array.from({ length: 6 }, () => readStored(session, { ref: 'r', bytes })));
  expect(most).toBe(expected);
});

test('a large result that cannot be read holds up no other', async () => {
  let reads = 0;
  const readResult = () => (++reads === 1 ? Promise.reject(new Error('torn')) : Promise.resolve({ kind: 'text' }));
  const session = { run: { readResult }, store: { place: 'here' } } as unknown as RunSession;
  const large = { ref: 'r', bytes: 2 ** 21 };
  const ends = await Promise.allSettled([readStored(session, large), readStored(session, large)]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});
