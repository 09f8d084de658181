/** The last attempt of a try finds a model's server away: its run is told to wait. */

import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/models/index.ts';
import { isDeferral } from '../../src/protocol/index.ts';
import { deferOnModelOutage, withoutLongRetry } from '../../src/activities/models.ts';
import { NO_SERVER } from './rig.ts';

const PATIENCE = 1_800_000;
/** In the first of so many attempts. */
const inActivity = (maximumAttempts: number, work: () => Promise<unknown>) =>
  new MockActivityEnvironment({ retryPolicy: { maximumAttempts } }, { client: NO_SERVER }).run(work);
const failing = (error: Error) => () => Promise.reject(error);

describe('a server that asks for a pause', () => {
  const asking = (retryAfterMs: number) => new ModelError('server', 'local answered 503', { retryAfterMs });

  test('of more than 10 s is away at the first attempt, for as long as it says', async () => {
    const reply = await inActivity(4, () => deferOnModelOutage(PATIENCE, failing(asking(10_800_000))));
    expect(reply).toMatchObject({ deferred: 'model', patienceMs: PATIENCE, pauseMs: 10_800_000 });
    expect(isDeferral(reply)).toBe(true);
  });

  test('of 10 s is heard again within the try', async () => {
    const error = asking(10_000);
    await expect(inActivity(4, () => deferOnModelOutage(PATIENCE, failing(error)))).rejects.toBe(error);
  });

  test('where nobody waits fails the call for good', () => {
    expect(withoutLongRetry(asking(10_001), 0)).toMatchObject({ severity: 'CRITICAL' });
    expect(withoutLongRetry(asking(10_000), 0)).toMatchObject({ severity: 'RETRIABLE' });
    expect(withoutLongRetry(asking(10_001), PATIENCE)).toMatchObject({ severity: 'RETRIABLE' });
  });
});

describe('a try whose attempts have all failed', () => {
  test('says that the server is away, and how long to wait', async () => {
    const error = new ModelError('server', 'local answered 503');
    const reply = await inActivity(1, () => deferOnModelOutage(PATIENCE, failing(error)));
    expect(reply).toEqual({ deferred: 'model', reason: 'the model server: local answered 503', patienceMs: 1_800_000 });
  });

  test.each<[string, number, number, ModelError]>([
    ['another attempt follows', 2, PATIENCE, new ModelError('server', '503')],
    ['nobody waits', 1, 0, new ModelError('server', '503')],
    ['no other call can cure it', 1, PATIENCE, new ModelError('auth', '401')],
    ['this side has stopped it', 1, PATIENCE, new ModelError('cancelled', 'stopped')],
    ['the store is at fault', 1, PATIENCE, new ModelError('not-journaled', 'ENOSPC')],
  ])('fails as it is where %s', async (_, most, patienceMs, error) => {
    await expect(inActivity(most, () => deferOnModelOutage(patienceMs, failing(error)))).rejects.toBe(error);
  });
});

test.each([1, 1_800_000, 365 * 86_400_000])('a wait of %s ms is one', (patienceMs) => {
  expect(isDeferral({ deferred: 'model', reason: 'away', patienceMs })).toBe(true);
});

test.each([0, -1, 1e300, Number.NaN, '30m', null, 366 * 86_400_000])(
  'a wait of %s, from outside, is none',
  (patienceMs) => {
    expect(isDeferral({ deferred: 'model', reason: 'away', patienceMs })).toBe(false);
  },
);
