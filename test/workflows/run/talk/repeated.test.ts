/** What comes more than once: as an update and as a signal, or again to the history in which the run goes on. */

import { describe, expect, test } from 'vitest';
import type { MessageArrival } from '../../../../src/protocol/index.ts';
import { openRun } from '../../../../src/workflows/run/run.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { previewRefusal, receive } from '../../../../src/workflows/run/talk/inbox.ts';
import { AT, handle, landed, openedRun, REFUSES, shapeOf, turn, takenUp, waiting } from '../make-run.ts';
import { answer, manyAsking } from '../asking-run.ts';
import { approve, pause, send } from './sent.ts';

const said = ({ replies }: ReturnType<typeof turn>) => replies.map(({ reply }) => reply);
/** An update, or the signal that stands for it, which a run does not tell apart. */
function sendAs(run: Run, message: Pick<MessageArrival, 'name' | 'payload'>, update = 'u'): number {
  return receive(run, { ...message, at: AT, update });
}

/** The same run in the history in which it goes on. */
function next(run: Run): Run {
  return takenUp(run);
}

describe('one message that comes as an update and as the signal that its sender left', () => {
  const message = { name: 'approve', payload: approve } as const;

  test('is heard once and answered once to both', () => {
    const run = openedRun(shapeOf([[]]));
    const id = sendAs(run, message);
    expect(sendAs(run, message)).toBe(id);
    expect(turn(run).replies).toEqual([{ message: id, reply: { ok: true, reply: 'approved' } }]);
    expect(run.state.approval.decisions).toHaveLength(1);
    expect(run.state.trace.entries.filter(({ what }) => what === 'refused')).toEqual([]);
  });

  test('is answered as it was in another turn, and in the next history', () => {
    const run = openedRun(shapeOf([[]]));
    sendAs(run, message);
    turn(run);
    sendAs(run, message);
    expect(said(turn(run))).toEqual([{ ok: true, reply: 'approved' }]);
    const later = next(run);
    sendAs(later, message);
    expect(said(turn(later))).toEqual([{ ok: true, reply: 'approved' }]);
    expect(later.state.trace).toEqual(run.state.trace);
  });

  test('is one where it waits to be heard, also in the next history', () => {
    const run = openedRun(shapeOf([[]]));
    const id = sendAs(run, message);
    const later = next(run);
    expect(sendAs(later, message)).toBe(id);
    expect(turn(later).replies).toEqual([{ message: id, reply: { ok: true, reply: 'approved' } }]);
  });

  test('is stored once where it is an answer, and answered when that is done', () => {
    const run = manyAsking(2);
    const given = { name: 'answer', payload: answer(1) } as const;
    const id = sendAs(run, given);
    const { begin } = turn(run);
    expect(sendAs(run, given)).toBe(id);
    expect([begin.length, turn(run).begin]).toEqual([1, []]);
    for (const work of begin) landed(run, work, { ok: true, handle: handle('r') });
    expect(turn(run).replies).toEqual([{ message: id, reply: { ok: true, reply: 'answered' } }]);
  });

  test('is kept once for the plan', () => {
    const run = openRun('plan-1', AT);
    const decide = { name: 'decide', payload: { kind: 'approve', ...approve } } as const;
    sendAs(run, decide);
    turn(run);
    sendAs(run, decide);
    expect(said(turn(run))).toMatchObject([{ kept: true }]);
    expect(waiting(run, 'plan')).toHaveLength(1);
  });

  test('is refused to nobody beforehand once it was heard', () => {
    const run = openedRun(shapeOf([[]]));
    sendAs(run, message);
    turn(run);
    const asked = (update: string) => previewRefusal(run, { ...message, at: AT, update }, REFUSES)?.refusal;
    expect([asked('u'), asked('v')]).toEqual([undefined, 'already-decided']);
  });

  test('is two where the signal names no update', () => {
    const run = openedRun(shapeOf([[], []]));
    receive(run, { ...message, at: AT });
    sendAs(run, message);
    receive(run, { ...message, at: AT });
    expect(said(turn(run))).toMatchObject([
      { ok: true },
      { refusal: 'already-decided' },
      { refusal: 'already-decided' },
    ]);
  });
});

describe('what was taken back meanwhile stays taken back when the update comes late', () => {
  const by = 'operator';
  const histories: [string, (run: Run) => Run][] = [
    ['in one history', (run) => run],
    ['over a hand-over', next],
  ];

  test.each(histories)('an approval that was withdrawn, %s', (_, goOn) => {
    const first = { name: 'decide', payload: { kind: 'approve', ...approve } } as const;
    for (const isOneTurn of [true, false]) {
      let run = openedRun(shapeOf([[]]));
      const hear = () => (isOneTurn ? undefined : (turn(run), (run = goOn(run))));
      // Nothing begins, so that there is something to withdraw.
      send(run, pause(by));
      sendAs(run, first);
      hear();
      send(run, { kind: 'withdraw', ...approve }, { name: 'decide' });
      hear();
      sendAs(run, first);
      const replies = said(turn(run));
      if (!isOneTurn) expect(replies).toEqual([{ ok: true, reply: 'approved' }]);
      expect(run.state.approval).toMatchObject({ phase: 'awaiting-approval', consents: [] });
      expect(turn(run).begin).toEqual([]);
    }
  });

  test.each(histories)('a pause after which somebody said resume, %s', (_, goOn) => {
    let run = openedRun(shapeOf([[]]));
    const first = { name: 'control', payload: pause(by) } as const;
    sendAs(run, first);
    send(run, { action: 'resume', by });
    turn(run);
    run = goOn(run);
    sendAs(run, first);
    expect(said(turn(run))).toEqual([{ ok: true, reply: 'paused; what has begun goes on' }]);
    expect(run.state.paused).toBe(false);
  });
});

describe('an update that is sent again', () => {
  test('is answered as before, without being heard again, as long as it is remembered', () => {
    const run = openedRun(shapeOf([[]]));
    for (let i = 0; i < 1001; i += 1) {
      send(run, pause(`p${i}`), { update: `u${i}` });
      turn(run);
    }
    expect(Object.keys(run.state.pastReplies)).toHaveLength(1000);
    const before = run.state.trace.last;
    send(run, { action: 'resume', by: 'operator' }, { update: 'u1000' });
    expect(turn(run).replies).toMatchObject([{ reply: { ok: true, reply: 'it is paused already' } }]);
    expect([run.state.paused, run.state.trace.last]).toEqual([true, before]);
    // The oldest is forgotten.
    send(run, { action: 'resume', by: 'operator' }, { update: 'u0' });
    expect(turn(run).replies).toMatchObject([{ reply: { reply: 'resumed' } }]);
  });

  test.each(['__proto__', 'constructor', '7'])(
    'under the name %s is answered as before, also in the next history',
    (update) => {
      const run = openedRun(shapeOf([[]]));
      send(run, pause('operator'), { update });
      const [first] = turn(run).replies;
      for (const one of [run, next(run)]) {
        send(one, { action: 'resume', by: 'operator' }, { update });
        expect(turn(one).replies).toMatchObject([{ reply: first!.reply }]);
        expect(one.state.paused).toBe(true);
      }
    },
  );

  test('while it is kept for the plan is kept once, and answered as it was', () => {
    const run = openRun('plan-1', AT);
    const decide = { kind: 'approve', ...approve };
    for (const update of ['a', 'b']) {
      send(run, decide, { name: 'decide', update });
      expect(turn(run).replies).toMatchObject([{ reply: { kept: true } }]);
    }
    const later = next(run);
    for (const update of ['a', 'b']) send(later, decide, { name: 'decide', update });
    expect(turn(later).replies).toMatchObject([{ reply: { kept: true } }, { reply: { kept: true } }]);
    expect(waiting(later, 'plan')).toHaveLength(2);
  });
});
