/** A worker that was frozen, or too busy, may hold attempts that the server has given to another worker. */

import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { withHeartbeat } from '../../src/activities/attempt-wrappers.ts';

/** Runs work in an attempt of which the server says, at its first heartbeat, that it is lost. */
function runLost(work: () => Promise<string>, heartbeatTimeoutMs?: number): Promise<string> {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: heartbeatTimeoutMs as number });
  environment.once('heartbeat', () => environment.cancel('NOT_FOUND'));
  return environment.run(() => withHeartbeat(work));
}

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('work of a lost attempt does not begin after a stall, and begins at once without one', async () => {
  let begun = 0;
  const work = () => Promise.resolve(`done ${++begun}`);
  expect(await runLost(work, 3000)).toBe('done 1');
  standStill(2100);
  await expect(runLost(work, 3000)).rejects.toMatchObject({ name: 'CancelledFailure' });
  expect(begun).toBe(1);
  // Without heartbeats the server gives the attempt to nobody else before its time is over.
  standStill(2100);
  expect(await runLost(work)).toBe('done 2');
});
