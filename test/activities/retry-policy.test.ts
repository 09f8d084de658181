import { expect, test } from 'vitest';
import { ids, writes } from '../support/capabilities.ts';
import { task } from '../support/plans.ts';
import { openActivities } from './rig.ts';

test('Osprey: capability retry policy: 3 attempts, from 500 ms, each pause 1.5 times the one before', async () => {
  const rig = await openActivities([ids, writes('pay', 'at-most-once', [])]);
  const retryOf = async (plan: object) => (await rig.compiled({ goal: 'g', plan })).executors[0]?.retry;
  expect(await retryOf(task('ids', { ids: [] }))).toEqual({ attempts: 3, initialMs: 500, factor: 1.5 });
  expect(await retryOf(task('pay', { value: 'x' }))).toMatchObject({ attempts: 1 });
});
