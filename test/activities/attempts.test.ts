/** The ends of an attempt, and what the attempts leave to each other. Their number and pauses are the server's. */

import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deferOnOutage, MAX_DETAILS_BYTES, withHeartbeat } from '../../src/activities/attempt-wrappers.ts';
import type { EffectState } from '../../src/activities/begin-effect.ts';
import { Blocked } from '../../src/activities/begin-effect.ts';
import { CapabilityError } from '../../src/capabilities/index.ts';
import { isDeferral, RunFailureError } from '../../src/protocol/index.ts';
import { StoreError } from '../../src/store/index.ts';
import { planOf, task } from '../support/plans.ts';
import { failureOf, openActivities } from './rig.ts';
import { tool } from '../support/capabilities.ts';

const AWAY = new StoreError('unreadable', 'away');
const BUSY = new CapabilityError('RETRIABLE', 'busy');
const NEW = { begun: false };
const BEGUN = { begun: true };
const CLAIMED = { begun: true, once: true };

/** The end of an attempt whose work throws, perhaps after its worker began to shut down. */
function endOf(error: Error, begun: EffectState, { attempt = 1, isShutdown = false } = {}): Promise<unknown> {
  const beginning = { ...begun };
  const info = { attempt, heartbeatTimeoutMs: 0, startToCloseTimeoutMs: 1000 };
  const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
  return environment.run(() => {
    if (isShutdown) environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    return withHeartbeat(() => deferOnOutage(() => Promise.reject(error), beginning), beginning);
  });
}

describe('an attempt', () => {
  test.each<[string, Error, EffectState, object, object]>([
    ['that its run does not let begin', new Blocked('paused'), NEW, {}, { deferred: 'run', reason: 'paused' }],
    ['whose store is away', AWAY, BEGUN, { attempt: 3 }, { deferred: 'fault', attempts: 2 }],
    [
      'whose worker has another version',
      new RunFailureError('CapabilityChanged', 'other'),
      NEW,
      {},
      { deferred: 'version' },
    ],
    [
      'whose worker is shut down',
      BUSY,
      BEGUN,
      { isShutdown: true },
      { deferred: 'run', reason: 'its worker was shut down' },
    ],
    ['that is the fifth, and is shut down', BUSY, BEGUN, { attempt: 5, isShutdown: true }, { attempts: 4 }],
  ])('%s is deferred', async (_, error, beginning, how, expected) => {
    const deferral = await endOf(error, beginning, how);
    expect(deferral).toMatchObject(expected);
    expect(isDeferral(deferral)).toBe(true);
    if (!('attempt' in how)) expect(deferral).not.toHaveProperty('attempts');
  });

  test.each<[string, Error, EffectState, object, object]>([
    ['of a read fails, and the server may make another', BUSY, BEGUN, {}, { type: 'RETRIABLE', nonRetryable: false }],
    ['that has not begun its effect fails likewise', BUSY, NEW, {}, { type: 'RETRIABLE', nonRetryable: false }],
    ['that has claimed its effect fails for good', BUSY, CLAIMED, {}, { type: 'RETRIABLE', nonRetryable: true }],
    ['that has claimed it fails for good without its store', AWAY, CLAIMED, {}, { nonRetryable: true }],
    ['that has claimed it is never deferred', BUSY, CLAIMED, { isShutdown: true }, { nonRetryable: true }],
  ])('%s', async (_, error, beginning, how, expected) => {
    expect(await failureOf(endOf(error, beginning, how))).toMatchObject(expected);
  });

  test('says the pause that its capability asks for', async () => {
    const asks = new CapabilityError('RETRIABLE', 'busy', { retryAfterMs: 5000 });
    expect((await failureOf(endOf(asks, BEGUN))).nextRetryDelay).toBe(5000);
  });
});

describe('what a capability reports', () => {
  async function opened(execute: (given: { heartbeat(details?: never): void; lastHeartbeat?: unknown }) => unknown) {
    const rig = await openActivities([tool('reads', 'read', 'value', z.looseObject({}), execute as never)]);
    const { revisionRef: revision } = await rig.compiled(planOf(task('reads', {})));
    return { rig, request: { revision, nodeId: 'node_1', inputs: [] } };
  }

  test('is given to the next attempt, and goes with every heartbeat', async () => {
    const { rig, request } = await opened(({ heartbeat, lastHeartbeat }) => {
      heartbeat();
      heartbeat({ row: 8 } as never);
      heartbeat();
      return lastHeartbeat ?? 'nothing';
    });
    const beats: unknown[] = [];
    const info = { attempt: 2, heartbeatDetails: { row: 7 } };
    const { ref } = (await rig.call('runTask', request, { info, beats })) as { ref: string };
    expect(JSON.parse(Buffer.from(await rig.results.get(ref)).toString('utf8'))).toMatchObject({
      value: { row: 7 },
    });
    expect(beats).toEqual([{ row: 7 }, { row: 8 }, { row: 8 }]);
  });

  test('is nothing where a heartbeat of another build cannot be decoded', async () => {
    const { rig, request } = await opened(({ heartbeat, lastHeartbeat }) => (heartbeat(), lastHeartbeat ?? 'nothing'));
    const beats: unknown[] = [];
    const info = { attempt: 2, heartbeatDetails: { malformed: true, encoding: 'binary/other', reason: 'unknown' } };
    const { ref } = (await rig.call('runTask', request, { info, beats })) as { ref: string };
    expect(JSON.parse(Buffer.from(await rig.results.get(ref)).toString('utf8'))).toMatchObject({ value: 'nothing' });
    expect(beats).toEqual([undefined]);
  });

  test.each([
    ['too much', 'x'.repeat(MAX_DETAILS_BYTES)],
    ['no JSON', () => 1],
  ])('is refused where it is %s', async (_, details) => {
    const { rig, request } = await opened(({ heartbeat }) => heartbeat(details as never));
    expect(await failureOf(rig.call('runTask', request))).toMatchObject({
      type: 'CRITICAL',
      message: expect.stringContaining('heartbeat: expected JSON'),
    });
  });
});
