/** A part gives others a turn: heartbeats go out, and other parts go on. */

import { afterEach, expect, test, vi } from 'vitest';
import type { PartRequest } from '../../../src/protocol/index.ts';
import { createPart } from '../../../src/activities/part/part.ts';
import type { Revision } from '../../../src/activities/revision.ts';

afterEach(() => void vi.useRealTimers());

const REQUEST: PartRequest = {
  chain: 'first',
  revision: 'r',
  nodes: '0-3',
  from: '',
  refs: '',
  slots: 4,
  work: 5,
  word: 'w',
  awaited: '',
};
/** Nodes without inputs. */
const REVISION = { plan: { nodesById: {} } } as unknown as Revision;

test('a part begins nodes for 10 ms at a time', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setImmediate', 'setTimeout'] });
  const begun: number[] = [];
  let slow = 11;
  const part = createPart(REQUEST, REVISION, {
    carryOut(node, { work }) {
      begun.push(node);
      expect(work).toBe(5 + node);
      now += slow;
      return new Promise(() => undefined);
    },
    idle: () => undefined,
    failed: () => undefined,
  });
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  part.go();
  expect(begun).toEqual([0]);
  vi.advanceTimersToNextTimer();
  expect(begun).toEqual([0, 1]);
  slow = 9;
  vi.advanceTimersToNextTimer();
  expect(begun).toEqual([0, 1, 2, 3]);
  expect(part.atWork()).toEqual(['node_1', 'node_2', 'node_3', 'node_4']);
  clock.mockRestore();
});
