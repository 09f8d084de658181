/** What an operator does about a node that ended without a result: having it run again, or saying what became of it. */

import { describe, expect, test } from 'vitest';
import { MAX_REPETITIONS, type NodeEnd } from '../../../../src/protocol/index.ts';
import { nextDeadline } from '../../../../src/workflows/run/deadlines.ts';
import { statusOf } from '../../../../src/workflows/views/views.ts';
import {
  bring,
  BROKE,
  edit,
  executor,
  handle,
  landed,
  later,
  openedRun,
  progressOf,
  say,
  sayAndWait,
  shapeOf,
  turn,
  underWay,
} from '../make-run.ts';
import { control, pausedRun, running } from '../operated-run.ts';

const FAILED: NodeEnd = { ...BROKE, status: 'failed' };
const ONCE = { executors: [executor('at-most-once')] };
const UNCERTAIN: NodeEnd = { ...BROKE, status: 'uncertain' };

describe('retry-node', () => {
  test('brings back what was skipped for the sake of the node, and only that', () => {
    const run = pausedRun([[], [], [0], [1], [2, 3]]);
    const progress = progressOf(run);
    bring(run, 0, FAILED);
    bring(run, 1, FAILED);
    control(run, 'retry-node', { node: 'node_1' });
    expect(progress.status).toEqual(['pending', 'failed', 'pending', 'skipped', 'skipped']);
    expect(progress.causes[4]).toBe(1);
    control(run, 'retry-node', { node: 'node_2' });
    expect(progress.status).toEqual(['pending', 'pending', 'pending', 'pending', 'pending']);
    control(run, 'resume');
    for (let count = 0; count < 5; count++) {
      for (const node of underWay(run)) bring(run, node, handle(`r${node}`));
      turn(run);
    }
    expect(statusOf(run).outcome).toBe('done');
    expect(run.execution!.retries).toEqual({ 0: 1, 1: 1 });
  });

  test('of a node whose input failed meanwhile is refused, and names the one to repeat first', () => {
    const run = pausedRun([[], [0], [1], []]);
    control(run, 'cancel-node', { node: 'node_2' });
    bring(run, 0, FAILED);
    expect(control(run, 'retry-node', { node: 'node_2' })).toMatchObject({
      ok: false,
      reason: 'node_2 waits for node_1, which has no result; retry that one first',
    });
    expect(control(run, 'retry-node', { node: 'node_3' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('because of node_2'),
    });
    control(run, 'retry-node', { node: 'node_1' });
    control(run, 'retry-node', { node: 'node_2' });
    expect(progressOf(run).status).toEqual(['pending', 'pending', 'pending', 'running']);
  });

  test(`of a node that was repeated ${MAX_REPETITIONS} times is refused, and one before is not`, () => {
    const run = pausedRun([[]], ONCE, { onFailure: 'ask' });
    bring(run, 0, FAILED);
    run.execution!.retries[0] = MAX_REPETITIONS;
    const refused = { ok: false, refusal: 'not-possible', reason: expect.stringContaining('1000 times') };
    expect(control(run, 'retry-node', { node: 'node_1' })).toMatchObject(refused);
    run.execution!.retries[0] = MAX_REPETITIONS - 1;
    expect(control(run, 'retry-node', { node: 'node_1' })).toMatchObject({ ok: true });
  });

  test.each([undefined, ' ', '\u200b\u00ad'])(
    'of an effect that may have happened is refused without a reason: %j',
    (comment) => {
      const run = pausedRun([[]], ONCE, { onFailure: 'ask' });
      bring(run, 0, UNCERTAIN);
      const refused = {
        ok: false,
        refusal: 'not-possible',
        reason: expect.stringContaining('how you know that it did not'),
      };
      expect(control(run, 'retry-node', { node: 'node_1', ...(comment !== undefined && { comment }) })).toMatchObject(
        refused,
      );
      expect(progressOf(run).status).toEqual(['uncertain']);
    },
  );

  test('brings back what only follows a node that a person skipped', () => {
    // 2 follows 0 and needs 1.
    const run = pausedRun([[], [], [1], []], { after: { 2: [0] } });
    bring(run, 0, UNCERTAIN);
    control(run, 'skip-node', { node: 'node_1' });
    bring(run, 1, FAILED);
    expect(progressOf(run).status).toEqual(['skipped', 'failed', 'skipped', 'running']);
    control(run, 'retry-node', { node: 'node_2' });
    expect(progressOf(run).status).toEqual(['skipped', 'pending', 'pending', 'running']);
  });

  test('that brings back what nobody approved waits for approval anew, however long ago that was asked', () => {
    const run = openedRun(shapeOf([[], []]), { approvalDeadlineMs: 1000 });
    say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], digest: '3fa9c1d2', by: 'operator' });
    control(run, 'cancel-node', { node: 'node_2' });
    expect(nextDeadline(run)).toBeUndefined();
    control(run, 'retry-node', { node: 'node_2' }, later(5000));
    turn(run, later(5000));
    expect(run.state.approval.phase).toBe('awaiting-approval');
    expect(nextDeadline(run)).toBe(later(6000));
    expect(say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' }, later(5500))).toMatchObject({ ok: true });
    expect(underWay(run)).toEqual([0, 1]);
  });

  test('of what several people had to approve is asked about again', () => {
    const run = openedRun(shapeOf([[], []], ONCE), { approval: { rules: [{ count: 2 }] } });
    for (const by of ['operator', 'reviewer']) say(run, 'approve', { digest: '3fa9c1d2', by });
    bring(run, 0, FAILED);
    expect(control(run, 'retry-node', { node: 'node_1' })).toEqual({
      ok: true,
      reply: 'it runs again, under a new idempotency key, once it is approved again',
    });
    expect([run.state.approval.uncovered, underWay(run)]).toEqual([[0], [1]]);
  });
});

describe('resolve', () => {
  test('settles the node that was meant, also when an edit gives its id to another meanwhile', () => {
    const run = running([[], []], ONCE);
    bring(run, 0, UNCERTAIN);
    bring(run, 1, UNCERTAIN);
    // A person takes an approval back, so that the plan can be edited.
    say(run, 'decide', { kind: 'withdraw', digest: '3fa9c1d2', by: 'operator' });
    const resolve = { action: 'resolve', node: 'node_1', outcome: 'succeeded', value: 1, by: 'operator' };
    const { message, work } = sayAndWait(run, 'control', resolve);
    expect(edit(run, shapeOf([[], []], { ...ONCE, digest: 'e'.repeat(64) }), [1, 0])).toMatchObject({ ok: true });
    landed(run, work, { ok: true, handle: handle('r') });
    expect(run.outbox.replies).toMatchObject([{ message, reply: { ok: false, refusal: 'stale-digest' } }]);
    expect(progressOf(run).status).toEqual(['uncertain', 'uncertain']);
  });

  test('with a value that is no result of the node is refused, and settles nothing', () => {
    const run = running([[]], ONCE);
    bring(run, 0, UNCERTAIN);
    const resolve = { action: 'resolve', node: 'node_1', outcome: 'succeeded', value: 1, by: 'operator' };
    const { work } = sayAndWait(run, 'control', resolve);
    landed(run, work, { ok: false, reason: 'expected a list of ids' });
    expect(run.outbox.replies).toMatchObject([
      { reply: { refusal: 'wrong-answer', reason: 'expected a list of ids' } },
    ]);
    expect(progressOf(run).status).toEqual(['uncertain']);
  });

  test('is not for ever: what nobody settles stays as it is, and the run goes on', () => {
    const run = running([[], [0], []]);
    bring(run, 0, UNCERTAIN);
    expect(progressOf(run).status[1]).toBe('pending');
    expect(nextDeadline(run)).toBe(later(1000));
    turn(run, later(1000));
    expect(progressOf(run).status.slice(0, 2)).toEqual(['uncertain', 'skipped']);
    expect(nextDeadline(run)).toBeUndefined();
  });
});
