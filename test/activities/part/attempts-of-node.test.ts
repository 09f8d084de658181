/** A node of a part through all its attempts, by a clock that the test moves. */

import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { NodeReply, NodeRequest } from '../../../src/protocol/index.ts';
import { counted } from '../../../src/activities/attempts.ts';
import { attemptsOf, type Outcome } from '../../../src/activities/part/attempts-of-node.ts';
import { NO_SERVER } from '../rig.ts';
import type { OwnContext } from '../../../src/activities/part/node-context.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const REQUEST: NodeRequest = { chain: 'first', revision: 'r', nodeId: 'node_7', inputs: [] };
const HANDLE = { ref: 'r', kind: 'set', count: 1, bytes: 3 } as const;
const BOUNDS = { startToCloseMs: 1000, retry: { attempts: 3, initialMs: 100, factor: 2 } };
const again = (message: string, over: object = {}) =>
  ApplicationFailure.create({ type: 'RETRIABLE', message, ...over });
const never = () => new Promise<never>(() => undefined);

/** A node whose attempts do this, and when they began. */
function opened(attempt: (nth: number) => Promise<NodeReply>, bounds: Partial<typeof BOUNDS> = {}) {
  const since = Date.now();
  const began: number[] = [];
  const seen: Context[] = [];
  const cut: OwnContext[] = [];
  let atWork = 0;
  let isStopped = false;
  let outcome: Outcome | undefined;
  const environment = new MockActivityEnvironment({}, { client: NO_SERVER });
  const run = environment.run(async () => {
    const context = Context.current();
    outcome = await attemptsOf(
      REQUEST,
      { ...BOUNDS, ...bounds },
      {
        context: () => context,
        attempt() {
          began.push(Date.now() - since);
          seen.push(Context.current());
          return attempt(began.length);
        },
        async within(work) {
          atWork += 1;
          return work().finally(() => (atWork -= 1));
        },
        atWork: (own) => void (own === undefined ? cut.pop() : cut.push(own)),
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        isStopped: () => isStopped,
      },
    );
  });
  return {
    began,
    seen,
    cut,
    atWork: () => atWork,
    stop: () => (isStopped = true),
    outcome: () => outcome,
    async after(ms: number) {
      await vi.advanceTimersByTimeAsync(ms);
      if (outcome !== undefined) await run;
      return outcome;
    },
  };
}

describe('a node of a part', () => {
  test('is attempted again after pauses that grow, out of its place meanwhile', async () => {
    const node = opened((nth) => (nth < 4 ? Promise.reject(again('busy')) : Promise.resolve(HANDLE)));
    await node.after(0);
    expect([node.began, node.atWork()]).toEqual([[0], 0]);
    expect(await node.after(1000)).toEqual({ handle: HANDLE });
    expect(node.began).toEqual([0, 100, 300, 700]);
    expect(node.seen.map(({ info }) => [info.activityId, info.attempt])).toEqual(
      [1, 2, 3, 4].map((attempt) => ['node_7', attempt]),
    );
  });

  test.each<[string, () => Promise<NodeReply>, Outcome]>([
    ['a result', () => Promise.resolve(HANDLE), { handle: HANDLE }],
    [
      'what it is held by',
      () => Promise.resolve({ held: 'ENOSPC', by: 'fault' }),
      { held: { held: 'ENOSPC', by: 'fault' } },
    ],
    [
      'a question',
      () => Promise.resolve({ asks: { text: 'why?' } } as never),
      { failure: { type: 'FATAL', message: 'a part asks nobody' } },
    ],
    ['its cancellation', () => Promise.reject(new CancelledFailure('CANCELLED')), { stopped: true }],
    [
      'an error of the program',
      () => Promise.reject(new TypeError('x')),
      { failure: { type: 'RETRIABLE', message: 'x' } },
    ],
  ])('ends with %s', async (_, attempt, expected) => {
    const node = opened(attempt);
    expect(await node.after(0)).toEqual(expected);
    expect([node.began, node.cut, node.atWork()]).toEqual([[0], [], 0]);
  });
});

describe('an attempt', () => {
  test('that takes too long is asked to stop, and counts', async () => {
    const node = opened(() => counted(2, never));
    await node.after(999);
    expect([node.seen[0]?.cancellationSignal.aborted, node.atWork()]).toEqual([false, 1]);
    await node.after(1);
    expect(node.seen[0]?.cancellationSignal.aborted).toBe(true);
    expect(node.seen[0]?.cancellationSignal.reason).toBeInstanceOf(CancelledFailure);
    // The third attempt finds that both have failed.
    expect(await node.after(3000)).toEqual({
      failure: {
        type: 'Timeout.START_TO_CLOSE',
        message: 'each of 2 attempts failed, the last for taking longer than 1 s',
      },
    });
    expect(node.began).toHaveLength(3);
  });

  test('that is cancelled tells so to what listens, and only that one', async () => {
    const node = opened(() => Context.current().cancelled);
    const other = opened(never);
    await node.after(10);
    node.cut[0]?.cancel(new CancelledFailure('CANCELLED'));
    expect(await node.after(0)).toEqual({ stopped: true });
    expect(other.seen[0]?.cancellationSignal.aborted).toBe(false);
    expect(node.seen[0]?.cancellationDetails).toMatchObject({ cancelRequested: true, workerShutdown: false });
  });
});
