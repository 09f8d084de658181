/** A person has a run go on in a new history: when, and what holds it up. */

import { describe, expect, test } from 'vitest';
import { pressureIn } from '../../../src/workflows/run/drain.ts';
import { receive } from '../../../src/workflows/run/talk/inbox.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { approvedRun, AT, bring, handle, later, openedRun, shapeOf, turn, takenUp } from './make-run.ts';
import { control } from './operated-run.ts';

const NOTHING = { events: 0, bytes: 0, signals: 0, updates: 0, isSuggested: false };
const pressure = (run: Run) => () => pressureIn(run, NOTHING, NOTHING);
const asked = (run: Run) => receive(run, { name: 'control', payload: { action: 'go-on', by: 'operator' }, at: AT });

describe('go-on', () => {
  test('hands a run that waits for a person over in the very turn that hears it', () => {
    const run = openedRun(shapeOf([[]]));
    expect(turn(run, AT, { pressure: pressure(run) }).next).toBe('wait');
    const id = asked(run);
    const orders = turn(run, AT, { pressure: pressure(run) });
    expect(orders.next).toBe('continue');
    expect(orders.replies).toEqual([
      { message: id, reply: { ok: true, reply: expect.stringContaining('new history') } },
    ]);
  });

  test('begins nothing, and stops what is under way after 5 s', () => {
    const run = approvedRun(shapeOf([[], [0], []]), { concurrency: 1 });
    asked(run);
    expect(turn(run, AT, { pressure: pressure(run) })).toMatchObject({ next: 'wait', due: later(5000) });
    expect(turn(run, later(5000), { pressure: pressure(run) }).cancel).toEqual([1]);
    bring(run, 0, handle('r'), later(6000));
    expect(turn(run, later(6000), { pressure: pressure(run) })).toMatchObject({ begin: [], next: 'continue' });
  });

  test('takes the run over as soon as the last work has ended, however long it takes', () => {
    const run = approvedRun(shapeOf([[], [0]]), { concurrency: 1 });
    control(run, 'pause');
    asked(run);
    turn(run, AT, { pressure: pressure(run) });
    bring(run, 0, handle('r'), later(3_600_000));
    expect(turn(run, later(3_600_000), { pressure: pressure(run) }).next).toBe('continue');
  });

  test('is answered with what is so when it is said again, and refused by a run that has closed', () => {
    const run = openedRun(shapeOf([[]]));
    expect(control(run, 'go-on')).toMatchObject({ ok: true });
    expect(control(run, 'go-on')).toMatchObject({ ok: true, reply: expect.stringContaining('already') });
    control(run, 'kill', { comment: 'enough' });
    expect(control(run, 'go-on')).toMatchObject({ ok: false, refusal: 'closed' });
  });

  test('is asked of one history: the next one does not go on by itself', () => {
    const run = openedRun(shapeOf([[]]));
    control(run, 'go-on');
    expect(pressure(run)()).toBe('messages');
    const next = takenUp(run, shapeOf([[]]));
    expect(turn(next, AT, { pressure: pressure(next) }).next).toBe('wait');
    expect(control(next, 'go-on')).not.toMatchObject({ reply: expect.stringContaining('already') });
  });
});
