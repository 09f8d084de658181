/** A worker that was frozen, or too busy, may hold attempts that the server has given to another worker. */

import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type * as Wrappers from '../../src/activities/attempt-wrappers.ts';
import type * as Clock from '../../src/activities/clock.ts';

let withHeartbeat: (typeof Wrappers)['withHeartbeat'];
let elapsedMs: (typeof Clock)['elapsedMs'];

/** Runs work in an attempt of which the server says, at its first heartbeat, that it is lost. */
function runLost(work: () => Promise<string>, heartbeatTimeoutMs?: number): Promise<string> {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: heartbeatTimeoutMs as number });
  environment.once('heartbeat', () => environment.cancel('NOT_FOUND'));
  return environment.run(() => withHeartbeat(work));
}

// A busy machine stands still by itself: these clocks stand where a test puts them, for a module that knows no others.
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  vi.resetModules();
  ({ withHeartbeat } = await import('../../src/activities/attempt-wrappers.ts'));
  ({ elapsedMs } = await import('../../src/activities/clock.ts'));
});
afterAll(() => void vi.useRealTimers().resetModules());

test('work of a lost attempt does not begin after a stall, and begins at once without one', async () => {
  let begun = 0;
  const work = () => Promise.resolve(`done ${++begun}`);
  expect(await runLost(work, 3000)).toBe('done 1');
  vi.advanceTimersByTime(2100);
  await expect(runLost(work, 3000)).rejects.toMatchObject({ name: 'CancelledFailure' });
  expect(begun).toBe(1);
  // Without heartbeats the server gives the attempt to nobody else before its time is over.
  vi.advanceTimersByTime(2100);
  expect(await runLost(work)).toBe('done 2');
});

test('a suspend of the machine is a stall, and time that is set back is none', async () => {
  const work = () => Promise.resolve('done');
  vi.setSystemTime(Date.now() + 3_600_000);
  await expect(runLost(work, 3000)).rejects.toMatchObject({ name: 'CancelledFailure' });
  const before = elapsedMs();
  vi.setSystemTime(Date.now() - 7_200_000);
  expect(elapsedMs() - before).toBeGreaterThanOrEqual(0);
  expect(elapsedMs() - before).toBeLessThan(60_000);
});
