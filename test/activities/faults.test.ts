/** Faults of the store, the disk and the server: how each is told, and what they do to the work that meets them. */

import { ServiceError } from '@temporalio/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { faultIn } from '../../src/activities/failures.ts';
import { CapabilityError } from '../../src/capabilities/index.ts';
import { StoreError, type Store } from '../../src/store/index.ts';
import { ids, writes } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { failureOf, openActivities } from './rig.ts';

const system = (code: string) => Object.assign(new Error(`${code}: no`), { code, errno: -1, syscall: 'write' });
const grpc = (code: number) =>
  new ServiceError('no', { cause: Object.assign(new Error('no'), { code, details: 'no', metadata: {} }) });

test.each<[string, unknown, string | undefined]>([
  [
    'of a store, by the code of what it met',
    new StoreError('unwritable', 'no', { cause: system('ENOSPC') }),
    'the store: ENOSPC',
  ],
  ['of a store that says no more', new StoreError('unreadable', 'no'), 'the store: unreadable'],
  [
    'of a file on a full disk',
    new CapabilityError('CRITICAL', 'full', { cause: system('ENOSPC') }),
    'the disk: ENOSPC',
  ],
  ['of a disk that fails', system('EIO'), 'the disk: EIO'],
  ['of a server that is away', grpc(14), 'the server: UNAVAILABLE'],
  ['of a server that refuses', grpc(7), undefined],
  ['of a file that may not be read', system('EACCES'), undefined],
  ['of a result that is not there', new StoreError('not-found', 'no'), undefined],
  ['of a result that was changed', new StoreError('corrupt', 'no'), undefined],
  ['of a program', new TypeError('x is not a function'), undefined],
  ['that is none', 'ENOSPC', undefined],
])('an error %s', (_, error, expected) => expect(faultIn(error)).toBe(expected));

describe('work that meets a store that is away', () => {
  /** Takes so many writes, and then none for a while. */
  async function opened(capabilities: Parameters<typeof openActivities>[0], plan: object) {
    const rig = await openActivities(capabilities);
    const { revisionRef: revision } = await rig.compiled(planOf(plan));
    const state = { refusals: Number.POSITIVE_INFINITY, puts: 0 };
    const { store } = rig.dependencies;
    const written = async <T>(write: () => Promise<T>) => {
      state.puts += 1;
      // A store of another kind throws what it likes.
      if (state.puts <= state.refusals) throw system('EROFS');
      return write();
    };
    const away: Store = {
      ...store,
      put: (key, bytes) => written(() => store.put(key, bytes)),
      putUnder: (keys, bytes) => written(() => store.putUnder!(keys, bytes)),
    };
    const other = await openActivities([], { ...rig.dependencies, store: away });
    return { rig, other, state, request: { revision, nodeId: 'node_1', inputs: [], work: 1 } };
  }

  test('is deferred where it is a read', async () => {
    const { other, request } = await opened([ids], idsOf('a'));
    expect(await other.call('runTask', request)).toMatchObject({
      deferred: 'fault',
      reason: expect.stringContaining('the store: EROFS') as string,
    });
  });

  test('is deferred where sets are combined', async () => {
    const { rig, other, request } = await opened([ids], combine('UNION', idsOf('a'), idsOf('b')));
    const { ref } = (await rig.call('runTask', request)) as { ref: string };
    const combined = await other.call('combine', { ...request, nodeId: 'node_3', inputs: [ref, ref] });
    expect(combined).toMatchObject({ deferred: 'fault' });
  });

  test('is deferred where a plan is compiled', async () => {
    const { other } = await opened([ids], idsOf('a'));
    const reply: unknown = await other.call('compilePlan', { source: { document: planOf(idsOf('b')) } });
    expect(reply).toMatchObject({ deferred: 'fault' });
  });

  test('is deferred where its effect has not begun, and begins it later', async () => {
    const written: string[] = [];
    const { other, state, request } = await opened(
      [writes('pay', 'at-most-once', written)],
      task('pay', { value: 'x' }),
    );
    expect(await other.call('runTask', request)).toMatchObject({ deferred: 'fault' });
    expect(written).toEqual([]);
    state.refusals = 0;
    expect(await other.call('runTask', request, { token: 'second' })).toMatchObject({ kind: 'set' });
    expect(written).toHaveLength(1);
  });

  test('stores the result of an effect that has happened, once it can, and does not repeat it', async () => {
    const written: string[] = [];
    const { other, state, request } = await opened([writes('pay', 'idempotent', written)], task('pay', { value: 'x' }));
    state.refusals = 2;
    expect(await other.call('runTask', request)).toMatchObject({ kind: 'set' });
    expect(written).toHaveLength(1);
    expect(state.puts).toBeGreaterThan(2);
  });

  test.each([
    ['idempotent', { deferred: 'fault' }],
    ['at-most-once', { kind: 'set' }],
  ] as const)('waits a minute with the result of an effect, where it is %s', async (effect, expected) => {
    const written: string[] = [];
    const pay = writes('pay', effect, written);
    const execute: typeof pay.execute = async (given) => {
      const done: unknown = await pay.execute(given);
      // From here on it is away for three puts, or for good.
      state.refusals = written.length > 1 ? 0 : effect === 'idempotent' ? Infinity : state.puts + 3;
      return done as never;
    };
    const { other, state, request } = await opened([{ ...pay, execute }], task('pay', { value: 'x' }));
    state.refusals = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000 * state.puts);
    onTestFinished(() => clock.mockRestore());
    expect(await other.call('runTask', request)).toMatchObject(expected);
    expect(written).toHaveLength(1);
    state.refusals = 0;
    if (effect === 'idempotent') expect(await other.call('runTask', request)).toMatchObject({ kind: 'set' });
    expect(written).toHaveLength(effect === 'idempotent' ? 2 : 1);
  });

  test('says that an effect at most once has begun, where its own disk was full', async () => {
    const pay = { ...writes('pay', 'at-most-once', []), execute: () => Promise.reject(system('ENOSPC')) };
    const rig = await openActivities([pay]);
    const { revisionRef: revision } = await rig.compiled(planOf(task('pay', { value: 'x' })));
    const failure = await failureOf(rig.call('runTask', { revision, nodeId: 'node_1', inputs: [], work: 1 }));
    expect(failure).toMatchObject({ type: 'Unavailable', details: [] });
  });
});
