/** Who carried nodes out, read from a history. */

import { describe, expect, test } from 'vitest';
import { attemptsInHistory, readAttemptHistory } from '../../src/client/view.ts';
import { ClientError } from '../../src/client/index.ts';

type History = Parameters<typeof attemptsInHistory>[0];

const scheduled = (eventId: number, activityId: string) => ({
  eventId,
  activityTaskScheduledEventAttributes: { activityId },
});
const started = (eventId: number, scheduledEventId: number, attempt: number, lastFailure?: object) => ({
  eventId,
  eventTime: { seconds: 1_767_323_045, nanos: 120_000_000 },
  activityTaskStartedEventAttributes: { scheduledEventId, identity: `${attempt}@host`, attempt, lastFailure },
});

test('the last attempt at each node, with why the one before ended', () => {
  const events = [
    scheduled(5, 'compile'),
    started(6, 5, 1),
    scheduled(7, 'node_1'),
    scheduled(8, 'r2.node_3'),
    started(9, 8, 2, { message: 'activity Heartbeat timeout', timeoutFailureInfo: { timeoutType: 4 } }),
    started(10, 7, 3, { message: 'no route' }),
    scheduled(11, 'node_1'),
    started(12, 11, 1),
  ];
  const startedAt = '2026-01-02T03:04:05.120Z';
  expect(attemptsInHistory({ events } as unknown as History)).toEqual([
    { id: 'node_3', revision: 2, attempt: 2, worker: '2@host', startedAt, before: 'worker lost' },
    { id: 'node_1', revision: 1, attempt: 1, worker: '1@host', startedAt },
  ]);
  expect(attemptsInHistory({})).toEqual([]);
});

describe('of a run that has gone on in new histories', () => {
  /** Each history names the one before it; `node_2` was repeated by hand in the newest. */
  const firstRunId: Readonly<Record<string, readonly [nodes: readonly string[], before?: string]>> = {
    newest: [['node_2', 'node_5'], 'second'],
    second: [['node_2', 'node_3'], 'first'],
    first: [['node_1']],
  };
  function historyOf(...gone: readonly string[]) {
    const read: string[] = [];
    const of = (runId = 'newest') => {
      read.push(runId);
      if (gone.includes(runId)) return Promise.reject(new ClientError('no-run', `there is no run ${runId}`));
      const [nodes, continuedExecutionRunId = ''] = firstRunId[runId]!;
      const begin = { workflowExecutionStartedEventAttributes: { continuedExecutionRunId } };
      const events = nodes.flatMap((id, at) => [scheduled(10 * at, id), started(10 * at + 1, 10 * at, read.length)]);
      return Promise.resolve({ events: [begin, ...events] } as unknown as History);
    };
    return { of, read };
  }
  const found = (nodes: readonly { id: string; attempt: number }[]) =>
    nodes.map(({ id, attempt }) => `${id} ${attempt}`).toSorted();

  test('all are read, the newest first, and what a later one tells holds', async () => {
    const { of, read } = historyOf();
    const { nodes, missing } = await readAttemptHistory(of);
    expect([read, found(nodes), missing]).toEqual([
      ['newest', 'second', 'first'],
      ['node_1 3', 'node_2 1', 'node_3 2', 'node_5 1'],
      undefined,
    ]);
  });

  test('no further back than it takes', async () => {
    const { of, read } = historyOf();
    const { missing } = await readAttemptHistory(of, { until: (now) => now.some(({ id }) => id === 'node_3') });
    expect([read, missing]).toEqual([['newest', 'second'], undefined]);
  });

  test('no more than are to be read, which is said', async () => {
    const { of, read } = historyOf();
    const { nodes, missing } = await readAttemptHistory(of, { histories: 2 });
    expect([read, nodes.length, missing]).toEqual([['newest', 'second'], 3, 'unread']);
    expect((await readAttemptHistory(of, { histories: 3 })).missing).toBeUndefined();
  });

  test('as far as the server has kept them, which is said', async () => {
    const { of } = historyOf('first');
    const { nodes, missing } = await readAttemptHistory(of);
    expect([nodes.length, missing]).toEqual([3, 'gone']);
  });

  test('a run that is not there, and any other trouble, is no history that is gone', async () => {
    await expect(readAttemptHistory(historyOf('newest').of)).rejects.toThrow('there is no run newest');
    const away = () => Promise.reject(new ClientError('no-server', 'away'));
    await expect(readAttemptHistory((id) => (id === undefined ? historyOf().of() : away()))).rejects.toThrow('away');
  });
});
