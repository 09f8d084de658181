/** The ids that runs and effects are known by, and durations as people write them. */

import { expect, test } from 'vitest';
import { durationMs, idempotencyKey, planWorkflowId } from '../../src/protocol/index.ts';

test.each([
  ['Find genes & repeats!', 'plan-find-genes-repeats-7f'],
  ['  ', 'plan-7f'],
  ['日本', 'plan-7f'],
  ['Ünïcode', 'plan-u-ni-code-7f'],
])('the id of a run for %j is %s', (goal, id) => {
  expect(planWorkflowId(goal, '7f')).toBe(id);
});

test('the id of a run is bounded, so that the ids of its children fit the server', () => {
  expect(planWorkflowId('x'.repeat(5000), '7f').length).toBeLessThanOrEqual(120);
});

test('an idempotency key tells repetitions that are meant from attempts that are not', () => {
  const place = { namespace: 'n', workflowId: 'w', firstRunId: 'c' };
  expect(idempotencyKey(place, 'k')).toBe('n/w/c/k/0.0.0');
  expect(idempotencyKey(place, 'k', { retry: 2 })).toBe('n/w/c/k/0.0.2');
});

test.each<[unknown, number | undefined]>([
  ['24h', 86_400_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  [' 500MS ', 500],
  ['2d', 172_800_000],
  [250, 250],
  [365 * 86_400_000, 31_536_000_000],
  ['366d', undefined],
  [1e300, undefined],
  ['0.4ms', undefined],
  [0, undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  ['0s', undefined],
  ['', undefined],
  ['soon', undefined],
  ['10', undefined],
  ['1h junk', undefined],
  [null, undefined],
  [{}, undefined],
])('the duration %j is %s ms', (value, ms) => {
  expect(durationMs(value)).toBe(ms);
});
