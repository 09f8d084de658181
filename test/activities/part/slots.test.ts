/** How many nodes of all parts are at work at once in a worker. */

import { describe, expect, test } from 'vitest';
import { createSlots } from '../../../src/activities/part/slots.ts';

/** Work that ends when the test says so. */
function works(most: number, total: number) {
  const slots = createSlots(most);
  const begun: number[] = [];
  const end: ((error?: Error) => void)[] = [];
  const all = Array.from({ length: total }, (_, at) =>
    slots.within(() => {
      begun.push(at);
      return new Promise<number>((resolve, reject) => (end[at] = (error) => (error ? reject(error) : resolve(at))));
    }),
  );
  return { begun, end, all };
}

const settled = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe('places', () => {
  test('are taken in order, as many as there are', async () => {
    const { begun, end, all } = works(2, 4);
    await settled();
    expect(begun).toEqual([0, 1]);
    end[1]?.();
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    end[2]?.();
    end[0]?.();
    await settled();
    end[3]?.();
    expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
  });

  test('are given back by work that fails', async () => {
    const { begun, end, all } = works(1, 3);
    const outcome = Promise.allSettled(all);
    await settled();
    for (const at of [0, 1, 2]) {
      expect(begun).toEqual([0, 1, 2].slice(0, at + 1));
      end[at]?.(new Error('broke'));
      await settled();
    }
    expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  test('are free again when all work has ended', async () => {
    const slots = createSlots(1);
    for (let at = 0; at < 3; at += 1) expect(await slots.within(() => Promise.resolve(at))).toBe(at);
  });
});
