/** What a worker hands to the SDK with its own calls to the server, and the pauses between them. */

import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type * as Locks from '../../src/activities/resource-locks.ts';
import type * as Holding from '../../src/activities/hold-resource.ts';
import type * as Gates from '../../src/activities/gate.ts';
import type * as Faults from '../../src/activities/faults.ts';
import type { ResourceLocks } from '../../src/activities/resource-locks.ts';

const deadlines: number[] = [];
const pauses: number[] = [];
const started: { startDelay: number; workflowExecutionTimeout: number }[] = [];
let state = 0;

/** A double of the SDK's client: it keeps what it is called with. */
const client = {
  options: { namespace: 'default', loadedDataConverter: { payloadCodecs: [] } },
  withAbortSignal: (_: unknown, call: () => unknown) => call(),
  withDeadline: (at: number, call: () => unknown) => {
    deadlines.push(at - Date.now());
    return call();
  },
  start: (_: string, options: (typeof started)[number]) => {
    started.push(options);
    return Promise.resolve({ firstExecutionRunId: 'r' });
  },
  workflowService: { getWorkflowExecutionHistory: () => Promise.resolve({}) },
  getHandle: () => ({
    describe: () =>
      Promise.resolve({
        status: { name: 'RUNNING' },
        raw: { pendingActivities: [{ activityId: '1', attempt: 1, state }] },
      }),
    query: () => Promise.resolve({ words: [null] }),
  }),
};

let locks: typeof Locks;
let holds: typeof Holding;
let gate: typeof Gates;
let faults: typeof Faults;
const writer = { workflowId: 'w', runId: 'r', activityId: '1', attempt: 1, nodeId: 'node_1' };
const MOCKED = ['@temporalio/activity', '@temporalio/client', 'node:timers/promises'];

beforeAll(async () => {
  vi.resetModules();
  vi.doMock('@temporalio/activity', async (original) => ({
    ...(await original<object>()),
    getClient: () => ({ connection: {}, workflow: client }),
  }));
  vi.doMock('@temporalio/client', async (original) => ({
    ...(await original<object>()),
    WorkflowClient: function WorkflowClient() {
      return client;
    },
  }));
  vi.doMock('node:timers/promises', async (original) => ({
    ...(await original<object>()),
    setTimeout: async (ms: number) => {
      pauses.push(ms);
      await new Promise(setImmediate);
    },
  }));
  locks = await import('../../src/activities/resource-locks.ts');
  holds = await import('../../src/activities/hold-resource.ts');
  gate = await import('../../src/activities/gate.ts');
  faults = await import('../../src/activities/faults.ts');
});
afterAll(() => {
  for (const name of MOCKED) vi.doUnmock(name);
  vi.resetModules();
});
beforeEach(() => {
  vi.spyOn(Date, 'now').mockReturnValue(1000);
  for (const list of [deadlines, pauses, started]) list.splice(0);
  return () => void vi.restoreAllMocks();
});

test('a call about a lock has 10 seconds, one that waits 1 second more than it waits', async () => {
  await locks.serverLocks.find('magnet');
  await locks.serverLocks.ended('magnet', 500);
  expect(deadlines).toEqual([10_000, 1500]);
});

test('a lock that is forgotten lives on for 60 seconds', async () => {
  await locks.serverLocks.lock('magnet', writer, 5000);
  expect(started).toMatchObject([{ startDelay: 65_000, workflowExecutionTimeout: 65_000 }]);
});

test.each([0, 1, 2, 3, 4, 5, 6])('an attempt in the state %i is at work where it is one of three', async (given) => {
  state = given;
  expect(await locks.serverLocks.isAtWork(writer)).toBe([2, 3, 5].includes(given));
});

test('a run has 15 seconds for its answer', async () => {
  const asked = gate.createGate().ask({ workflowId: 'w', runId: 'r' }, 7, new AbortController().signal);
  expect([await asked, deadlines]).toMatchObject([{ ok: true, tokens: [] }, [15_000]]);
});

test('the pauses before a result of an effect is stored again: 200 ms, doubled, at most 5 seconds', async () => {
  let left = 7;
  const store = () =>
    (left -= 1) >= 0
      ? Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'write' }))
      : Promise.resolve('stored');
  expect(await faults.storeAtLast(store, new AbortController().signal)).toBe('stored');
  expect(pauses).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
});

test('a lock is left alone for 1 second, then for 10, and after a fault the server for 1', async () => {
  const looks: number[] = [];
  let calls = 0;
  const other: ResourceLocks = {
    lock: () =>
      (calls += 1) === 4
        ? Promise.reject(new Error('away'))
        : Promise.resolve(calls < 6 ? undefined : { writer, unlock: () => Promise.resolve() }),
    find: () => Promise.resolve({ writer: { ...writer, workflowId: 'other' }, unlock: () => Promise.resolve() }),
    ended: (_, withinMs) => Promise.resolve(looks.push(withinMs) < 0),
    isAtWork: () => Promise.resolve(true),
  };
  const hold = await holds
    .createHolds(other)
    .hold('magnet', writer, { forMs: 1, signal: new AbortController().signal });
  expect(hold.ok).toBe(true);
  expect(looks).toEqual([1000, 10_000, 10_000, 10_000]);
  expect(pauses).toContain(1000);
});

test('a worker that has written for 1 second leaves the resource for 250 ms', async () => {
  let clock = 1;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  const free: ResourceLocks = {
    lock: () => Promise.resolve({ writer, unlock: () => Promise.resolve() }),
    find: () => Promise.resolve(undefined),
    ended: () => Promise.resolve(true),
    isAtWork: () => Promise.resolve(false),
  };
  const { hold } = holds.createHolds(free);
  const at = { forMs: 1, signal: new AbortController().signal };
  const first = await hold('magnet', writer, at);
  const next = hold('magnet', { ...writer, workflowId: 'next' }, at);
  clock += 1001;
  if (first.ok) await first.release();
  expect((await next).ok).toBe(true);
  expect(pauses).toContain(250);
});

test('an attempt waits 60 seconds for its resource', async () => {
  const timer = vi.spyOn(globalThis, 'setTimeout');
  const silent: ResourceLocks = {
    lock: () => Promise.resolve({ writer, unlock: () => Promise.resolve() }),
    find: () => Promise.resolve(undefined),
    ended: () => Promise.resolve(true),
    isAtWork: () => Promise.resolve(false),
  };
  await holds.createHolds(silent).hold('magnet', writer, { forMs: 1, signal: new AbortController().signal });
  expect(timer.mock.calls.map(([, ms]) => ms)).toContain(60_000);
});
