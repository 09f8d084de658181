/** What heartbeats tell of a plan that is written: anybody may have recorded one, so anything may stand there. */

import type { WorkflowExecutionDescription } from '@temporalio/client';
import { expect, test } from 'vitest';
import { attemptsOf, feedbackOf } from '../../src/client/attempts.ts';
import { countWaiting } from '../../src/client/index.ts';

function described(type: string, beat: string | undefined): WorkflowExecutionDescription {
  const payloads = beat === undefined ? [] : [{ data: Buffer.from(beat) }];
  const pending = { activityId: '7', activityType: { name: type }, heartbeatDetails: { payloads } };
  return { raw: { pendingActivities: [pending] } } as unknown as WorkflowExecutionDescription;
}

test.each<[name: string, type: string, beat: string | undefined, lines: readonly string[]]>([
  ['lines', 'planGoal', '{"failures":0,"details":{"feedback":["a: Find","b: Rank"]}}', ['a: Find', 'b: Rank']],
  ['another activity', 'runTask', '{"details":{"feedback":["a"]}}', []],
  ['nothing yet', 'planGoal', undefined, []],
  ['no JSON', 'planGoal', '{', []],
  ['null', 'planGoal', 'null', []],
  ['no details', 'planGoal', '{"failures":1}', []],
  ['no list', 'planGoal', '{"details":{"feedback":"a"}}', []],
  ['other things in it', 'planGoal', '{"details":{"feedback":["a",1,null]}}', ['a']],
])('%s', (_name, type, beat, lines) => {
  const one = described(type, beat);
  expect(feedbackOf(one)).toEqual(lines);
  expect(attemptsOf(one)).toEqual([]);
});

test('what waits in agents counts beside what waits in the run', () => {
  const child = (waitingFor: number) => ({ node: 'node_1', workflowId: 'r.node_1', waitingFor });
  expect(countWaiting({ waitingFor: 1 })).toBe(1);
  expect(countWaiting({ waitingFor: 1, children: [child(2), child(0)] })).toBe(3);
});
