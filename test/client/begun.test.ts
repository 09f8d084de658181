/** Who carried nodes out, read from a history. */

import { expect, test } from 'vitest';
import { begunIn } from '../../src/client/begun.ts';

type History = Parameters<typeof begunIn>[0];

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
  expect(begunIn({ events } as unknown as History)).toEqual([
    { id: 'node_3', revision: 2, attempt: 2, worker: '2@host', startedAt, before: 'worker lost' },
    { id: 'node_1', revision: 1, attempt: 1, worker: '1@host', startedAt },
  ]);
  expect(begunIn({})).toEqual([]);
});
