/** One beyond each bound of a worker's activities: docs/bounds.md says what happens then. */

import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as Wrappers from '../../src/activities/attempt-wrappers.ts';
import { ids } from '../support/capabilities.ts';
import { idsOf, planOf } from '../support/plans.ts';
import { openActivities } from './rig.ts';

const long = (length: number) => 'x'.repeat(length);

describe('an attempt that lasts', () => {
  let withHeartbeat: (typeof Wrappers)['withHeartbeat'];
  // A busy machine stands still, which an attempt asks the server about: here every clock is one that nobody else moves.
  beforeAll(async () => {
    vi.useFakeTimers({
      toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    });
    vi.resetModules();
    ({ withHeartbeat } = await import('../../src/activities/attempt-wrappers.ts'));
  });
  // The next file of this process has a module of its own again.
  afterAll(() => void vi.useRealTimers().resetModules());

  test.each<[string, object, readonly number[]]>([
    ['beats after 250 ms and then every 3 seconds', {}, [250, 3250, 6250]],
    ['that may last for 300 ms beats within a third of them', { startToCloseTimeoutMs: 300 }, [100, 3100, 6100]],
    ['whose silence counts after 1.5 s beats three times in it', { heartbeatTimeoutMs: 1500 }, [250, 750, 1250]],
  ])('%s', async (_, info, expected) => {
    const attempt = new MockActivityEnvironment({ heartbeatTimeoutMs: 0, startToCloseTimeoutMs: 300_000, ...info });
    const from = Date.now();
    const beats: number[] = [];
    attempt.on('heartbeat', () => beats.push(Date.now() - from));
    let end!: (done: string) => void;
    const work = new Promise<string>((resolve) => (end = resolve));
    const ended = attempt.run(() => withHeartbeat(() => work));
    await vi.advanceTimersByTimeAsync(expected.at(-1) ?? 0);
    end('done');
    expect(await ended).toBe('done');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(beats).toEqual(expected);
  });

  test('makes no call to the server for itself when it ends sooner', async () => {
    const attempt = new MockActivityEnvironment({ startToCloseTimeoutMs: 300_000 });
    const heard = vi.fn();
    attempt.on('heartbeat', heard);
    expect(await attempt.run(() => withHeartbeat(() => Promise.resolve('done')))).toBe('done');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(heard).not.toHaveBeenCalled();
  });
});

describe('what a run keeps of its plan', () => {
  const wordy = (characters: number) => ({ ...planOf(idsOf('a')), goal: long(characters) });

  test('travels in pages above 500,000 characters', async () => {
    const rig = await openActivities([ids]);
    expect(await rig.call('compilePlan', { source: { document: wordy(490_000) } })).toHaveProperty('planShape');
    expect(await rig.call('compilePlan', { source: { document: wordy(500_001) } })).toHaveProperty('pages');
  });

  test('is refused above 10,000,000', async () => {
    const rig = await openActivities([ids]);
    expect(await rig.call('compilePlan', { source: { document: wordy(10_000_001) } })).toMatchObject({
      ok: false,
      issues: [{ code: 'too-large-to-run', expected: 'at most 10000000 characters' }],
    });
  });
});
