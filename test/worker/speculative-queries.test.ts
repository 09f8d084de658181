/** Which activations act on what no workflow task has brought, and what is done about them. */

import { afterEach, describe, expect, test } from 'vitest';
import { UNHEARD } from '../../src/protocol/index.ts';
import { interceptors as makingFit } from '../../src/workflows/sdk/activations.ts';
import {
  interceptors,
  interceptorsBy,
  isSpeculative,
  type Moment,
} from '../../src/workflows/sdk/speculative-queries.ts';

const at = (events: number, started: string): Moment => ({ events, started });

describe('a worker that has other workflows too', () => {
  afterEach(() => void Reflect.deleteProperty(globalThis, ACTIVATOR));

  test.each([
    ['planWorkflow', 1],
    ['agentWorkflow', 1],
    ['guest', 0],
  ])('looks after %s in %i places of each', (workflowType, places) => {
    Reflect.set(globalThis, ACTIVATOR, { info: { workflowType } });
    expect(interceptors().internals ?? []).toHaveLength(places);
    expect(makingFit().internals ?? []).toHaveLength(places);
  });
});

/** Where the SDK keeps what is under way in its sandbox. */
const ACTIVATOR = '__TEMPORAL_ACTIVATOR__';

test.each<[string, Moment | undefined, Moment, boolean]>([
  ['the first task', undefined, at(3, '10,0,500'), false],
  ['the next task', at(3, '10,0,500'), at(9, '11,0,900'), false],
  ['a task of a clock that was put back', at(3, '10,0,500'), at(9, '10,0,900'), false],
  ['a second activation of the same task', at(9, '11,0,900'), at(9, '11,0,900'), false],
  ['events after the last task', at(9, '11,0,900'), at(14, '11,0,900'), true],
])('unheard is what comes without a task of its own: %s', (_, before, now, expected) => {
  expect(isSpeculative(before, now)).toBe(expected);
});

type Activate = NonNullable<NonNullable<ReturnType<typeof interceptors>['internals']>[0]['activate']>;
type Activation = Parameters<Activate>[0]['activation'];

/** A run, as the core drives it: what of each activation the run acts on. */
function driven(ageMs = 0) {
  const activate = interceptorsBy(() => ageMs).internals?.[0]?.activate;
  return (activation: Activation): 'acted' | 'held' => {
    let done: 'acted' | 'held' = 'held';
    activate?.({ activation, batchIndex: 0 }, () => void (done = 'acted'));
    return done;
  };
}

const task = (events: number, nanos: number, more: Activation = {}): Activation => ({
  historyLength: events,
  timestamp: { nanos },
  jobs: [{ signalWorkflow: {} }],
  ...more,
});
const query = (events: number, nanos: number, page?: object): Activation => {
  const data = new TextEncoder().encode(JSON.stringify(page));
  const payload = { metadata: { encoding: new TextEncoder().encode('json/plain') }, data };
  return task(events, nanos, {
    isReplaying: true,
    jobs: [{ queryWorkflow: { queryId: 'legacy_query', arguments: page === undefined ? [] : [payload] } }],
  });
};

describe('a run', () => {
  test('acts on its tasks and answers queries between them', () => {
    const activate = driven();
    const activations = [task(3, 1), task(3, 1), query(3, 1), task(9, 2), query(9, 2), query(9, 2), task(14, 3)];
    expect(activations.map(activate)).toEqual(activations.map(() => 'acted'));
  });

  test('does not act on what is unheard, and whatever follows fails it', () => {
    const activate = driven();
    expect(activate(task(3, 1))).toBe('acted');
    expect(activate(task(8, 1))).toBe('held');
    expect(() => activate(query(8, 1))).toThrow(UNHEARD);
    expect(() => activate(query(8, 1, { ended: 7 }))).toThrow(UNHEARD);
    expect(() => activate(task(9, 2))).toThrow(UNHEARD);
  });

  const replayed = (events: number, nanos: number) => task(events, nanos, { isReplaying: true });
  test.each<[string, readonly Activation[], 'acted' | 'failed']>([
    [
      'that was replayed for a query, with a task in it that another worker has, or had until it timed out',
      [replayed(3, 1), task(8, 2), query(8, 2)],
      'failed',
    ],
    ['that was replayed for a query alone', [replayed(3, 1), replayed(8, 2), query(8, 2)], 'acted'],
    ['that was there before the query', [task(3, 1), task(8, 2), query(8, 2)], 'acted'],
    ['that has had another task since its replay', [replayed(3, 1), task(8, 2), task(13, 3), query(13, 3)], 'acted'],
    ['that has answered before', [replayed(3, 1), query(3, 1), task(8, 2), query(8, 2)], 'acted'],
    ['with two activations in its one task', [replayed(3, 1), task(8, 2), task(8, 2), query(8, 2)], 'failed'],
    [
      'asked by a query that travels with the task',
      [replayed(3, 1), task(8, 2), { ...task(8, 2), jobs: [{ queryWorkflow: { queryId: '7' } }] }],
      'acted',
    ],
  ])('in an instance %s', (_, activations, expected) => {
    const activate = driven(600);
    const tried = activations.map((one) => {
      try {
        return activate(one);
      } catch {
        return 'failed';
      }
    });
    expect(tried.at(-1)).toBe(expected);
    expect(tried.slice(0, -1)).not.toContain('failed');
  });

  test('that was replayed for a task that has just started answers at once', () => {
    const activate = driven(100);
    expect([replayed(3, 1), task(8, 2), query(8, 2)].map(activate)).toEqual(['acted', 'acted', 'acted']);
  });

  test('asks the clock, whatever the time of its task', () => {
    const activate = interceptorsBy().internals?.[0]?.activate;
    const act = (activation: Activation) => activate?.({ activation, batchIndex: 0 }, () => undefined);
    const ms = Date.now();
    const now = { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 } as never;
    for (const one of [replayed(3, 1), task(8, 2, { timestamp: now }), query(8, 2)]) act(one);
    const late = interceptorsBy().internals?.[0]?.activate;
    const actLate = (activation: Activation) => late?.({ activation, batchIndex: 0 }, () => undefined);
    for (const one of [replayed(3, 1), task(8, 2)]) actLate(one);
    expect(() => actLate(query(8, 2))).toThrow(UNHEARD);
  });

  test('answers whoever knows that it has ended', () => {
    const activate = driven();
    activate(task(3, 1));
    expect(activate(task(8, 1))).toBe('held');
    expect(activate(query(8, 1, { ended: 8 }))).toBe('acted');
  });

  test('replays what is recorded, whatever its times', () => {
    const activate = driven();
    activate(task(3, 1, { isReplaying: true }));
    expect(activate(task(8, 1, { isReplaying: true }))).toBe('acted');
  });
});
