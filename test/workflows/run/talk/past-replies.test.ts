/** How much of what was said a run remembers, and what happens beyond that. */

import { expect, test } from 'vitest';
import { openRun } from '../../../../src/workflows/run/run.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { byteLength } from '../../../../src/plan/text/index.ts';
import { replyToUpdate } from '../../../../src/workflows/run/talk/inbox.ts';
import { AT, editOf, landed, later, openedRun, shapeOf, takenUp, turn, waiting, writtenOf } from '../make-run.ts';
import { pause, send } from './sent.ts';

const MIB = 2 ** 20;
const KILL = { action: 'kill', by: 'operator', comment: 'the beam is lost' };
const decide = { name: 'decide' } as const;

/** Replies to signed messages that fill a store of so many bytes, all of them valid for an hour. */
function fillWithSigned(run: Run, bytes: number): void {
  const until = Date.parse(later(3_600_000)) / 1000;
  for (let i = 0; i < 100; i += 1)
    run.state.pastReplies[`signature ${i}`] = { reply: { ok: true, reply: 'r' }, until, bytes: bytes / 100 };
}

test('1,000 refused edits of 100 issues each leave a small state, and one that is sent again gets code and text', () => {
  const run = openedRun(shapeOf([[]]));
  const issues = Array.from({ length: 100 }, (_, i) => {
    return { code: 'unknown-key', severity: 'error', path: `$.plan.${i}`, message: `Wrong ${'x'.repeat(300)} ${i}.` };
  });
  for (let i = 0; i < 1000; i += 1) {
    const id = send(run, editOf(run), { ...decide, update: `u${i}` });
    for (const work of turn(run).begin) landed(run, work, { ok: false, issues });
    const [first] = turn(run).replies;
    expect(first).toMatchObject({ message: id, reply: { ok: false, refusal: 'invalid-plan', issues } });
  }
  expect(byteLength(writtenOf(run))).toBeLessThan(3 * MIB);
  const next = takenUp(run);
  const reason = expect.stringMatching(/^the edited plan is invalid: 100 problems.* has them too\.$/su);
  expect(replyToUpdate(next, 'u999')).toEqual({ ok: false, refusal: 'invalid-plan', reason });
  send(next, editOf(run), { ...decide, update: 'u0' });
  expect(turn(next)).toMatchObject({ begin: [], replies: [{ reply: { refusal: 'invalid-plan', reason } }] });
});

test('messages that wait for an activity take 8 MiB; one more is failed, as update and as signal, and a kill is heard', () => {
  const run = openedRun(shapeOf([[]]));
  const large = () => editOf(run, { plan: { goal: 'x'.repeat(200 * 1024) } });
  for (let i = 0; i < 60; i += 1) send(run, large(), i % 2 === 0 ? { ...decide, update: `u${i}` } : decide);
  const { replies } = turn(run);
  const bytes = run.state.inbox.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
  expect(bytes).toBeGreaterThan(7.8 * MIB);
  expect(bytes).toBeLessThanOrEqual(8 * MIB);
  expect(waiting(run, 'room').length + waiting(run, 'activity').length + replies.length).toBe(60);
  const reason = expect.stringContaining('has 8 MiB of messages that wait');
  for (const { reply } of replies) expect(reply).toEqual({ ok: false, refusal: 'failed', reason });
  const message = send(run, KILL, { update: 'kill' });
  expect(turn(run).replies[0]).toMatchObject({ message, reply: { ok: true } });
  expect(run.state.approval.closed).toMatchObject({ outcome: 'aborted' });
});

test('a kill whose signature nobody can verify yet has room beyond that, but 1 MiB for all of them', () => {
  const run = openRun('plan-1', AT);
  const claims = Buffer.from(JSON.stringify({ message: { action: 'kill', comment: 'x'.repeat(40_000) } }));
  const token = (i: number) => `h.${claims.toString('base64url')}.${String(i).padEnd(86, 's')}`;
  for (let i = 0; i < 200; i += 1) send(run, { token: token(i) }, { name: 'control', update: `u${i}` });
  const replies = Array.from({ length: 20 }, () => turn(run).replies).flat();
  const bytes = run.state.inbox.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
  expect(bytes).toBeGreaterThan(8.8 * MIB);
  expect(bytes).toBeLessThanOrEqual(9 * MIB);
  expect(replies.filter(({ reply }) => !reply.ok && reply.refusal === 'failed').length).toBeGreaterThan(20);
});

test('the oldest replies to unsigned messages go first; those to signed ones stay as long as their tokens', () => {
  const run = openedRun(shapeOf([[]]));
  for (let i = 0; i < 3; i += 1) {
    send(run, pause(`p${i}`), { update: `u${i}` });
    turn(run);
  }
  fillWithSigned(run, 8 * MIB - 80);
  send(run, pause('last'), { update: 'u3' });
  turn(run);
  const known = (update: string) => replyToUpdate(run, update) !== undefined;
  expect(['u0', 'u1', 'u2', 'u3'].map(known)).toEqual([false, false, false, true]);
  fillWithSigned(run, 9 * MIB);
  send(run, editOf(run), { ...decide, update: 'edit' });
  expect(turn(run).replies).toMatchObject([{ reply: { refusal: 'failed' } }]);
  expect(Object.keys(run.state.pastReplies).filter((key) => key.startsWith('signature'))).toHaveLength(100);
  // A kill is taken all the same.
  send(run, KILL, { update: 'kill' });
  expect(turn(run, later(3_900_001)).replies).toMatchObject([{ reply: { ok: true } }]);
  expect(Object.keys(run.state.pastReplies)).toEqual(['update kill']);
});
