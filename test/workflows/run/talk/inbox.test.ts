/** What arrives: in which order and how much of it is looked at in a turn, what is one message, and what is refused at once. */

import { numbered } from '../../../../src/workflows/run/records.ts';
import { describe, expect, test } from 'vitest';
import type { MessageArrival } from '../../../../src/protocol/index.ts';
import { openRun } from '../../../../src/workflows/run/run.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { previewRefusal } from '../../../../src/workflows/run/talk/inbox.ts';
import {
  approvedRun,
  AT,
  bring,
  handle,
  landed,
  later,
  openedRun,
  REFUSES,
  shapeOf,
  turn,
  underWay,
  wideShape,
  writtenOf,
  inLine,
} from '../make-run.ts';
import { answer, manyAsking } from '../asking-run.ts';
import { approve, pause, send } from './sent.ts';

const TOKEN = `h.p.${'s'.repeat(86)}`;

describe('a turn', () => {
  test.each<[string, () => Run, (i: number) => unknown, number]>([
    [
      '200 messages before there is a plan',
      () => openRun('plan-1', AT),
      (i) => ({ ...pause(`p${i}`), action: 'cancel-node', node: 'node_1' }),
      200,
    ],
    ['200 about a plan of one node', () => openedRun(shapeOf([[]])), (i) => pause(`p${i}`), 200],
    ['100 about one of 500 nodes', () => openedRun(wideShape(500)), (i) => pause(`p${i}`), 100],
    ['19 about one of 5,000 nodes', () => openedRun(wideShape(5000)), (i) => pause(`p${i}`), 19],
    ['100 that are signed', () => openedRun(shapeOf([[]])), () => ({ token: TOKEN }), 100],
  ])('looks at %s', (_, opened, payload, most) => {
    const run = opened();
    const ids = Array.from({ length: 250 }, (__, i) => send(run, payload(i)));
    const heard: number[] = [];
    for (let left = 250; left > 0; left -= most) {
      const { replies, hasMore } = turn(run);
      expect([replies.length, hasMore]).toEqual([Math.min(most, left), left > most]);
      heard.push(...replies.map(({ message }) => message));
    }
    expect(heard).toEqual(ids);
  });

  test('hears in order of arrival, whatever comes after', () => {
    const run = openedRun(shapeOf([[]]));
    const said = ['pause', 'resume', 'pause'].map((action) => send(run, { action, by: 'operator' }));
    expect(turn(run).replies.map(({ message }) => message)).toEqual(said);
    expect(run.state.paused).toBe(true);
  });
});

describe('what would end the stack, or fill it', () => {
  function nested(levels: number): unknown {
    let value: unknown = 1;
    for (let level = 0; level < levels; level += 1) value = { value };
    return value;
  }

  test.each([
    ['1,000 levels are read', 1000, 'unknown key "value"'],
    ['1,001 are refused', 1001, 'it is nested more than 1000 levels deep; send a plan as text, or by "ref"'],
    ['50,000 are refused', 50_000, 'it is nested more than 1000 levels deep; send a plan as text, or by "ref"'],
  ])('%s', (_, levels, reason) => {
    const run = openedRun(shapeOf([[]]));
    send(run, { action: 'pause', by: 'operator', ...(nested(levels) as object) });
    const [told] = turn(run).replies;
    expect(told?.reply).toMatchObject({ ok: false, refusal: 'malformed', reason: expect.stringContaining(reason) });
    // It can be written down.
    expect(writtenOf(run).length).toBeLessThan(5000);
  });

  test('a message with 60,000 keys is refused for the first that nobody knows', () => {
    const run = openedRun(shapeOf([[]]));
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key ${i} ${'x'.repeat(200)}`, i]));
    send(run, { ...pause('operator'), ...many });
    const [told] = turn(run).replies;
    expect(told?.reply).toMatchObject({
      refusal: 'malformed',
      reason: expect.stringContaining('unknown key "key 0 x'),
    });
    expect(told?.reply.ok === false && told.reply.reason.length < 300).toBe(true);
  });

  test('no update is refused for the 10,000 messages before it, and a kill is heard in its turn', () => {
    const run = openedRun(shapeOf([[]]));
    for (let i = 0; i < 10_000; i += 1) send(run, pause(`s${i}`));
    const kill = { action: 'kill', by: 'operator', comment: 'the beam is lost' };
    const late = send(run, kill, { update: 'late' });
    expect(run.outbox.replies).toEqual([]);
    const heard = Array.from({ length: 51 }, () => turn(run).replies);
    expect(heard.map((replies) => replies.length)).toEqual([...Array.from({ length: 50 }, () => 200), 1]);
    expect(heard[50]).toMatchObject([{ message: late, reply: { ok: true } }]);
    expect(run.state.approval.closed).toMatchObject({ outcome: 'aborted' });
  });

  test('what a refused message says of itself is kept, cut', () => {
    const run = openedRun(shapeOf([[]]));
    send(run, { ...pause('x'.repeat(5000)), node: 7, why: 1 });
    turn(run);
    const said = { refusal: 'malformed', by: `${'x'.repeat(199)}…`, action: 'pause' };
    expect(run.state.trace.entries.at(-1)?.said).toEqual(said);
  });
});

describe('what stands in line', () => {
  test('begins fifty at a time, in order, and the rest when there is room', () => {
    const run = manyAsking(120);
    for (let node = 1; node <= 120; node += 1) send(run, answer(node), { name: 'answer' });
    const { begin } = turn(run);
    expect([begin.length, inLine(run)]).toEqual([50, 70]);
    for (const work of begin.slice(0, 20)) landed(run, work, { ok: true, handle: handle('r') });
    expect(turn(run).begin).toHaveLength(20);
    expect(Object.values(run.tasks).filter(({ kind }) => kind === 'message')).toHaveLength(50);
    for (let turns = 0; turns < 10; turns += 1) {
      for (const [id, { kind }] of [...numbered(run.tasks)])
        if (kind === 'message') landed(run, id, { ok: true, handle: handle('r') });
      turn(run);
    }
    expect([Object.keys(run.state.questions).length, inLine(run)]).toEqual([0, 0]);
  });

  test('is a default too, whose deadline has passed with many others', () => {
    const run = approvedRun(wideShape(120), { concurrency: 1000, answerDeadlineMs: 1000 });
    for (const node of underWay(run)) bring(run, node, { asks: { text: 'which?', default: node } });
    const first = turn(run, later(1000)).begin;
    expect([first.length, inLine(run), turn(run, later(1001)).begin]).toEqual([50, 70, []]);
    const rest: number[] = [];
    for (const work of first) {
      landed(run, work, { ok: true, handle: handle('r') }, later(1000));
      rest.push(...turn(run, later(1001)).begin);
    }
    expect(rest).toHaveLength(50);
    for (const work of rest) landed(run, work, { ok: true, handle: handle('r') }, later(1001));
    expect(turn(run, later(1002)).begin).toHaveLength(20);
  });

  test('is judged again when its turn comes', () => {
    const run = manyAsking(60);
    for (let node = 1; node <= 60; node += 1) send(run, answer(node), { name: 'answer' });
    const { begin } = turn(run);
    send(run, { action: 'cancel-node', node: 'node_60', by: 'operator' });
    turn(run);
    for (const work of begin) landed(run, work, { ok: true, handle: handle('r') });
    const { replies, begin: rest } = turn(run);
    expect(rest).toHaveLength(9);
    expect(replies.filter(({ reply }) => !reply.ok)).toMatchObject([
      { reply: { refusal: 'not-possible', reason: expect.stringContaining('asked no more') } },
    ]);
  });
});

describe('what is asked beforehand', () => {
  const asked = (run: Run, name: MessageArrival['name'], payload: unknown) =>
    previewRefusal(run, { name, payload, at: AT }, REFUSES);

  test.each<[string, MessageArrival['name'], unknown, string | undefined]>([
    ['what would be taken', 'approve', approve, undefined],
    ['what would be refused', 'approve', { ...approve, digest: 'ffffffff' }, 'stale-digest'],
    ['what cannot be read', 'answer', 7, 'malformed'],
    ['what an activity would have to look at', 'decide', { kind: 'edit', ...approve, plan: {} }, undefined],
    ['a token that is none', 'decide', { token: 7 }, 'malformed'],
  ])('leaves no trace: %s', (_, name, payload, refusal) => {
    const run = openedRun(shapeOf([[]]));
    const before = writtenOf(run);
    expect(asked(run, name, payload)?.refusal).toBe(refusal);
    expect([writtenOf(run), run.outbox.replies]).toEqual([before, []]);
  });

  test('is not told while others wait to be heard before', () => {
    const run = openedRun(shapeOf([[]]));
    send(run, { action: 'resume', by: 'operator' });
    expect(asked(run, 'approve', { ...approve, digest: 'ffffffff' })).toBeUndefined();
    expect(asked(run, 'decide', { token: 7 })?.refusal).toBe('malformed');
  });
});
