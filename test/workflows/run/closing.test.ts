/** How a run closes: where it cannot begin, when it is cancelled or rejected, and when it has come to its end. */

import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../src/protocol/index.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import { receive } from '../../../src/workflows/run/talk/inbox.ts';
import type { Orders } from '../../../src/workflows/run/turn.ts';
import {
  approvedRun,
  AT,
  bring,
  BROKE,
  editOf,
  failed,
  handle,
  landed,
  applyEdit,
  later,
  NO_PROJECT,
  openedRun,
  progressOf,
  say,
  sayAndWait,
  shapeOf,
  turn,
  underWay,
  wideShape,
} from './make-run.ts';

const CANCELLED = { ...BROKE, status: 'cancelled' } as const;
const held = { pressure: 'events' } as const;
const APPROVE = { digest: '3fa9c1d2', by: 'operator' };

/** A run whose plan is being compiled. */
function draftingRun(): { run: Run; draft: number } {
  const run = openRun('plan-1', AT);
  run.state.source = { document: { goal: 'g', plan: {} } };
  const [draft = 0] = turn(run).begin;
  return { run, draft };
}

function repliesTo(run: Run, orders: Orders): (Reply | undefined)[] {
  const last = run.state.messages;
  return Array.from({ length: last }, (_, i) => orders.replies.find(({ message }) => message === i + 1)?.reply);
}

describe('a run closes', () => {
  test('at once where its input is none', () => {
    const run = openRun('plan-1', AT);
    run.state.failure = { type: 'InvalidInput', message: '$: expected an object', details: [] };
    expect(turn(run)).toMatchObject({ begin: [], next: 'end' });
    expect(statusOf(run)).toMatchObject({ phase: 'closed', outcome: 'failed', reason: '$: expected an object' });
  });

  test('where its plan does not compile, with all that is wrong with it', () => {
    const { run, draft } = draftingRun();
    const issues = [{ severity: 'error', path: '$.plan', message: 'It has no task.' }];
    landed(run, draft, { ok: false, issues });
    expect(turn(run).next).toBe('end');
    const message = 'The plan has 1 problem. $.plan: It has no task.';
    expect(run.state.failure).toEqual({ type: 'InvalidPlan', message, details: [{ issues }] });
  });

  test('where it cannot be compiled', () => {
    const { run, draft } = draftingRun();
    failed(run, draft, { ...BROKE, status: 'failed' });
    expect(turn(run).next).toBe('end');
    expect(statusOf(run)).toMatchObject({ outcome: 'failed', reason: 'broke' });
  });

  const compiled = { ok: true, planShape: shapeOf([[]]), project: NO_PROJECT };
  test.each<[string, (run: Run, draft: number) => void]>([
    ['whose compiling stops', (run, draft) => failed(run, draft, CANCELLED)],
    ['whose compiling had ended', (run, draft) => landed(run, draft, compiled)],
  ])('when it is cancelled while it is drafted: one %s', (_, ends) => {
    const { run, draft } = draftingRun();
    run.state.options = { ...run.state.options, approval: 'effects' };
    say(run, 'approve', APPROVE);
    run.state.cancelled = true;
    expect(turn(run)).toMatchObject({ begin: [], cancel: [draft], next: 'wait' });
    ends(run, draft);
    expect(turn(run)).toMatchObject({ begin: [], next: 'end' });
    expect(statusOf(run)).toMatchObject({ phase: 'closed', outcome: 'cancelled' });
    expect(run.state.trace.entries.filter(({ what }) => what === 'closed')).toHaveLength(1);
  });

  test('when it is cancelled, with all work stopped and waited for', () => {
    const run = approvedRun(shapeOf([[], [], [0]]));
    bring(run, 1, { asks: { text: 'which?' } });
    run.state.cancelled = true;
    expect(turn(run)).toMatchObject({ begin: [], cancel: [1], next: 'wait' });
    expect(progressOf(run).status).toEqual(['running', 'cancelled', 'cancelled']);
    // Cancelled by Temporal it keeps what its work gave.
    bring(run, 0, handle('r'));
    expect(turn(run).next).toBe('end');
    expect(progressOf(run).status[0]).toBe('succeeded');
    expect(statusOf(run)).toMatchObject({ outcome: 'cancelled', waitingFor: 0 });
  });

  test('by a rejection, which waits for no edit under way; nodes under way end by themselves', () => {
    const run = openedRun(shapeOf([[], []]));
    say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], ...APPROVE });
    const { work, message } = sayAndWait(run, 'decide', editOf(run));
    receive(run, { name: 'reject', payload: APPROVE, at: AT });
    expect(turn(run)).toMatchObject({ cancel: [work], begin: [], next: 'wait' });
    expect(statusOf(run)).toMatchObject({ phase: 'closed', outcome: 'rejected' });
    failed(run, work, CANCELLED);
    bring(run, 0, handle('r'));
    const { replies, next } = turn(run);
    expect([replies, next]).toMatchObject([[{ message, reply: { ok: false, refusal: 'failed' } }], 'end']);
    expect(progressOf(run).status).toEqual(['succeeded', 'cancelled']);
  });

  test('when its last node has ended and whoever spoke before was heard', () => {
    const run = openedRun(shapeOf([[], []]), { approval: { rules: [{ effect: 'at-most-once' }, { count: 2 }] } });
    for (const by of ['operator', 'reviewer']) say(run, 'approve', { ...APPROVE, by });
    say(run, 'decide', { kind: 'withdraw', ...APPROVE }, later(1));
    bring(run, 0, handle('r0'), later(2));
    const compiling = sayAndWait(run, 'decide', editOf(run), later(3));
    bring(run, 1, handle('r1'), later(4));
    // Its edit was heard in time: it is compiled, and then decides what the plan is.
    expect(turn(run, later(5))).toMatchObject({ next: 'wait' });
    expect(statusOf(run).phase).not.toBe('closed');
    const planShape = shapeOf([[], [], []], { digest: 'e'.repeat(64) });
    expect(applyEdit(run, compiling, planShape, [0, 1, -1], later(6))).toMatchObject({ ok: true });
    expect(turn(run, later(6)).next).toBe('wait');
    expect(progressOf(run).status).toEqual(['reused', 'reused', 'pending']);
  });

  test('and hears what comes together with the end of its last node', () => {
    const run = approvedRun(shapeOf([[]]));
    bring(run, 0, { ...BROKE, status: 'failed' }, later(5));
    const retry = { action: 'retry-node', node: 'node_1', by: 'operator' };
    receive(run, { name: 'control', payload: retry, at: later(5) });
    expect(turn(run, later(5))).toMatchObject({ begin: [2], replies: [{ reply: { ok: true } }], next: 'wait' });
    expect(underWay(run)).toEqual([0]);
  });

  test('and answers everybody: in the mailbox, in line, and under way', () => {
    const run = approvedRun(wideShape(60), { concurrency: 100 });
    for (let node = 0; node < 59; node += 1) bring(run, node, { asks: { text: 'which?' } });
    for (let node = 1; node < 60; node += 1) {
      const payload = { question: `3fa9c1d2.node_${node}`, value: 1, by: 'operator' };
      receive(run, { name: 'answer', payload, at: AT, update: `u${node}` });
    }
    expect(turn(run).begin).toHaveLength(50);
    run.state.cancelled = true;
    for (let i = 0; i < 250; i += 1) {
      receive(run, { name: 'control', payload: { action: 'pause', by: `operator ${i}` }, at: AT });
    }
    const first = turn(run);
    expect([first.hasMore, first.next, first.cancel.length]).toEqual([true, 'wait', 51]);
    for (const id of Object.keys(run.tasks).map(Number)) failed(run, id, CANCELLED);
    const second = turn(run);
    expect(second.next).toBe('end');
    const all = [...repliesTo(run, first), ...repliesTo(run, second)].filter((reply) => reply !== undefined);
    expect(all).toHaveLength(run.state.messages - 1);
    expect(new Set(all.map((reply) => (reply.ok ? 'ok' : reply.refusal)))).toEqual(new Set(['ok', 'closed', 'failed']));
  });

  test('when what stood in line was answered, and nothing else is left to wait for', () => {
    // A hold keeps an edit from being compiled; meanwhile the plan is approved, and its one node is skipped.
    const run = openedRun(shapeOf([[]]));
    receive(run, { name: 'decide', payload: editOf(run), at: AT });
    receive(run, { name: 'approve', payload: APPROVE, at: AT });
    receive(run, { name: 'control', payload: { action: 'skip-node', node: 'node_1', by: 'operator' }, at: AT });
    expect(turn(run, AT, held).replies.map(({ message }) => message)).toEqual([2, 3]);
    const { replies, hasMore, due } = turn(run);
    expect([replies, hasMore, due]).toMatchObject([
      [{ message: 1, reply: { refusal: 'already-decided' } }],
      true,
      undefined,
    ]);
    expect(turn(run).next).toBe('end');
  });
});
