/** What comes more than once: as an update and as a signal, or again to the history in which the run goes on. */

import { describe, expect, test } from 'vitest';
import { clockText } from '../../../src/text/index.ts';
import { openRun } from '../../../src/run/run.ts';
import { resumeRun, snapshotOf } from '../../../src/run/snapshot.ts';
import { receive } from '../../../src/run/talk/mailbox.ts';
import { AT, handle, landed, later, openedRun, sliceOf, turn } from '../make-run.ts';
import { answer, manyAsking } from '../asking-run.ts';
import { approve, pause, send } from './sent.ts';

describe('one message that comes as an update and as the signal that its sender left', () => {
  const said = ({ replies }: ReturnType<typeof turn>) => replies.map(({ reply }) => reply);

  test.each([
    ['the signal first', [undefined, 'u']],
    ['the update first', ['u', undefined]],
  ])('is answered once to both: %s', (_, [first, second]) => {
    const run = openedRun(sliceOf([[]]));
    for (const update of [first, second]) {
      receive(run, { name: 'approve', payload: approve, at: AT, ...(update !== undefined && { update }) });
    }
    expect(said(turn(run))).toEqual([
      { ok: true, reply: 'approved' },
      { ok: true, reply: 'approved' },
    ]);
    expect(run.dialogue.approval.decisions).toHaveLength(1);
    expect(run.dialogue.trace.entries.filter(({ what }) => what === 'refused')).toEqual([]);
  });

  test('is two in two turns, or when both come the same way', () => {
    const run = openedRun(sliceOf([[], []]));
    receive(run, { name: 'approve', payload: approve, at: AT });
    receive(run, { name: 'approve', payload: approve, at: AT });
    expect(said(turn(run))).toMatchObject([{ ok: true }, { refusal: 'already-decided' }]);
    receive(run, { name: 'approve', payload: approve, at: AT, update: 'u' });
    expect(said(turn(run))).toMatchObject([{ refusal: 'already-decided' }]);
  });

  test('is told again to the next history as it was told here', () => {
    const run = openedRun(sliceOf([[]]));
    receive(run, { name: 'approve', payload: approve, at: AT });
    receive(run, { name: 'approve', payload: approve, at: AT, update: 'u' });
    turn(run);
    const next = resumeRun('plan-1', snapshotOf(run), run.execution?.slice);
    receive(next, { name: 'approve', payload: approve, at: later(5), update: 'u' });
    expect(said(turn(next))).toEqual([{ ok: true, reply: 'approved' }]);
    expect(snapshotOf(next)).toContain('"u"');
    expect(next.dialogue.trace).toEqual(run.dialogue.trace);
  });

  test('is stored once where it is an answer', () => {
    const run = manyAsking(2);
    send(run, answer(1), { name: 'answer', update: 'u' });
    send(run, answer(1), { name: 'answer' });
    const { begin } = turn(run);
    for (const work of begin) landed(run, work, { ok: true, handle: handle('r') });
    const again = { ok: true, reply: `answered so already, by operator at ${clockText(AT)}` };
    expect(said(turn(run))).toEqual([{ ok: true, reply: 'answered' }, again]);
  });
});

describe('an update that is sent again', () => {
  test('is answered as before, without being heard again, as long as it is remembered', () => {
    const run = openedRun(sliceOf([[]]));
    for (let i = 0; i < 1001; i += 1) {
      send(run, pause(`p${i}`), { update: `u${i}` });
      turn(run);
    }
    expect(run.dialogue.updates.size).toBe(1000);
    const before = run.dialogue.trace.last;
    send(run, { action: 'resume', by: 'operator' }, { update: 'u1000' });
    expect(turn(run).replies).toMatchObject([{ reply: { ok: true, reply: 'it is paused already' } }]);
    expect([run.dialogue.paused, run.dialogue.trace.last]).toEqual([true, before]);
    // The oldest is forgotten.
    send(run, { action: 'resume', by: 'operator' }, { update: 'u0' });
    expect(turn(run).replies).toMatchObject([{ reply: { reply: 'resumed' } }]);
  });

  test('while it is kept for the plan is kept once, and answered as it was', () => {
    const run = openRun('plan-1', AT);
    const decide = (by: string) => ({ kind: 'approve', ...approve, by });
    for (const [by, update] of [
      ['operator', 'a'],
      ['operator', 'b'],
    ] as const) {
      send(run, decide(by), { name: 'decide', update });
      expect(turn(run).replies).toMatchObject([{ reply: { kept: true } }]);
    }
    const next = resumeRun('plan-1', snapshotOf(run), undefined);
    for (const update of ['a', 'b']) send(next, decide('operator'), { name: 'decide', update });
    expect(turn(next).replies).toMatchObject([{ reply: { kept: true } }, { reply: { kept: true } }]);
    expect(next.dialogue.early).toHaveLength(1);
  });
});
