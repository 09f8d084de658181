/** What an operator's word does to a run: every action on a node in every state, and each action's own rules. */

import { describe, expect, test } from 'vitest';
import {
  CONTROL_ACTIONS,
  CONTROLS,
  NODE_STATUSES,
  type NodeEnd,
  type NodeStatus,
} from '../../../../src/protocol/index.ts';
import { closeRun } from '../../../../src/workflows/run/run.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { statusOf } from '../../../../src/workflows/views/views.ts';
import { receive } from '../../../../src/workflows/run/talk/inbox.ts';
import {
  AT,
  bring,
  BROKE,
  edit,
  executor,
  handle,
  later,
  openedRun,
  progressOf,
  say,
  shapeOf,
  turn,
  underWay,
} from '../make-run.ts';
import { control, pausedRun, running } from '../operated-run.ts';

const FAILED: NodeEnd = { ...BROKE, status: 'failed' };
const UNCERTAIN: NodeEnd = { ...BROKE, status: 'uncertain' };

/** node_1 in this state, with node_2 standing on it; node_3 goes on whatever becomes of them. Paused. */
function inState(status: NodeStatus, settled: boolean): Run {
  const inputs = [[], [0], []];
  const options = { onFailure: settled ? 'fail' : 'ask', answerDeadlineMs: 1000 } as const;
  const run = openedRun(shapeOf(inputs), options);
  if (status === 'skipped' || status === 'cancelled') {
    control(run, status === 'skipped' ? 'skip-node' : 'cancel-node', { node: 'node_1' });
  }
  const nodes = ['node_1', 'node_3'];
  if (status !== 'pending') say(run, 'decide', { kind: 'approve-part', nodes, digest: '3fa9c1d2', by: 'operator' });
  if (status === 'waiting') bring(run, 0, { asks: { text: 'which?' } });
  if (status === 'succeeded' || status === 'reused') bring(run, 0, handle('r'));
  if (status === 'reused') edit(run, shapeOf(inputs, { digest: 'e'.repeat(64) }), [0, 1, 2]);
  if (status === 'failed' || status === 'uncertain') bring(run, 0, { ...BROKE, status });
  if (status === 'uncertain' && settled) turn(run, later(1000));
  control(run, 'pause');
  return run;
}

/** What each action does to a node in each state: its state after, `=` where it is so already, `-` where it is refused. */
const TABLE: Record<string, Record<'cancel-node' | 'retry-node' | 'skip-node' | 'failed' | 'succeeded', string>> = {
  pending: { 'cancel-node': 'cancelled', 'retry-node': '=', 'skip-node': 'skipped', failed: '-', succeeded: '-' },
  running: { 'cancel-node': 'running', 'retry-node': '=', 'skip-node': '-', failed: '-', succeeded: '-' },
  waiting: { 'cancel-node': 'cancelled', 'retry-node': '=', 'skip-node': 'skipped', failed: '-', succeeded: '-' },
  succeeded: { 'cancel-node': '-', 'retry-node': '-', 'skip-node': '-', failed: '-', succeeded: '=' },
  reused: { 'cancel-node': '-', 'retry-node': '-', 'skip-node': '-', failed: '-', succeeded: '=' },
  failed: { 'cancel-node': '-', 'retry-node': 'pending', 'skip-node': '-', failed: '=', succeeded: '-' },
  skipped: { 'cancel-node': '-', 'retry-node': '-', 'skip-node': '=', failed: '-', succeeded: '-' },
  cancelled: { 'cancel-node': '=', 'retry-node': 'pending', 'skip-node': '-', failed: '-', succeeded: '-' },
  uncertain: { 'cancel-node': '-', 'retry-node': 'pending', 'skip-node': '-', failed: '-', succeeded: '-' },
  'failed, to be settled': {
    'cancel-node': '-',
    'retry-node': 'pending',
    'skip-node': 'skipped',
    failed: 'failed',
    succeeded: 'succeeded',
  },
  'uncertain, to be settled': {
    'cancel-node': '-',
    'retry-node': 'pending',
    'skip-node': 'skipped',
    failed: 'failed',
    succeeded: 'succeeded',
  },
};

describe('the table of every action on a node in every state', () => {
  for (const [state, row] of Object.entries(TABLE)) {
    for (const [action, expected] of Object.entries(row)) {
      test(`${action} on ${state}: ${expected}`, () => {
        const [status = 'pending', settling] = state.split(', ') as [NodeStatus, string?];
        const run = inState(status, settling === undefined);
        const before = progressOf(run).status[0];
        expect(before).toBe(status);
        const resolve = action === 'failed' || action === 'succeeded';
        const over = resolve
          ? { outcome: action, ...(action === 'succeeded' && { value: 1 }) }
          : { comment: 'it has no such entry' };
        const heard = control(run, resolve ? 'resolve' : action, { node: 'node_1', ...over });
        expect(heard.ok).toBe(expected !== '-');
        if (!heard.ok)
          expect(heard).toMatchObject({
            refusal: 'not-possible',
            reason: expect.stringMatching(/^node_1 (has|is|was) /),
          });
        else if (expected === '=') expect(heard.reply).toContain('already');
        expect(progressOf(run).status[0]).toBe(expected === '-' || expected === '=' ? before : expected);
        const { total, ...counts } = statusOf(run).counts;
        expect(NODE_STATUSES.reduce((sum, one) => sum + counts[one], 0)).toBe(total);
        // Said once more it changes nothing and is no error.
        if (heard.ok) {
          const now = [...progressOf(run).status];
          const again = control(run, resolve ? 'resolve' : action, { node: 'node_1', ...over });
          expect(again).toMatchObject({ ok: true, reply: expect.stringContaining('already') });
          expect(progressOf(run).status).toEqual(now);
        }
      });
    }
  }

  test('has a row for every status, and a column for every action about a node', () => {
    expect(Object.keys(TABLE).map((state) => state.split(',')[0])).toEqual(expect.arrayContaining([...NODE_STATUSES]));
    const aboutNodes = CONTROL_ACTIONS.filter((action) => CONTROLS[action].node === 'required');
    expect([...Object.keys(TABLE['pending']!), 'resolve']).toEqual(expect.arrayContaining(aboutNodes));
  });
});

describe('pause and resume', () => {
  test('are taken at any moment and as often as they are said', () => {
    const run = running([[], [0]]);
    expect(['pause', 'pause', 'resume', 'resume'].map((action) => control(run, action))).toMatchObject([
      ...[{ reply: 'paused; what has begun goes on' }, { reply: 'it is paused already' }],
      ...[{ reply: 'resumed' }, { reply: 'it is not paused' }],
    ]);
    control(run, 'pause');
    expect(statusOf(run).paused).toBe(true);
  });

  test('hold back what has not begun, and let it begin', () => {
    const run = pausedRun([[], [0]]);
    bring(run, 0, handle('r'));
    turn(run);
    expect(underWay(run)).toEqual([]);
    control(run, 'resume');
    expect(underWay(run)).toEqual([1]);
  });

  test('are not for a run that is closed', () => {
    const run = running([[]]);
    closeRun(run, 'expired', AT);
    for (const action of CONTROL_ACTIONS) {
      const over =
        CONTROLS[action].node === 'none'
          ? { comment: 'because' }
          : { node: 'node_1', ...(action === 'resolve' && { outcome: 'failed' }) };
      expect(control(run, action, over)).toMatchObject({
        ok: false,
        refusal: 'closed',
        reason: 'the run is closed: expired',
      });
    }
  });
});

describe('cancel-node', () => {
  test('asks work under way to stop, once, and the question of a node to be asked no more', () => {
    const run = running([[], []]);
    const [first] = Object.keys(run.tasks).map(Number);
    receive(run, { name: 'control', payload: { action: 'cancel-node', node: 'node_1', by: 'operator' }, at: AT });
    expect(turn(run).cancel).toEqual([first]);
    expect(control(run, 'cancel-node', { node: 'node_1', by: 'reviewer' })).toEqual({
      ok: true,
      reply: 'node_1 is asked to stop already',
    });
    expect([turn(run).cancel, run.tasks[first!]?.stopping]).toEqual([[], 'operator']);
    bring(run, 1, { asks: { text: 'which?' } });
    control(run, 'cancel-node', { node: 'node_2' });
    expect(Object.keys(run.state.questions).length).toBe(0);
    expect(say(run, 'answer', { question: '3fa9c1d2.node_2', value: 1, by: 'operator' })).toMatchObject({
      refusal: 'not-possible',
    });
  });

  test.each<[string, 'read' | 'at-most-once', Parameters<typeof bring>[2], NodeStatus]>([
    ['a read that succeeds', 'read', handle('r'), 'cancelled'],
    ['a read that fails', 'read', FAILED, 'cancelled'],
    ['a read that obeys', 'read', { ...BROKE, status: 'cancelled' }, 'cancelled'],
    ['a node that asks', 'read', { asks: { text: 'which?' } }, 'cancelled'],
    ['an effect that has happened', 'at-most-once', handle('r'), 'cancelled'],
    ['an effect that has surely not happened', 'at-most-once', FAILED, 'cancelled'],
    ['an effect that may have happened', 'at-most-once', UNCERTAIN, 'uncertain'],
  ])('holds for work that ends before it hears of it: %s', (_, effect, brought, status) => {
    const run = running([[], [0], []], { executors: [executor(effect)] }, { onFailure: 'ask' });
    expect(control(run, 'cancel-node', { node: 'node_1' })).toEqual({
      ok: true,
      reply: 'its work is asked to stop; what depends on it will be skipped',
    });
    bring(run, 0, brought);
    turn(run);
    const isOver = status === 'cancelled';
    expect(progressOf(run).status).toEqual([status, isOver ? 'skipped' : 'pending', 'running']);
    expect(progressOf(run).handles[0]).toBeUndefined();
    expect([Object.keys(run.state.questions).length, Object.keys(run.execution!.unsettled).length]).toEqual([
      0,
      isOver ? 0 : 1,
    ]);
    const comment = 'it has no such entry';
    expect(control(run, 'retry-node', { node: 'node_1', comment })).toMatchObject({ ok: true });
    expect(progressOf(run).status).toEqual(['running', 'pending', 'running']);
  });
});
