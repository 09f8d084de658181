/** What counts as an attempt at a node, and what the attempts leave to each other. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { nextBeat } from '../../src/activities/attempts.ts';
import { MAX_DETAILS_BYTES, type Beat } from '../../src/activities/beat.ts';
import { CapabilityError } from '../../src/capabilities/index.ts';
import { StoreError } from '../../src/store/index.ts';
import { planOf, task } from '../support/plans.ts';
import { failureOf, openActivities } from './rig.ts';
import { tool } from '../support/capabilities.ts';

const BEAT: Beat = { attempt: 2, startedAt: 1000, failures: 1, others: 0 };

describe('what an attempt takes over', () => {
  test.each<[string, Beat | undefined, number, number, Partial<Beat>]>([
    ['nothing, where none was heard', undefined, 4, 9000, { failures: 0, others: 0 }],
    ['what the one before counted', { ...BEAT, ended: true }, 3, 9_000_000, { failures: 1 }],
    ['a failure more, where the one before used up its time', BEAT, 3, 6000, { failures: 2 }],
    ['no more, where the one before ended early', BEAT, 3, 5999, { failures: 1 }],
    ['no more, where it was another one that was heard last', BEAT, 4, 9_000_000, { failures: 1 }],
    ['a lost worker, where the one before was at work', { ...BEAT, lost: 2 }, 3, 1, { lost: 3 }],
    ['a lost worker, where the first says nothing', undefined, 2, 1, { lost: 1 }],
    ['no lost worker, where the one before was never heard', { ...BEAT, lost: 2 }, 4, 1, { lost: 2 }],
    ['no lost worker, where the one before ended', { ...BEAT, lost: 2, ended: true }, 3, 1, { lost: 2 }],
    ['what was reported', { ...BEAT, details: { row: 7 } }, 3, 1, { details: { row: 7 } }],
  ])('%s', (_, before, attempt, now, expected) => {
    expect(nextBeat(before, attempt, 5000, now)).toMatchObject({ attempt, startedAt: now, ...expected });
  });
});

describe('an attempt', () => {
  async function opened(
    execute: (given: { heartbeat(details?: never): void; lastHeartbeat?: unknown; signal: AbortSignal }) => unknown,
    timeout: { readonly scheduleToCloseMs?: number } = {},
    attempts = 2,
  ) {
    const reads = tool(
      { name: 'reads', retry: { attempts }, timeout },
      'read',
      'value',
      z.looseObject({}),
      execute as never,
    );
    const rig = await openActivities([reads]);
    const { revisionRef: revision } = await rig.compiled(planOf(task('reads', {})));
    return { rig, request: { revision, nodeId: 'node_1', inputs: [] } };
  }
  const breaks = () => {
    throw new CapabilityError('RETRIABLE', 'busy');
  };
  /** Begun now: one that is made while the file is loaded is old on a busy machine, and counts as one that used up its time. */
  const beat = (over: object) => ({ attempt: 1, startedAt: Date.now(), failures: 0, others: 0, ...over });

  test.each<[string, number, object | undefined, boolean]>([
    ['for the first time', 1, undefined, false],
    ['as often as it may', 2, { failures: 1, ended: true }, true],
    ['after a worker was lost', 2, {}, false],
    ['after its workers were shut down', 4, { attempt: 3, others: 3, ended: true }, false],
    ['once more after two that were lost', 4, { attempt: 2, failures: 1 }, true],
    ['where a forged heartbeat says nonsense', 2, { attempt: 'x', failures: -5 }, false],
  ])('that fails %s', async (_, attempt, told, isFinal) => {
    const { rig, request } = await opened(breaks);
    const failure = await failureOf(
      rig.call('runTask', request, { info: { attempt, heartbeatDetails: told && beat(told) } }),
    );
    expect(failure).toMatchObject({ type: 'RETRIABLE', message: 'busy', nonRetryable: isFinal });
  });

  const POLICY = { initialInterval: 500, backoffCoefficient: 3 };
  test.each<[string, number, number, object | undefined, number | undefined]>([
    ['as the server counts, where all of them failed', 1, 0, undefined, undefined],
    ['as after the first failure, where workers were lost', 4, 0, { attempt: 3, others: 1 }, 500],
    ['as after the second failure, where it was held after the first', 1, 1, undefined, 1500],
  ])('is followed by a pause %s', async (_, attempt, failures, told, nextRetryDelay) => {
    const { rig, request } = await opened(breaks, {}, 3);
    const info = { attempt, heartbeatDetails: told && beat(told), retryPolicy: POLICY };
    const failure = await failureOf(rig.call('runTask', { ...request, ...(failures > 0 && { failures }) }, { info }));
    expect(failure.nextRetryDelay).toBe(nextRetryDelay);
    expect(failure.nonRetryable).toBe(false);
  });

  test('says how often it had failed where it is held', async () => {
    const { rig, request } = await opened(() => {
      throw new StoreError('unreadable', 'away');
    });
    const info = { attempt: 2, heartbeatDetails: beat({ failures: 1, ended: true }) };
    expect(await rig.call('runTask', request, { info })).toMatchObject({ by: 'fault', failures: 1 });
    expect(await rig.call('runTask', request)).not.toHaveProperty('failures');
  });

  test('is the last where it had failed as often before it was held', async () => {
    const { rig, request } = await opened(breaks);
    const failure = await failureOf(rig.call('runTask', { ...request, failures: 1 }));
    expect(failure).toMatchObject({ type: 'RETRIABLE', nonRetryable: true });
  });

  test('tells what it counted, for the next', async () => {
    const { rig, request } = await opened(breaks);
    const beats: unknown[] = [];
    await failureOf(rig.call('runTask', request, { beats }));
    expect(beats.at(-1)).toMatchObject({ attempt: 1, failures: 1, others: 0, ended: true });
  });

  test.each<[string, number, object]>([
    ['in an attempt that failed', 0, beat({ failures: 1, ended: true, workedMs: 60_000 })],
    ['until its worker was lost', 0, beat({ workedMs: 60_000 })],
    ['before it was held', 60_000, beat({ workedMs: 60_000 })],
  ])('is not made where all the time at work was used up %s', async (_, workedMs, heartbeatDetails) => {
    const { rig, request } = await opened(breaks, { scheduleToCloseMs: 60_000 });
    const info = workedMs === 0 ? { info: { attempt: 2, heartbeatDetails } } : {};
    const failure = await failureOf(rig.call('runTask', { ...request, workedMs }, info));
    expect(failure).toMatchObject({ type: 'Timeout.SCHEDULE_TO_CLOSE', nonRetryable: true });
  });

  test('is tried again however long no worker had it', async () => {
    const { rig, request } = await opened(breaks, { scheduleToCloseMs: 60_000 });
    const night = beat({ startedAt: Date.now() - 8 * 3_600_000, failures: 0, workedMs: 2000, ended: true });
    const failure = await failureOf(rig.call('runTask', request, { info: { attempt: 2, heartbeatDetails: night } }));
    expect(failure).toMatchObject({ type: 'RETRIABLE', nonRetryable: false });
  });

  test('is asked to stop, and fails, when the time at work is used up in it', async () => {
    let stopped: Promise<unknown> | undefined;
    const { rig, request } = await opened(
      ({ signal }) => (stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))),
      { scheduleToCloseMs: 50 },
    );
    const failure = await failureOf(rig.call('runTask', request));
    expect(failure).toMatchObject({ type: 'Timeout.SCHEDULE_TO_CLOSE', nonRetryable: true });
    await stopped;
  });

  test('is not made after five workers were lost over it', async () => {
    let calls = 0;
    const { rig, request } = await opened(() => (calls += 1));
    const fifth = rig.call('runTask', request, { info: { attempt: 5, heartbeatDetails: beat({ attempt: 4 }) } });
    expect(await fifth).toMatchObject({ kind: 'value' });
    const sixth = rig.call('runTask', request, { info: { attempt: 6, heartbeatDetails: beat({ attempt: 5 }) } });
    expect(await failureOf(sixth)).toMatchObject({ type: 'WorkerLost', nonRetryable: true });
    expect(calls).toBe(1);
  });

  test('is made after many lost workers in which it never was at work, and not after all too many', async () => {
    const { rig, request } = await opened(() => 1);
    const told = beat({ attempt: 2, lost: 1 });
    const before = rig.call('runTask', request, { info: { attempt: 15, heartbeatDetails: told } });
    expect(await before).toMatchObject({ kind: 'value' });
    const after = rig.call('runTask', request, { info: { attempt: 16, heartbeatDetails: told } });
    expect(await failureOf(after)).toMatchObject({ type: 'WorkerLost' });
  });

  test('after three lost workers is tried apart: another one waits for its end, and loses no attempt', async () => {
    let end: (value: number) => void = () => undefined;
    let begun: () => void = () => undefined;
    const isAtWork = new Promise<void>((resolve) => (begun = resolve));
    const { rig, request } = await opened(() => {
      begun();
      return new Promise((resolve) => (end = resolve));
    });
    const info = { attempt: 5, heartbeatDetails: beat({ attempt: 4, lost: 3 }) };
    const first = rig.call('runTask', request, { info });
    await isAtWork;
    const beats: unknown[] = [];
    const waiting = await failureOf(rig.call('runTask', request, { info, beats, token: 'second' }));
    expect(waiting).toMatchObject({ type: 'RETRIABLE', nonRetryable: false, nextRetryDelay: 5000 });
    expect(beats.at(-1)).toMatchObject({ lost: 4, others: 1, ended: true });
    end(1);
    expect(await first).toMatchObject({ kind: 'value' });
    setTimeout(() => end(2), 1000);
    expect(await rig.call('runTask', request, { info, token: 'third' })).toMatchObject({ kind: 'value' });
  });

  test('is not made after each before it was too slow', async () => {
    const { rig, request } = await opened(() => 1);
    const info = {
      attempt: 3,
      startToCloseTimeoutMs: 10,
      heartbeatDetails: beat({ attempt: 2, failures: 1, startedAt: 1 }),
    };
    const failure = await failureOf(rig.call('runTask', request, { info }));
    expect(failure).toMatchObject({ type: 'Timeout.START_TO_CLOSE', nonRetryable: true });
    expect(failure.message).toContain('each of 2 attempts failed');
  });

  test('is given what the one before reported, and its own report is told with every heartbeat', async () => {
    const { rig, request } = await opened(({ heartbeat, lastHeartbeat }) => {
      heartbeat({ row: 8 } as never);
      return lastHeartbeat ?? 'nothing';
    });
    const beats: unknown[] = [];
    const info = { attempt: 2, heartbeatDetails: beat({ details: { row: 7 } }) };
    const { ref } = (await rig.call('runTask', request, { info, beats })) as { ref: string };
    expect(JSON.parse(Buffer.from(await rig.results.get(ref)).toString('utf8'))).toMatchObject({
      value: { row: 7 },
    });
    expect(beats).toMatchObject([{ details: { row: 7 } }, { details: { row: 8 } }]);
  });

  test.each([
    ['too much', 'x'.repeat(MAX_DETAILS_BYTES)],
    ['no JSON', () => 1],
  ])('may not report %s', async (_, details) => {
    const { rig, request } = await opened(({ heartbeat }) => heartbeat(details as never));
    expect(await failureOf(rig.call('runTask', request))).toMatchObject({
      type: 'CRITICAL',
      message: expect.stringContaining('heartbeat: expected JSON'),
    });
  });
});

describe('an attempt at what is no node', () => {
  /** Begun now: one that is made while the file is loaded is old on a busy machine, and counts as one that used up its time. */
  const beat = (over: object) => ({
    attempt: 3,
    startedAt: Date.now() + 1e9,
    failures: 0,
    others: 0,
    ...over,
  });
  const REQUESTS = [
    ['compilePlan', (revision: string) => ({ source: { document: {} }, base: revision })],
    ['storeAnswer', (revision: string) => ({ revision, nodeId: 'node_1', value: 1 })],
    [
      'decideStep',
      (revision: string) => ({
        ...{ task: { agent: 'a', revision, nodeId: 'node_1', inputs: [] }, round: 1, call: 'c' },
        options: {},
      }),
    ],
  ] as const;
  /** Something that may be better the next time. */
  const busy = new Proxy({} as never, {
    get: () => {
      throw new Error('busy');
    },
  });

  describe.each(REQUESTS)('%s', (name, requestOf) => {
    test.each<[string, number, object, string, boolean]>([
      ['does not count the workers that were lost', 4, {}, 'RETRIABLE', false],
      ['counts what failed', 4, { failures: 3, ended: true }, 'RETRIABLE', true],
      ['ends where five workers were lost over it', 6, { attempt: 5 }, 'WorkerLost', true],
    ])('%s', async (_, attempt, told, type, nonRetryable) => {
      const { dependencies, compiled } = await openActivities([]);
      const { revisionRef } = await compiled(planOf(task('ask', { question: '?' })));
      const rig = await openActivities([], { ...dependencies, registry: busy });
      const failure = await failureOf(
        rig.call(name, requestOf(revisionRef), { info: { attempt, heartbeatDetails: beat(told) } }),
      );
      expect(failure).toMatchObject({ type, nonRetryable });
    });
  });
});
