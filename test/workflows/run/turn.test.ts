/** One turn after the other: what each orders, what comes next, and what is held back. */

import { describe, expect, test } from 'vitest';
import { retryHandOverLater, type Pressure } from '../../../src/workflows/run/drain.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { receive } from '../../../src/workflows/run/talk/inbox.ts';
import type { Orders } from '../../../src/workflows/run/turn.ts';
import {
  approvedRun,
  AT,
  bring,
  editOf,
  handle,
  later,
  openedRun,
  shapeOf,
  turn,
  wideShape,
  waiting,
} from './make-run.ts';

const held = { pressure: 'events' } as const;
const APPROVE = { digest: '3fa9c1d2', by: 'operator' };

describe('what comes after a turn', () => {
  const approving = () => openedRun(shapeOf([[]]));
  const busy = () => approvedRun(shapeOf([[]]));
  const done = () => {
    const run = busy();
    bring(run, 0, handle('r'));
    return run;
  };
  const refusedByStore = () => {
    const run = approving();
    retryHandOverLater(run, AT, 'ENOSPC');
    return run;
  };
  const withOneInLine = () => {
    const run = approving();
    receive(run, { name: 'decide', payload: editOf(run), at: AT });
    return run;
  };
  const cancelledAtWork = () => {
    const run = busy();
    run.state.cancelled = true;
    return run;
  };

  test.each<[string, () => Run, Pressure, Orders['next']]>([
    ['of a run that waits for a person', approving, 'none', 'wait'],
    ['of a run with work under way', busy, 'none', 'wait'],
    ['of a run that is done', done, 'none', 'end'],
    ['of a run that is done, under pressure', done, 'hard', 'end'],
    ['of a run that waits for a person, under pressure', approving, 'events', 'continue'],
    ['of a run that waits for a person, under hard pressure', approving, 'hard', 'continue'],
    ['of a run with work under way, under pressure', busy, 'events', 'wait'],
    ['of a run with work under way, under hard pressure', busy, 'hard', 'wait'],
    ['of a run with a message in line, under pressure', withOneInLine, 'events', 'continue'],
    ['of a run that the store has refused', refusedByStore, 'events', 'wait'],
    ['of a run that the store has refused, under hard pressure', refusedByStore, 'hard', 'wait'],
    ['of a run that is cancelled and whose work has not ended', cancelledAtWork, 'events', 'wait'],
  ])('%s: %s', (_, made, pressure, next) => {
    expect(turn(made(), AT, { pressure }).next).toBe(next);
  });

  test('is another try a minute after the store has refused, of which the run is woken at the hard bound', () => {
    const run = refusedByStore();
    run.drain.stopAt = later(-1);
    expect(turn(run, later(59_999), { pressure: 'hard' })).toMatchObject({ next: 'wait', due: later(60_000) });
    expect(turn(run, later(60_000), { pressure: 'hard' })).toMatchObject({ next: 'continue' });
  });
});

describe('under a hold', () => {
  test('no plan is compiled', () => {
    const run = openRun('plan-1', AT);
    run.state.source = { document: {} };
    expect(turn(run, AT, held)).toMatchObject({ begin: [], next: 'continue' });
    expect(turn(run).begin).toEqual([1]);
  });

  test('no node starts; what was said takes effect all the same', () => {
    const run = openedRun(shapeOf([[], []]));
    receive(run, { name: 'approve', payload: APPROVE, at: AT });
    const orders = turn(run, AT, held);
    expect(orders).toMatchObject({ begin: [], replies: [{ reply: { ok: true } }], next: 'continue' });
    expect(turn(run).begin).toEqual([1, 2]);
  });

  test('nothing begins for a message or a default; they stand in line', () => {
    const run = approvedRun(wideShape(2), { answerDeadlineMs: 1000 });
    bring(run, 0, { asks: { text: 'which?' } });
    bring(run, 1, { asks: { text: 'which?', default: 1 } });
    receive(run, {
      name: 'answer',
      payload: { question: '3fa9c1d2.node_1', value: 1, by: 'operator' },
      at: later(1000),
    });
    const orders = turn(run, later(1000), held);
    expect(orders).toMatchObject({ begin: [], replies: [], due: later(6000) });
    expect(waiting(run, 'room')).toHaveLength(1);
    // An answer that was heard in time is waited for, and with it every deadline.
    expect(turn(run, later(1001)).begin).toHaveLength(1);
  });

  test('what is at work goes on, and is stopped by hand as ever', () => {
    const run = approvedRun(shapeOf([[], []]));
    receive(run, { name: 'control', payload: { action: 'cancel-node', node: 'node_1', by: 'operator' }, at: AT });
    expect(turn(run, AT, held)).toMatchObject({ begin: [], cancel: [1], next: 'wait' });
  });
});

test('an order is given once', () => {
  const run = approvedRun(shapeOf([[], []]));
  receive(run, { name: 'control', payload: { action: 'cancel-node', node: 'node_1', by: 'operator' }, at: AT });
  expect(turn(run)).toMatchObject({ cancel: [1], replies: { length: 1 } });
  const nothing = {
    begin: [],
    cancel: [],
    cancelParts: [],
    replies: [],
    messageIds: [],
    runSignals: [],
    roles: undefined,
  };
  expect(turn(run)).toEqual({ ...nothing, due: undefined, hasMore: false, next: 'wait' });
});

test.each([
  [5, 'continue', false],
  [6, 'wait', true],
])('in a turn that %i messages come to, a run that is to go on will %s', (count, next, hasMore) => {
  const arrivals = Array.from({ length: count }, (_, n) => ({ is: 'unknown', name: `x${n}`, at: AT }) as const);
  const run = openedRun(shapeOf([[]]));
  expect(turn(run, AT, { ...held, arrivals })).toMatchObject({ next, hasMore });
  expect(turn(run, AT, held)).toMatchObject({ next: 'continue', hasMore: false });
});
