/** Which activations act on what no workflow task has brought, and what is done about them. */

import { describe, expect, test } from 'vitest';
import { UNHEARD } from '../../src/contract/index.ts';
import { interceptors, isUnheard, type Moment } from '../../src/workflows/unheard.ts';

const at = (events: number, started: string): Moment => ({ events, started });

describe('unheard is what comes without a task of its own', () => {
  test.each<[string, Moment | undefined, Moment, boolean]>([
    ['the first task', undefined, at(3, '10,0,500'), false],
    ['the next task', at(3, '10,0,500'), at(9, '11,0,900'), false],
    ['a task of a clock that was put back', at(3, '10,0,500'), at(9, '10,0,900'), false],
    ['a local activity of the same task', at(9, '11,0,900'), at(9, '11,0,900'), false],
    ['events after the last task', at(9, '11,0,900'), at(14, '11,0,900'), true],
  ])('%s', (_, before, now, expected) => {
    expect(isUnheard(before, now)).toBe(expected);
  });
});

type Activate = NonNullable<NonNullable<ReturnType<typeof interceptors>['internals']>[0]['activate']>;
type Activation = Parameters<Activate>[0]['activation'];

/** A run, as the core drives it: what of each activation the run acts on. */
function driven() {
  const activate = interceptors().internals?.[0]?.activate;
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
    jobs: [{ queryWorkflow: { arguments: page === undefined ? [] : [payload] } }],
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
