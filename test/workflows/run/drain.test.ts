/** A run comes to rest for a new history: what is stopped then, what is waited for, and with which attempts it begins again. */

import { describe, expect, test } from 'vitest';
import { type Pressure, retryHandOverLater } from '../../../src/workflows/run/drain.ts';
import { agentScheduled, agentStarted } from '../../../src/workflows/run/agents.ts';
import { permissionOf } from '../../../src/workflows/run/may-begin.ts';
import { beginTask } from '../../../src/workflows/run/tasks.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import type { PendingTask } from '../../../src/workflows/run/state.ts';
import type { Tried, TaskEnd } from '../../../src/workflows/run/task-traits.ts';
import { NEW_HISTORY } from '../../../src/protocol/index.ts';
import { approvedRun, AT, executor, handle, later, openedRun, shapeOf, takenUp, turn, wideShape } from './make-run.ts';

const FAILURE = { type: 'RETRIABLE', message: 'm', details: [] } as const;
const ended = (status: 'cancelled' | 'failed' | 'uncertain', type: string, tried?: Tried): TaskEnd => ({
  ok: false,
  end: { status, type, message: 'm' },
  failure: FAILURE,
  ...(tried && { tried }),
});
const at = (ms: number, run: Run, pressure: Pressure, end?: TaskEnd) => {
  const arrivals = end === undefined ? [] : [{ is: 'ended', taskId: 1, ended: end, at: later(ms) } as const];
  const orders = turn(run, later(ms), { pressure, arrivals });
  // A look at the server is no work of the plan.
  return { ...orders, looks: orders.begin.filter(isLook(run)), begin: orders.begin.filter((id) => !isLook(run)(id)) };
};
const isLook = (run: Run) => (id: number) => run.tasks[id]?.kind === 'look';
const nodeAtWork = (effect: 'read' | 'idempotent' | 'at-most-once' = 'read', attempts = 3) => {
  const one = executor(effect, 'does');
  return approvedRun(shapeOf([[]], { executors: [{ ...one, retry: { ...one.retry, attempts } }] }));
};

describe('a run for which a new history is due', () => {
  test('begins nothing, stops what is under way after 5 s, once, and goes on when that has ended', () => {
    const run = approvedRun(wideShape(2), { concurrency: 1 });
    expect(at(0, run, 'messages')).toMatchObject({ begin: [], cancel: [], next: 'wait', due: later(5000) });
    expect(at(4999, run, 'messages').cancel).toEqual([]);
    expect(at(5000, run, 'messages').cancel).toEqual([1]);
    expect(at(6000, run, 'messages')).toMatchObject({ cancel: [], due: undefined });
    expect(at(7000, run, 'messages', ended('cancelled', 'Cancelled'))).toMatchObject({ begin: [], next: 'continue' });
    expect(turn(takenUp(run), later(8000)).begin).toHaveLength(1);
  });

  test('goes on at once where nothing is under way, and no longer waits when it is not due any more', () => {
    expect(at(0, openedRun(shapeOf([[]])), 'events').next).toBe('continue');
    const run = nodeAtWork();
    at(0, run, 'messages');
    expect(at(1, run, 'none').due).toBeUndefined();
    expect(at(6000, run, 'messages').cancel).toEqual([]);
  });

  test('begins new work again for a minute where the store has refused, but at the hard bound', () => {
    const run = approvedRun(wideShape(2), { concurrency: 1 });
    retryHandOverLater(run, AT, 'ENOSPC');
    expect(at(0, run, 'events', { ok: true, value: handle('r') }).begin).toHaveLength(1);
    expect(at(1, run, 'hard')).toMatchObject({ next: 'wait', due: later(60_000) });
  });

  test('tells an effect that has not begun that it may not, and nothing else against it', () => {
    const run = nodeAtWork('at-most-once');
    expect(permissionOf(run, 1).ok).toBe(true);
    at(0, run, 'messages');
    expect(permissionOf(run, 1).ok).toBe(true);
    at(5000, run, 'messages');
    expect(permissionOf(run, 1)).toEqual({ ok: false, reason: NEW_HISTORY });
    run.state.paused = true;
    expect(permissionOf(run, 1)).toEqual({ ok: false, reason: 'the run is paused' });
  });

  test('does not wait for the run of an agent that has started, nor stop it', () => {
    const run = nodeAtWork();
    agentScheduled(run, 'plan-1.node_1', 1, 'key');
    expect(at(0, run, 'messages').next).toBe('wait');
    agentStarted(run, 'plan-1.node_1', 'first', true);
    expect(at(5000, run, 'messages')).toMatchObject({ cancel: [], next: 'continue' });
    const next = takenUp(run);
    expect(turn(next, later(6000))).toMatchObject({ next: 'wait', due: later(66_000) });
    expect(turn(next, later(66_000)).begin).toHaveLength(1);
  });
});

/** Work that asks a model, and work that does not. */
const OTHERS: readonly [
  kind: PendingTask['kind'],
  under: Readonly<Record<Exclude<Pressure, 'none'>, 'stopped' | 'waits' | 'goes on'>>,
][] = [
  ['plan', { events: 'goes on', messages: 'waits', hard: 'waits', full: 'stopped' }],
  ['decide', { events: 'goes on', messages: 'waits', hard: 'waits', full: 'stopped' }],
  ['report', { events: 'goes on', messages: 'waits', hard: 'waits', full: 'stopped' }],
  ['draft', { events: 'stopped', messages: 'stopped', hard: 'stopped', full: 'stopped' }],
];

describe.each(OTHERS)('%s under way', (kind, under) => {
  test.each(Object.entries(under))('under pressure of %s: %s', (pressure, wanted) => {
    const run = openedRun(wideShape(1));
    beginTask(run, { kind } as PendingTask);
    turn(run, AT, { pressure: pressure as Pressure });
    const orders = turn(run, later(5000), { pressure: pressure as Pressure });
    expect([orders.cancel.length > 0, orders.due !== undefined && orders.due <= later(5000)]).toEqual([
      wanted === 'stopped',
      false,
    ]);
    expect(run.drain.stopAt === undefined).toBe(wanted === 'goes on');
    if (wanted !== 'stopped') return;
    expect(
      turn(run, later(6000), {
        pressure: pressure as Pressure,
        arrivals: [{ is: 'ended', taskId: 1, ended: ended('cancelled', 'Cancelled'), at: later(6000) }],
      }).next,
    ).toBe('continue');
    expect(turn(takenUp(run), later(7000)).begin).toEqual([1]);
  });
});

describe('a node that was stopped', () => {
  const attempts = (run: Run) => run.execution?.attempts[0] ?? 0;
  const stopped = (pressure: Pressure, end: TaskEnd, ...of: Parameters<typeof nodeAtWork>) => {
    const run = nodeAtWork(...of);
    at(0, run, pressure);
    at(5000, run, pressure);
    at(6000, run, pressure, end);
    return run;
  };

  test.each<[string, TaskEnd, number]>([
    ['that no worker had taken keeps its attempts', ended('cancelled', 'Cancelled'), 0],
    ['has those that its worker says', ended('cancelled', 'Cancelled', { attempts: 2 }), 2],
    ['that failed before it heard of it has one less', ended('failed', 'RETRIABLE', { mayRetry: true }), 1],
    ['whose worker was lost has one less', ended('failed', 'Timeout.HEARTBEAT', { mayRetry: true }), 1],
    ['that took too long has one less', ended('failed', 'Timeout.START_TO_CLOSE', { mayRetry: true }), 1],
    [
      'that was held back has what it had',
      { ok: true, value: { deferred: 'run', reason: NEW_HISTORY, attempts: 2 } },
      2,
    ],
  ])('%s', (_, end, wanted) => {
    const run = stopped('messages', end);
    expect([run.execution?.progress.status[0], attempts(run)]).toEqual(['pending', wanted]);
  });

  test('that waited for its next attempt has one less', () => {
    const run = nodeAtWork();
    const [look] = at(0, run, 'messages').looks;
    const value = { agents: [], retried: ['node_1'] };
    turn(run, later(1), {
      pressure: 'messages',
      arrivals: [{ is: 'ended', taskId: look ?? 0, ended: { ok: true, value }, at: later(1) }],
    });
    at(5000, run, 'messages');
    at(6000, run, 'messages', ended('cancelled', 'Cancelled'));
    expect(attempts(run)).toBe(1);
  });

  test.each<[string, TaskEnd, string]>([
    ['has succeeded meanwhile', { ok: true, value: handle('r') }, 'succeeded'],
    ['has failed for good', ended('failed', 'CRITICAL'), 'failed'],
    ['has failed as often as it may', ended('failed', 'RETRIABLE', { mayRetry: true, attempts: 2 }), 'failed'],
  ])('is not begun again where it %s', (_, end, status) => {
    expect(stopped('messages', end).execution?.progress.status[0]).toBe(status);
  });

  test.each<[string, TaskEnd, string]>([
    ['may have happened, as its worker says', ended('uncertain', 'Cancelled'), 'uncertain'],
    [
      'lost its worker: the next attempt finds out',
      ended('uncertain', 'Timeout.HEARTBEAT', { mayRetry: true }),
      'pending',
    ],
    ['was not claimed', ended('cancelled', 'Cancelled'), 'pending'],
  ])('of at-most-once effect that %s', (_, end, status) => {
    expect(stopped('messages', end, 'at-most-once', 1).execution?.progress.status[0]).toBe(status);
  });

  test('for the number of events is stopped again for messages or at the hard bound only, and what is new begins beside it', () => {
    const run = takenUp(stopped('events', ended('cancelled', 'Cancelled')));
    expect(turn(run, later(7000)).begin).toHaveLength(1);
    const stopsAt = (pressure: Pressure) => {
      const other = takenUp(run);
      turn(other, later(8000), { pressure });
      return turn(other, later(13_000), { pressure }).cancel.length;
    };
    expect(['events', 'messages', 'hard', 'full'].map((one) => stopsAt(one as Pressure))).toEqual([0, 1, 1, 1]);
    expect(stopped('messages', ended('cancelled', 'Cancelled')).execution?.stopped[0]).toBeUndefined();
  });

  test('and that a person cancels meanwhile is cancelled', () => {
    const run = nodeAtWork();
    at(0, run, 'messages');
    at(5000, run, 'messages');
    run.tasks[1]!.stopping = 'operator';
    at(6000, run, 'messages', ended('cancelled', 'Cancelled'));
    expect(run.execution?.progress.status[0]).toBe('cancelled');
  });
});
