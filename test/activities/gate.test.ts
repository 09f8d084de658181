/** The gate at the effect, with a run that is asked by a double: what it answers decides whether the effect begins. */

import { QueryRejectedError } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createGate, type AskRun } from '../../src/activities/gate.ts';
import { task, planOf } from '../support/plans.ts';
import { writes } from '../support/capabilities.ts';
import { failureOf, openActivities } from './rig.ts';

const RUN = { workflowId: 'plan-1', runId: 'first' };
const never = new AbortController().signal;

afterEach(() => vi.useRealTimers());

describe('the gate', () => {
  test.each<[string, unknown, object]>([
    ['yes', { words: [null] }, { ok: true, tokens: [] }],
    ['by whom', { words: [null], tokens: ['a', 'b'], proofs: [[1, 9]] }, { ok: true, tokens: ['b'] }],
    ['no', { words: ['the run is paused'] }, { ok: false, reason: 'the run is paused' }],
  ])('hears %s', async (_, reply, word) => {
    expect(await createGate(() => Promise.resolve(reply as never)).ask(RUN, 7, never)).toMatchObject(word);
  });

  const parent = { workflowId: 'root', key: 'w' };
  test.each<[what: string, answer: () => unknown, word: object]>([
    ['is paused', () => ({ words: ['it is paused'] }), { ok: false, reason: 'it is paused' }],
    ['goes on', () => ({ words: [null] }), { ok: true, tokens: ['a'] }],
    // A liar is asked once.
    ['says that it works for itself', () => ({ words: [null], parent }), { ok: true, tokens: ['a'] }],
    [
      'has ended',
      () => {
        throw new QueryRejectedError(2);
      },
      { ok: true, tokens: ['a'] },
    ],
  ])('asks the run whose task an agent has, by the word of the agent: it %s', async (_, answer, word) => {
    const asked: unknown[] = [];
    const ask: AskRun = async (run, works) => {
      asked.push([run, works]);
      return (run.workflowId === 'root' ? answer() : { words: [null], tokens: ['a'], proofs: [[0]], parent }) as never;
    };
    expect(await createGate(ask).ask(RUN, 7, never)).toMatchObject(word);
    expect(asked).toEqual([
      [RUN, [7]],
      [{ workflowId: 'root', runId: '' }, [{ agent: 'w' }]],
    ]);
  });

  test('asks again when it gets no answer, and when what comes is none', async () => {
    const answers: (() => unknown)[] = [
      () => {
        throw new Error('unavailable');
      },
      () => undefined,
      () => [],
      () => ({ words: [] }),
      () => ({ words: [null], tokens: 1 }),
      () => ({ words: [null] }),
    ];
    const ask = vi.fn<AskRun>(async () => answers.shift()?.() as never);
    vi.useFakeTimers({ toFake: ['performance'] });
    expect(await createGate(ask).ask(RUN, 7, never)).toMatchObject({ ok: true, tokens: [] });
    expect(ask).toHaveBeenCalledTimes(6);
  });

  test.each([
    [{ words: [false] }],
    [{ words: [null, null] }],
    [{ words: [null], tokens: ['a', 7], proofs: [[0]] }],
    [{ words: [null], tokens: ['a'], proofs: [[-1]] }],
    [{ words: [null], tokens: ['a'], proofs: [['0x0']] }],
  ])('takes %j for no answer', async (lie) => {
    const answers: unknown[] = [lie, { words: [null] }];
    expect(await createGate(() => Promise.resolve(answers.shift() as never)).ask(RUN, 7, never)).toMatchObject({
      ok: true,
      tokens: [],
    });
  });

  test('takes no answer within a minute for a no', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const gate = createGate(() => {
      vi.advanceTimersByTime(30_000);
      return Promise.reject(new Error('unavailable'));
    });
    expect(await gate.ask(RUN, 7, never)).toMatchObject({
      reason: expect.stringContaining('did not say within a minute whether it may (unavailable)'),
    });
  });

  test.each([
    ['that has ended', new QueryRejectedError(2)],
    ['that is not there', new WorkflowNotFoundError('gone', 'plan-1', 'first')],
  ])('of a run %s is closed at once', async (_, error) => {
    const ask = vi.fn<AskRun>(() => Promise.reject(error));
    expect(await createGate(ask).ask(RUN, 7, never)).toMatchObject({ ok: false, reason: 'the run has ended' });
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test('is left when the attempt is cancelled, also while nobody answers', async () => {
    const stop = new AbortController();
    const waiting = createGate(() => new Promise(() => undefined)).ask(RUN, 7, stop.signal);
    stop.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
  });
});

describe('an effect', () => {
  async function opened(effect: 'idempotent' | 'at-most-once', ask: AskRun) {
    const written: string[] = [];
    const rig = await openActivities([writes('water', effect, written)], { askRun: ask });
    const { revisionRef: revision } = await rig.compiled(planOf(task('water', { value: 'north' })));
    const request = { revision, nodeId: 'node_1', inputs: [], work: 7 };
    return { rig, written, request };
  }
  const yes: AskRun = (_, works) => Promise.resolve({ words: works.map(() => null) });
  const no: AskRun = (_, works) => Promise.resolve({ words: works.map(() => 'the run is paused') });

  test.each(['idempotent', 'at-most-once'] as const)('%s begins only when the run says that it may', async (effect) => {
    const words = [no, yes];
    const { rig, written, request } = await opened(effect, (run, works) => words.shift()!(run, works));
    expect(await rig.call('runTask', request)).toEqual({ deferred: 'run', reason: 'the run is paused' });
    expect(written).toEqual([]);
    expect(await rig.call('runTask', request)).toMatchObject({ kind: 'set' });
    expect(written).toHaveLength(1);
  });

  test('that names no work does not begin', async () => {
    const { rig, written, request } = await opened('idempotent', yes);
    const { work: _, ...rest } = request;
    expect(await failureOf(rig.call('runTask', rest))).toMatchObject({ type: 'FATAL', details: [{ begun: false }] });
    expect(written).toEqual([]);
  });

  test.each<['idempotent' | 'at-most-once', object]>([
    ['idempotent', { deferred: 'run', reason: 'the run is paused' }],
    ['at-most-once', { type: 'NotApplied', details: [{ begun: false }] }],
  ])('%s is asked about again by a worker that stood still after the answer', async (effect, ended) => {
    const words = [yes, no];
    const { rig, written, request } = await opened(effect, (run, works) => words.shift()!(run, works));
    let clock = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 3000));
    const call = rig.call('runTask', request);
    const end = effect === 'idempotent' ? await call : await failureOf(call);
    now.mockRestore();
    expect(end).toMatchObject(ended);
    expect(written).toEqual([]);
  });

  test('begins by the third answer of a run that takes too long for each', async () => {
    const ask = vi.fn<AskRun>(yes);
    const { rig, written, request } = await opened('idempotent', ask);
    let clock = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 3000));
    await rig.call('runTask', request);
    now.mockRestore();
    expect([ask.mock.calls.length, written.length]).toEqual([3, 1]);
  });

  test('under an old key does not begin once a person had it repeated, and is not uncertain for it', async () => {
    const { rig, written, request } = await opened('at-most-once', yes);
    await rig.call('runTask', { ...request, retry: 2 });
    for (const retry of [0, 1]) {
      const late = rig.call('runTask', { ...request, retry }, { token: `given up ${retry}` });
      expect(await failureOf(late)).toMatchObject({ type: 'CRITICAL' });
    }
    expect(written).toHaveLength(1);
  });

  test('whose cancellation comes while the run is asked has not begun, and says so', async () => {
    const { rig, written, request } = await opened('at-most-once', () => new Promise(() => undefined));
    const failure: unknown = await rig.call('runTask', request, { cancelled: true }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'CancelledFailure', details: [{ begun: false }] });
    expect(written).toEqual([]);
  });
});
