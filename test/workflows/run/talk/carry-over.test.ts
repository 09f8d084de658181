/** An edit takes the place of the open plan: what it keeps of what was approved, done, asked and under way. */

import { describe, expect, test } from 'vitest';
import type { NodeEnd } from '../../../../src/protocol/index.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import {
  AT,
  bring,
  BROKE,
  DIGEST,
  edit,
  editOf,
  executor,
  handle,
  landed,
  applyEdit,
  later,
  openedRun,
  progressOf,
  say,
  sayAndWait,
  shapeOf,
  turn,
  underWay,
  refsOf,
} from '../make-run.ts';

const NEW = { digest: 'e'.repeat(64) };
const ONCE = { executors: [executor('at-most-once')] };
const UNCERTAIN: NodeEnd = { ...BROKE, status: 'uncertain' };
const FAILED: NodeEnd = { ...BROKE, status: 'failed' };
const part = (...nodes: string[]) => ({ kind: 'approve-part', nodes, digest: '3fa9c1d2', by: 'operator' });

/** A run whose first nodes are approved and under way, and whose plan can still be edited for the sake of the others. */
function partly(run: Run, ...nodes: string[]): Run {
  say(run, 'decide', part(...nodes));
  return run;
}

describe('an edit', () => {
  test('that is the open plan changes nothing', () => {
    const run = openedRun(shapeOf([[]]));
    expect(edit(run, shapeOf([[]]), [0])).toMatchObject({ ok: false, refusal: 'no-change' });
    expect(run.state.approval.revision).toBe(1);
  });

  test.each([
    ['was approved', { kind: 'approve' }, 'already-decided'],
    ['was rejected', { kind: 'reject' }, 'already-decided'],
  ])('comes too late for a plan that %s while it was compiled', (_, said, refusal) => {
    const run = openedRun(shapeOf([[]]));
    const compiling = sayAndWait(run, 'decide', editOf(run));
    say(run, 'decide', { ...said, digest: '3fa9c1d2', by: 'operator' });
    expect(applyEdit(run, compiling, shapeOf([[], []], NEW), [0, -1])).toMatchObject({ ok: false, refusal });
    expect(run.execution?.planShape.digest).toBe(DIGEST);
  });

  test('of a plan that another edit replaced meanwhile is stale', () => {
    const run = openedRun(shapeOf([[]]));
    const [first, second] = [editOf(run), editOf(run, { by: 'intruder' })].map((said) =>
      sayAndWait(run, 'decide', said),
    );
    expect(applyEdit(run, second!, shapeOf([[], []], NEW), [0, -1])).toMatchObject({ ok: true });
    expect(applyEdit(run, first!, shapeOf([[], []], { digest: 'd'.repeat(64) }), [0, -1])).toMatchObject({
      refusal: 'stale-digest',
    });
  });

  test.each<[string, Parameters<typeof shapeOf>[1], boolean]>([
    ['a preview', { previews: { 0: { state: 's', rows: ['43.9 A -> 46 A'] } } }, true],
    ['a cost', { executors: [executor('idempotent', 'set', 2)] }, true],
    ['neither', { executors: [executor('idempotent')] }, false],
  ])('back to a plan with %s: a message from the first time is stale if it had figures', (_, figures, isStale) => {
    const run = openedRun(shapeOf([[]], figures));
    edit(run, shapeOf([[], []], { ...figures, ...NEW }), [-1, -1]);
    edit(run, shapeOf([[]], figures), [-1]);
    expect(run.state.approval).toMatchObject({ revision: 3, digest: DIGEST });
    const approve = (more?: object) => say(run, 'decide', { kind: 'approve', digest: DIGEST, by: 'operator', ...more });
    const { shown } = run.state.approval;
    if (isStale) expect(approve()).toMatchObject({ ok: false, refusal: 'stale-revision' });
    expect(approve({ ...(isStale && { shown }) })).toMatchObject({ ok: true });
  });

  test('that two people make alike is one edit', () => {
    const run = openedRun(shapeOf([[]]));
    const [first, second] = [editOf(run), editOf(run, { by: 'intruder' })].map((said) =>
      sayAndWait(run, 'decide', said),
    );
    expect(applyEdit(run, first!, shapeOf([[], []], NEW), [0, -1])).toMatchObject({ ok: true });
    const again = { ok: true, reply: 'this plan is the open one already' };
    expect(applyEdit(run, second!, shapeOf([[], []], NEW), [0, -1])).toEqual(again);
    expect(run.state.approval.revision).toBe(2);
  });

  test('whose plan is invalid is refused with what is wrong with it', () => {
    const run = openedRun(shapeOf([[]]));
    const { message, work } = sayAndWait(run, 'decide', editOf(run));
    const issues = Array.from({ length: 7 }, (_, i) => ({ severity: 'error', path: `$.${i}`, message: 'Wrong.' }));
    landed(run, work, { ok: false, issues: [{ severity: 'note', path: '$', message: 'A note.' }, ...issues] });
    expect(run.outbox.replies).toMatchObject([
      {
        message,
        reply: {
          refusal: 'invalid-plan',
          reason:
            'the edited plan is invalid: 7 problems. $.0: Wrong. $.1: Wrong. $.2: Wrong. $.3: Wrong. $.4: Wrong. And 2 more.',
          issues: { length: 8 },
        },
      },
    ]);
  });

  test('makes an approval of the plan before stale', () => {
    const run = openedRun(shapeOf([[]]));
    edit(run, shapeOf([[], []], NEW), [0, -1]);
    expect(say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' })).toMatchObject({ refusal: 'stale-digest' });
    expect(say(run, 'approve', { digest: NEW.digest, revision: 2, by: 'operator' })).toMatchObject({ ok: true });
  });

  test('is on record with who and what came of it, without its plan', () => {
    const run = openedRun(shapeOf([[]]));
    edit(run, shapeOf([[], []], NEW), [0, -1]);
    const [decision, compiled] = run.state.trace.entries.slice(-2);
    expect(decision).toMatchObject({ what: 'decision', said: { kind: 'edit', by: 'editor', digest: DIGEST } });
    expect(decision?.text).toContain('revision 2 is open, digest eeeeeeee; 1 of its 2 nodes are unchanged');
    expect(decision?.said).not.toHaveProperty('plan');
    expect(compiled).toMatchObject({ what: 'compiled' });
  });

  test('asks again about changed effects only, where the whole plan was approved but for one more person', () => {
    const executors = [executor('read'), executor('at-most-once')];
    const run = openedRun(shapeOf([[], [], [], []], { executors, executorOf: [0, 1, 1, 0] }), {
      approval: { rules: [{}, { capability: 'none', count: 2 }, { effect: 'at-most-once', roles: ['chief'] }] },
    });
    say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' });
    // A read changes, an effect changes, a read comes in.
    edit(run, shapeOf([[], [], [], [], []], { ...NEW, executors, executorOf: [0, 1, 1, 0, 0] }), [-1, 1, -1, 3, -1]);
    expect(run.state.approval.uncovered).toEqual([1, 2]);
    const next = shapeOf([[], []], { executors, executorOf: [0, 1], digest: 'd'.repeat(64) });
    expect(edit(run, next, [-1, 1])).toMatchObject({ ok: true });
    // The second edit changes the read once more: who approved the whole is still not asked about reads.
    say(run, 'approve', { digest: 'dddddddd', by: 'auditor', role: 'chief' });
    expect(run.state.approval.phase).toBe('running');
  });

  test('keeps results, work under way and questions of what is unchanged, at its new place', () => {
    const run = openedRun(shapeOf([[], [], [], [], []]));
    partly(run, 'node_1', 'node_2', 'node_3', 'node_4');
    bring(run, 0, handle('r0'));
    bring(run, 2, { asks: { text: 'which?' } });
    expect(underWay(run)).toEqual([1, 3]);
    const { work } = sayAndWait(run, 'decide', editOf(run));
    const planShape = shapeOf([[], [], [], [1, 2], []], NEW);
    landed(run, work, { ok: true, planShape, sameAs: [-1, 2, 0, -1, 3], project: { inbox: false } });
    expect(progressOf(run).status).toEqual(['pending', 'waiting', 'reused', 'pending', 'running']);
    // A read that the new plan does not have is stopped.
    expect(Object.values(run.tasks).map((one) => [one.kind, one.stopping])).toEqual([
      ['unused', 'another plan'],
      ['node', undefined],
    ]);
    expect(turn(run).cancel).toHaveLength(1);
    expect(say(run, 'answer', { question: '3fa9c1d2.node_3', value: 1, by: 'operator' }, AT, 'r2')).toMatchObject({
      ok: true,
    });
    expect(refsOf(progressOf(run).handles)).toEqual({ 1: 'r2', 2: 'r0' });
  });

  test('lets an effect under way end, does not use its result, and begins no other effect before', () => {
    const run = partly(openedRun(shapeOf([[], [], []], ONCE)), 'node_1', 'node_2');
    const [first] = Object.keys(run.tasks).map(Number);
    edit(run, shapeOf([[], []], { ...NEW, ...ONCE }), [1, -1]);
    expect(run.tasks[first!]).toMatchObject({ kind: 'unused', id: 'node_1 of revision 1', effect: 'at-most-once' });
    const told = (text: string) => run.state.trace.entries.some((entry) => entry.text.includes(text));
    expect(told('node_1 of the plan before is under way and not used any more')).toBe(true);
    say(run, 'approve', { digest: 'eeeeeeee', by: 'operator' });
    expect(progressOf(run).status).toEqual(['running', 'pending']);
    landed(run, first!, handle('r'));
    turn(run);
    expect(told('node_1 of revision 1 has succeeded; this plan does not use it')).toBe(true);
    expect(progressOf(run).status).toEqual(['running', 'running']);
  });

  test('that puts running and finished nodes behind a cancelled one leaves them be, also when that one is repeated', () => {
    // One at a time, so that the third node can be cancelled before its turn.
    const run = partly(openedRun(shapeOf([[], [], [], []], ONCE), { concurrency: 1 }), 'node_1', 'node_2', 'node_3');
    bring(run, 0, handle('r0'));
    turn(run);
    say(run, 'control', { action: 'cancel-node', node: 'node_3', by: 'operator' });
    expect(progressOf(run).status).toEqual(['succeeded', 'running', 'cancelled', 'pending']);
    // The list is ordered anew: the cancelled node comes first now, and the others follow it.
    edit(run, shapeOf([[], [], [], [2]], { ...NEW, ...ONCE, after: { 1: [0], 2: [0] } }), [2, 1, 0, -1]);
    expect(progressOf(run).status).toEqual(['cancelled', 'running', 'reused', 'pending']);
    expect(Object.keys(progressOf(run).causes).length).toBe(0);
    say(run, 'control', { action: 'retry-node', node: 'node_1', by: 'operator' });
    expect(progressOf(run).status).toEqual(['pending', 'running', 'reused', 'pending']);
    bring(run, 1, handle('r1'));
    turn(run);
    expect(progressOf(run).status).toEqual(['running', 'succeeded', 'reused', 'pending']);
  });

  test('keeps what is to be settled, with its deadline, and repeats no effect by itself', () => {
    const run = openedRun(shapeOf([[], [], [], []], ONCE), { onFailure: 'ask' });
    partly(run, 'node_1', 'node_2', 'node_3');
    bring(run, 0, UNCERTAIN);
    bring(run, 1, FAILED);
    bring(run, 2, FAILED);
    const [waits, failed] = [run.execution!.unsettled[0], run.execution!.unsettled[1]];
    say(run, 'control', { action: 'resolve', node: 'node_3', outcome: 'failed', by: 'operator' });
    edit(run, shapeOf([[], [], [], []], { ...NEW, ...ONCE }), [1, 0, 2, 3]);
    expect(progressOf(run).status).toEqual(['failed', 'uncertain', 'failed', 'pending']);
    expect(run.execution!.unsettled).toEqual({ 0: failed, 1: waits });
    expect(underWay(run)).toEqual([]);
  });

  test('keeps what a person asked to stop: it ends as cancelled in the new plan', () => {
    const run = partly(openedRun(shapeOf([[], []])), 'node_1');
    say(run, 'control', { action: 'cancel-node', node: 'node_1', by: 'operator' });
    edit(run, shapeOf([[], []], NEW), [-1, 0]);
    expect(progressOf(run).status).toEqual(['pending', 'running']);
    bring(run, 1, handle('r'));
    expect(progressOf(run).status).toEqual(['pending', 'cancelled']);
  });

  test('tries a read that failed anew, from a time of its own', () => {
    const run = partly(openedRun(shapeOf([[], []])), 'node_1');
    bring(run, 0, FAILED, later(10));
    edit(run, shapeOf([[], []], NEW), [0, -1], later(20));
    expect(progressOf(run).status).toEqual(['running', 'pending']);
    expect([run.execution!.scheduledAt[0], run.execution!.endedAt[0]]).toEqual([Date.parse(later(20)), undefined]);
  });
});
