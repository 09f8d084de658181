/** What heartbeats tell of a plan that is written: anybody may have recorded one, so anything may stand there. */

import type { WorkflowExecutionDescription } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { attemptsOf, feedbackOf } from '../../src/client/attempts.ts';
import { countWaiting } from '../../src/client/index.ts';

function described(type: string, beat: string | undefined): WorkflowExecutionDescription {
  const payloads = beat === undefined ? [] : [{ data: Buffer.from(beat) }];
  const pending = { activityId: '7', activityType: { name: type }, heartbeatDetails: { payloads } };
  return { raw: { pendingActivities: [pending] } } as unknown as WorkflowExecutionDescription;
}

test.each<[name: string, type: string, beat: string | undefined, lines: readonly string[]]>([
  ['lines', 'planGoal', '{"feedback":[{"text":"a: Find","key":"a"},{"text":"why"}]}', ['a: Find', 'why']],
  ['another activity', 'runTask', '{"feedback":[{"text":"a"}]}', []],
  ['nothing yet', 'planGoal', undefined, []],
  ['no JSON', 'planGoal', '{', []],
  ['null', 'planGoal', 'null', []],
  ['something else', 'planGoal', '{"lines":1}', []],
  ['no list', 'planGoal', '{"feedback":"a"}', []],
  ['other things in it', 'planGoal', '{"feedback":[{"text":"a"},"b",1,null,{"text":"c","key":1}]}', ['a']],
])('%s', (_name, type, beat, lines) => {
  const one = described(type, beat);
  expect(feedbackOf(one).map(({ text }) => text)).toEqual(lines);
  expect(attemptsOf(one)).toEqual([]);
});

test('what waits in agents counts beside what waits in the run', () => {
  const child = (waitingFor: number) => ({ node: 'node_1', workflowId: 'r.node_1', waitingFor });
  expect(countWaiting({ waitingFor: 1 })).toBe(1);
  expect(countWaiting({ waitingFor: 1, children: [child(2), child(0)] })).toBe(3);
});

describe('an attempt, as the server tells of it', () => {
  const at = (seconds: number) => ({ seconds: 1_767_323_045 + seconds, nanos: 500_000_000 });
  const iso = (seconds: number) => new Date((1_767_323_045 + seconds) * 1000 + 500).toISOString();
  const tenSeconds = { heartbeatTimeout: { seconds: 10 } };
  const attemptOf = (pending: object) => {
    const one = { activityId: 'node_3', activityType: { name: 'runTask' }, lastWorkerIdentity: '7@host', ...pending };
    return attemptsOf({ raw: { pendingActivities: [one] } } as unknown as WorkflowExecutionDescription)[0];
  };
  const none = { id: 'node_3', worker: '7@host' };

  test.each([
    [
      'its worker was heard of',
      { state: 2, attempt: 1, lastStartedTime: at(0), lastHeartbeatTime: at(4), activityOptions: tenSeconds },
      { ...none, attempt: 1, state: 'is carried out', at: iso(0), heardAt: iso(4), overdueAt: iso(14) },
    ],
    [
      'the heartbeat was that of the attempt before',
      { state: 2, attempt: 2, lastStartedTime: at(20), lastHeartbeatTime: at(4), activityOptions: tenSeconds },
      { ...none, attempt: 2, state: 'is carried out', at: iso(20), heardAt: iso(20), overdueAt: iso(30) },
    ],
    [
      'it waits for a run that it has started',
      {
        state: 2,
        attempt: 1,
        lastStartedTime: at(0),
        heartbeatDetails: { payloads: [{ data: Buffer.from('{"waitsForRun":"plan-2"}') }] },
      },
      { ...none, attempt: 1, state: 'is carried out', at: iso(0), heardAt: iso(0), waitsForRun: 'plan-2' },
    ],
    [
      'a server that does not tell how long it waits',
      { state: 2, attempt: 1, lastStartedTime: at(0), lastHeartbeatTime: at(4) },
      { ...none, attempt: 1, state: 'is carried out', at: iso(0), heardAt: iso(4) },
    ],
    [
      'the last that is tried',
      { state: 3, attempt: 1, maximumAttempts: 1, lastStartedTime: at(0), activityOptions: tenSeconds },
      { ...none, attempt: 1, of: 1, state: 'is asked to stop', at: iso(0), heardAt: iso(0), overdueAt: iso(10) },
    ],
    [
      'it comes later, since the worker was lost',
      {
        ...{ state: 1, attempt: 2, scheduledTime: at(15), nextAttemptScheduleTime: at(17), lastHeartbeatTime: at(4) },
        lastFailure: { message: 'activity Heartbeat timeout', timeoutFailureInfo: { timeoutType: 4 } },
      },
      {
        ...none,
        ...{ attempt: 2, state: 'waits for a worker', at: iso(15), nextAt: iso(17) },
        lastFailure: 'worker lost',
      },
    ],
    [
      'it took too long, which is no lost worker',
      {
        ...{ state: 1, attempt: 2, scheduledTime: at(15) },
        lastFailure: { message: 'activity StartToClose timeout', timeoutFailureInfo: { timeoutType: 1 } },
      },
      {
        ...none,
        ...{ attempt: 2, state: 'waits for a worker', at: iso(15) },
        lastFailure: 'activity StartToClose timeout',
      },
    ],
  ])('%s', (_name, pending, told) => expect(attemptOf(pending)).toEqual(told));
});
