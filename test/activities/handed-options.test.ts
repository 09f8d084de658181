/** What a run hands to the SDK for each activity beside its nodes: the time-outs and pauses that Temporal keeps to. */

import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { ActivityOptions } from '@temporalio/workflow';
import { deepMerge } from '@temporalio/common/lib/internal-workflow/index.js';
import type * as Reach from '../../src/workflows/call-activity.ts';
import { PLANNING as STAGES } from '../../src/protocol/index.ts';

const handed: { activity: string; options: Record<string, unknown> }[] = [];
let reach: typeof Reach;

beforeAll(async () => {
  vi.resetModules();
  vi.doMock('@temporalio/workflow', async (original) => ({
    ...(await original<object>()),
    proxyActivities: (profile: ActivityOptions) => {
      const stub = (activity: string) => ({
        executeWithOptions(options: ActivityOptions) {
          handed.push({ activity, options: deepMerge({ ...profile }, { ...options }) });
          return Promise.reject(new Error('only the options are looked at'));
        },
      });
      return new Proxy({}, { get: (_, activity: string) => stub(activity) });
    },
  }));
  reach = await import('../../src/workflows/call-activity.ts');
});
afterAll(() => {
  vi.doUnmock('@temporalio/workflow');
  vi.resetModules();
});
beforeEach(() => void handed.splice(0));

const PLANNING = { startToCloseTimeout: '65 minutes' };
const BRIEF = { startToCloseTimeout: '30 seconds' };
const SAVE = { startToCloseTimeout: '10 seconds', scheduleToStartTimeout: '60 seconds' };

test.each<[string, () => Promise<unknown>, object]>([
  [
    'compilePlan',
    () => reach.callCompilePlan({} as never, ''),
    { startToCloseTimeout: '5 minutes', heartbeatTimeout: '5 seconds' },
  ],
  ['planGoal', () => reach.callPlanGoal({ stage: 'write' } as never), { ...PLANNING, heartbeatTimeout: '5 seconds' }],
  ['decideStep', () => reach.callDecideStep({} as never), { ...PLANNING, heartbeatTimeout: '5 seconds' }],
  ['reportFailure', () => reach.activities.reportFailure({} as never, ''), { startToCloseTimeout: '60 seconds' }],
  ['storeAnswer', () => reach.activities.storeAnswer({} as never, ''), BRIEF],
  ['readKeys', () => reach.activities.readKeys(undefined, ''), BRIEF],
  ['readInbox', () => reach.activities.readInbox(undefined, ''), BRIEF],
  ['keepResults', () => reach.activities.keepResults({} as never, ''), BRIEF],
  [
    'writeReceipt',
    () => reach.activities.writeReceipt({} as never, ''),
    { startToCloseTimeout: '5 minutes', heartbeatTimeout: '5 seconds' },
  ],
  ['savePages', () => reach.callSavePages('first', ['']), SAVE],
  ['loadPages', () => reach.loadJson('first', ['ref']), { startToCloseTimeout: '30 seconds' }],
])('%s gets its bounds and a maximum of attempts, and no time in all', async (activity, call, bounds) => {
  await expect(call()).rejects.toThrow('only the options');
  expect(handed).toMatchObject([{ activity, options: bounds }]);
  expect(handed[0]?.options).not.toHaveProperty('scheduleToCloseTimeout');
  const few = ['reportFailure', 'keepResults', 'savePages', 'readInbox'].includes(activity);
  const of = { planGoal: 4, decideStep: 4 }[activity] ?? (few ? 3 : 5);
  expect(handed[0]?.options['retry']).toMatchObject({ maximumAttempts: of });
});

test.each([
  ['extract', 1000, 1.5],
  ['route', 1000, 1.8],
  ['select', 1000, 1.8],
  ['write', 2000, 2],
] as const)(
  'the pauses between calls of a stage of planning: %s: from %i ms, each %s times the one before',
  async (stage, initialInterval, backoffCoefficient) => {
    await expect(reach.callPlanGoal({ stage } as never)).rejects.toThrow('only the options');
    expect(handed[0]?.options['retry']).toEqual({
      initialInterval,
      backoffCoefficient,
      maximumAttempts: STAGES[stage].retry.attempts,
    });
    expect(STAGES[stage].retry.initialMs).toBe(initialInterval);
  },
);

test.each([
  [1, 4],
  [4, 1],
  [9, 1],
])('work that was deferred after %i attempts is scheduled again with the %i that are left', async (before, left) => {
  await expect(reach.callCompilePlan({} as never, '', before)).rejects.toThrow('only the options');
  expect(handed[0]?.options['retry']).toMatchObject({ maximumAttempts: left, initialInterval: '1 second' });
});

test('a request of 1,900,001 bytes is refused, and nothing is handed over', async () => {
  const request = (bytes: number) => ({ source: 'x'.repeat(bytes - '{"source":""}'.length) }) as never;
  await expect(reach.callCompilePlan(request(1_900_000), '')).rejects.toThrow('only the options');
  await expect(reach.callCompilePlan(request(1_900_001), '')).rejects.toMatchObject({
    type: 'InvalidInput',
    message: expect.stringContaining('1900001 bytes with what belongs to it, and a run passes on 1900000') as string,
  });
  expect(handed).toHaveLength(1);
});
